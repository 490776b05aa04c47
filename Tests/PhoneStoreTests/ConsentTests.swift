import Foundation
import GRDB
import Messages
import Storage
import TestSupport
import Testing

@testable import PhoneStore

@Suite("The owner's consents, and the requests that a bank allows")
struct ConsentTests {
    private static func withDatabase(_ body: (PhoneDatabase, URL) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.appending("phone.sqlite")
        try await body(try PhoneDatabase(file: file), file)
    }

    private static let now = Date(timeIntervalSince1970: 1_795_000_000)

    @Test("a consent outlives the program, and is offered for renewal a week and a day before its end")
    func stages() async throws {
        try await Self.withDatabase { store, file in
            try await store.store(StoredConsent(bankID: "monzo", endsAt: Self.now.addingTimeInterval(90 * 86_400)))
            try await store.store(StoredConsent(bankID: "a", endedAt: Self.now))
            let again = try PhoneDatabase(file: file)
            let consents = try await again.storedConsents()
            #expect(consents.map(\.bankID) == ["a", "monzo"])
            let consent = consents[1]
            for (days, stage) in [
                (0.0, BankConsent.Stage.running), (82.9, .running), (83.1, .lastWeek), (88.9, .lastWeek),
                (89.1, .lastDay), (89.99, .lastDay), (90, .ended), (200, .ended),
            ] {
                let moment = Self.now.addingTimeInterval(days * 86_400)
                #expect(consent.stage(at: moment) == stage, "\(days)")
                let offer = consent.offer(at: moment, bankName: "Monzo")
                #expect((offer == nil) == (stage == .running))
                #expect(offer?.contains("countersign phone banks connect monzo") != false)
            }
            #expect(consents[0].stage(at: Self.now) == .ended)
            #expect(consents[0].state(at: Self.now)?.hasPrefix("ended on ") == true)
            try await store.forgetConsent(atBank: "a")
            #expect(try await store.storedConsents().count == 1)
        }
    }

    @Test("the owner is told once of an end, also where the bank's word comes after the day")
    func toldOnce() async throws {
        try await Self.withDatabase { store, _ in
            try await store.store(StoredConsent(bankID: "monzo", endsAt: Self.now))
            #expect(try await store.consentsToTell(at: Self.now).count == 1)
            try await store.store(
                StoredConsent(bankID: "monzo", endsAt: Self.now, endedAt: Self.now.addingTimeInterval(9)))
            let later = Self.now.addingTimeInterval(60)
            #expect(try await store.consentsToTell(at: later).isEmpty)
            // The next consent is told of anew, whether its end is named or not.
            try await store.store(StoredConsent(bankID: "monzo", endsAt: later.addingTimeInterval(60)))
            #expect(try await store.consentsToTell(at: later).count == 1, "its last day")
            try await store.store(StoredConsent(bankID: "up", endedAt: Self.now))
            #expect(try await store.consentsToTell(at: later).map(\.bankID) == ["up"])
            try await store.store(StoredConsent(bankID: "up"))
            try await store.store(StoredConsent(bankID: "up", endedAt: later))
            #expect(try await store.consentsToTell(at: later).map(\.bankID) == ["up"])
        }
    }

    @Test(
        "the command that renews a consent is the one that gives a new one",
        arguments: [(true, "connect"), (false, "change")])
    func commands(needsOwner: Bool, command: String) async throws {
        try await Self.withDatabase { store, _ in
            try await store.store(
                StoredConsent(bankID: "up", endsAt: Self.now.addingTimeInterval(3600), needsOwner: needsOwner))
            let consent = try #require(try await store.storedConsents().first)
            #expect(consent.command == "countersign phone banks \(command) up")
            for seconds in [0.0, 7200] {
                let offer = consent.offer(at: Self.now.addingTimeInterval(seconds), bankName: "Up")
                #expect(offer?.contains("countersign phone banks \(command) up") == true, "\(offer ?? "")")
            }
        }
    }

    @Test("the owner is told once a week before, once a day before and once after the end, over restarts")
    func told() async throws {
        try await Self.withDatabase { store, file in
            let day: TimeInterval = 86_400
            let consent = StoredConsent(bankID: "monzo", endsAt: Self.now.addingTimeInterval(90 * day))
            try await store.store(consent)
            var told: [Double] = []
            for quarter in 0...368 {
                let again = quarter.isMultiple(of: 7) ? try PhoneDatabase(file: file) : store
                let moment = Self.now.addingTimeInterval(Double(quarter) * day / 4)
                // Each answer of the bank names the same end, and makes no new notice.
                if quarter < 360 { try await again.store(consent) }
                if try await again.consentsToTell(at: moment).map(\.bankID) == ["monzo"] {
                    told.append(Double(quarter) / 4)
                }
            }
            #expect(told == [83, 89, 90])
            // A new consent has days of its own.
            try await store.store(StoredConsent(bankID: "monzo", endsAt: Self.now.addingTimeInterval(200 * day)))
            #expect(try await store.consentsToTell(at: Self.now.addingTimeInterval(92 * day)).isEmpty)
            #expect(try await store.consentsToTell(at: Self.now.addingTimeInterval(199.5 * day)).count == 1)
        }
    }

    @Test(
        "consents of an earlier version are renewed by a yes until a run tells otherwise, and nothing of them is lost")
    func earlier() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.appending("phone.sqlite")
        // The version before, which did not note who renews a consent and of what the owner was told.
        let old = try DatabaseQueue(path: file.path)
        try PhoneSchema.migrator().migrate(old, upTo: "outcomes of scripts")
        try await old.write { database in
            #expect(try database.columns(in: "consents").map(\.name) == ["bank_id", "ends_at", "ended_at"])
            try database.execute(
                sql: "INSERT INTO consents VALUES ('monzo', ?, NULL), ('up', NULL, ?)",
                arguments: [
                    StoreTime.text(Self.now.addingTimeInterval(3600)), StoreTime.text(Self.now.addingTimeInterval(-60)),
                ])
        }
        try old.close()
        let store = try PhoneDatabase(file: file)
        var consents = try await store.storedConsents()
        #expect(consents.map(\.bankID) == ["monzo", "up"] && consents.allSatisfy(\.needsOwner))
        #expect(consents.map { $0.stage(at: Self.now) } == [.lastDay, .ended])
        // Both are due, and the owner was told of neither.
        #expect(try await store.consentsToTell(at: Self.now).count == 2)
        #expect(try await store.consentsToTell(at: Self.now).isEmpty)
        consents[1].needsOwner = false
        try await store.store(consents[1])
        let corrected = try await store.storedConsents()[1]
        #expect(corrected.command == "countersign phone banks change up" && corrected.endedAt == consents[1].endedAt)
        // A correction makes no new notice.
        #expect(try await store.consentsToTell(at: Self.now).isEmpty)
    }

    @Test("requests are counted over 24 hours and restarts, each bank's apart, and refused before one too many")
    func budget() async throws {
        try await Self.withDatabase { store, file in
            for number in 0..<24 {
                let moment = Self.now.addingTimeInterval(Double(number) * 60)
                #expect(try await store.countRequest(toBank: "s", limit: 24, at: moment) == nil)
            }
            let again = try PhoneDatabase(file: file)
            let late = Self.now.addingTimeInterval(86_399)
            #expect(
                try await again.countRequest(toBank: "s", limit: 24, at: late) == Self.now.addingTimeInterval(86_400))
            #expect(try await again.countRequest(toBank: "other", limit: 24, at: late) == nil)
            let next = Self.now.addingTimeInterval(86_400)
            #expect(try await again.countRequest(toBank: "s", limit: 24, at: next) == nil)
            #expect(
                try await again.countRequest(toBank: "s", limit: 24, at: next) == Self.now.addingTimeInterval(86_460))
            // A smaller budget, and a clock that was set back.
            #expect(
                try await again.countRequest(toBank: "s", limit: 1, at: Self.now) == next.addingTimeInterval(86_400))
        }
    }

    @Test("requests of two runs stand in one line with the gap between any two, over restarts, each bank's apart")
    func turns() async throws {
        try await Self.withDatabase { store, file in
            let other = try PhoneDatabase(file: file)
            let gap = Duration.milliseconds(7500)
            func turn(_ store: PhoneDatabase, at seconds: Double, bank: String = "s") async throws -> Double {
                try await store.takeTurn(atBank: bank, gap: gap, at: Self.now.addingTimeInterval(seconds))
                    .timeIntervalSince(Self.now)
            }
            #expect(try await turn(store, at: 0) == 0)
            // A run beside it, and one that begins right after it.
            #expect(try await turn(other, at: 0) == 7.5)
            #expect(try await turn(store, at: 1) == 15)
            #expect(try await turn(try PhoneDatabase(file: file), at: 20) == 22.5)
            #expect(try await turn(other, at: 20, bank: "other") == 20)
            // A bank that was not asked for longer is asked at once.
            #expect(try await turn(store, at: 60) == 60)
            // A clock that was set back by more than a line can be long.
            #expect(try await turn(store, at: -86_400) == -86_392.5)
            // Turns that are taken at the same moment are different ones.
            let turns = try await withThrowingTaskGroup(of: Date.self) { group in
                for store in [store, other, store, other] {
                    group.addTask { try await store.takeTurn(atBank: "s", gap: gap, at: Self.now) }
                }
                return try await group.reduce(into: [Date]()) { $0.append($1) }.sorted()
            }
            #expect(zip(turns, turns.dropFirst()).allSatisfy { $1.timeIntervalSince($0) == 7.5 })
        }
    }
}
