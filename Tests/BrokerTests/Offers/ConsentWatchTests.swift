import Foundation
import GRDB
import Logging
import Messages
import Notifications
import Synchronization
import TestParties
import Testing

@testable import Broker
@testable import BrokerStore

@Suite("The look for consents that end")
struct ConsentWatchTests {
    /// A channel that keeps what it is told until the test says whether it was sent.
    private final class Channel: OwnerNotifying {
        private struct Told {
            let end: Date?
            let whenDone: @Sendable (Bool) async -> Void
        }

        private let all = Mutex<[Told]>([])
        private let count = Mutex(0)
        private let refuses: Mutex<Bool>
        private let onTell: @Sendable () -> Void

        init(refuses: Bool = false, onTell: @escaping @Sendable () -> Void = {}) {
            self.refuses = Mutex(refuses)
            self.onTell = onTell
        }

        /// The number of messages that it was told of since it is there.
        var toldOf: Int { count.withLock { $0 } }

        func tell(_ consent: BankConsent, of phone: String, whenDone: @escaping @Sendable (Bool) async -> Void) -> Bool
        {
            guard !refuses.withLock({ $0 }) else { return false }
            onTell()
            count.withLock { $0 += 1 }
            all.withLock { $0.append(Told(end: consent.endsAt, whenDone: whenDone)) }
            return true
        }

        /// Answers all that waits, and returns the ends of the consents.
        @discardableResult
        func answer(_ wasSent: Bool) async -> [Date?] {
            let told = all.withLock { all in
                defer { all = [] }
                return all
            }
            for one in told { await one.whenDone(wasSent) }
            return told.map(\.end)
        }

        func nudge(_ envelope: RequestEnvelope) {}
        func nudge(_ offer: DocumentOffer) {}
        func announceCompletion(of id: RequestID) {}
        func follow(_ id: RequestID) {}
        func run() async {}
    }

    private let stage: BrokerStage
    private let database: BrokerDatabase

    init() throws {
        stage = try BrokerStage()
        database = try BrokerDatabase(stage.database)
    }

    private func tellBanks(_ count: Int) async throws {
        let banks = try (0..<count).map { number in
            let end = stage.clock.now.addingTimeInterval(80_000 + TimeInterval(number))
            return try #require(
                OfferedBank(
                    bankID: "bank-\(number)", name: "Bank \(number)",
                    consent: BankConsent(endsAt: end, endedAt: nil, needsOwner: true)))
        }
        try await database.banks.replace(BankList(banks), of: DeviceStore.defaultDeviceName)
    }

    private func watch(_ channels: [Channel]) -> ConsentWatch {
        ConsentWatch(
            banks: database.banks, hasDefaultDevice: true, interval: .seconds(60), notifiers: channels,
            clock: stage.clock.brokerClock, logger: Logger(label: "consents") { _ in SwiftLogNoOpLogHandler() })
    }

    private func untold() async throws -> Int {
        try await database.banks.untoldConsents(withDefaultDevice: true, at: stage.clock.now).count
    }

    @Test("a consent counts as told once a channel has sent the message, and not before")
    func sent() async throws {
        try await tellBanks(3)
        let channel = Channel()
        let watch = watch([channel])
        for _ in 0..<3 { await watch.look() }
        #expect(channel.toldOf == 3, "what is being sent is not told again")
        #expect(try await untold() == 3)
        await channel.answer(true)
        #expect(try await untold() == 0)
        for _ in 0..<3 { await watch.look() }
        #expect(channel.toldOf == 3)
    }

    @Test("a broker that stops before a message is sent tells it after its next start")
    func stopped() async throws {
        try await tellBanks(2)
        await watch([Channel()]).look()
        let channel = Channel()
        await watch([channel]).look()
        #expect(await channel.answer(true).count == 2)
        let third = Channel()
        await watch([third]).look()
        #expect(third.toldOf == 0)
    }

    @Test("what a channel gives up is told again, and what each channel refuses, too", arguments: [false, true])
    func givenUp(refuses: Bool) async throws {
        try await tellBanks(2)
        let channel = Channel(refuses: refuses)
        let watch = watch([channel, Channel(refuses: true)])
        await watch.look()
        #expect(await channel.answer(false).count == (refuses ? 0 : 2))
        #expect(try await untold() == 2)
        await watch.look()
        #expect(await channel.answer(true).count == (refuses ? 0 : 2))
        #expect(try await untold() == (refuses ? 2 : 0))
    }

    @Test("one channel of several that has sent it is enough, in whatever order they answer", arguments: [false, true])
    func oneOfTwo(goodFirst: Bool) async throws {
        try await tellBanks(1)
        let (good, bad) = (Channel(), Channel())
        let watch = watch([bad, good])
        await watch.look()
        for isGood in [goodFirst, !goodFirst] { await (isGood ? good : bad).answer(isGood) }
        #expect(try await untold() == 0)
        await watch.look()
        #expect(good.toldOf == 1 && bad.toldOf == 1)
    }

    @Test("a full disk repeats no message, and loses none")
    func fullDisk() async throws {
        try await tellBanks(BankList.most)
        try await database.pool.writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
        func limit(toPagesMore more: Int) throws {
            try database.pool.writeWithoutTransaction { db in
                let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
                _ = try Int.fetchOne(db, sql: "PRAGMA max_page_count = \(pages + more)")
            }
        }
        let channel = Channel()
        let watch = watch([channel])
        // Without free pages SQLite answers as on a full disk, as soon as the rows need another page.
        try limit(toPagesMore: 0)
        for _ in 0..<3 {
            await watch.look()
            await channel.answer(true)
        }
        #expect(channel.toldOf == BankList.most)
        let unwritten = try await untold()
        #expect(unwritten > 0 && unwritten < BankList.most)
        try limit(toPagesMore: 1000)
        for _ in 0..<2 { await watch.look() }
        #expect(try await untold() == 0)
        #expect(channel.toldOf == BankList.most)
    }

    @Test("the database can be written while a channel is told")
    func noLock() async throws {
        try await tellBanks(1)
        // Another connection, which waits for no lock.
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        let other = try DatabaseQueue(path: stage.database.path, configuration: configuration)
        let failure = Mutex("it was not told")
        let channel = Channel(onTell: {
            var found = ""
            do {
                try other.write { try $0.execute(sql: "UPDATE default_device SET is_on = is_on") }
            } catch {
                found = "\(error)"
            }
            failure.withLock { $0 = found }
        })
        await watch([channel]).look()
        #expect(failure.withLock { $0 } == "")
    }
}
