import BrokerStore
import Encodings
import Foundation
import Storage
import TestParties
import Testing

@testable import Broker

@Suite("Counted events", .timeLimit(.minutes(4)))
struct TallyTests {
    /// Returns the members of each record of a kind, oldest first.
    private static func records(_ kind: AuditKind, _ stage: BrokerStage) async throws -> [JSONValue] {
        try await stage.administration().database.audit.records(AuditFilter(type: kind.rawValue)).map(\.event.details)
    }

    @Test("six wrong tokens in a row are six in the log, also those after the first, once the broker has ended")
    func sixWrongTokens() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            for _ in 0..<6 {
                let status = try await stage.send("GET", "/requests", as: .stranger).status
                #expect(status == 401)
            }
        }
        let records = try await Self.records(.tokenRefused, stage)
        #expect(records.compactMap { $0["count"]?.intValue }.reduce(0, +) == 6, "\(records)")
        #expect(records.allSatisfy { $0["limited"] == 0 && $0["route"]?.stringValue == "/requests" })
        #expect(records.count == 2, "the first at once, and the others together")
    }

    @Test("calls that were refused with 429 are counted apart from wrong tokens")
    func limited() async throws {
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.limits.rates.wrongTokensPerMinute = 9
        try await stage.run(configuration) { stage in
            var statuses: [Int] = []
            for _ in 0..<12 { statuses.append(try await stage.send("GET", "/requests", as: .stranger).status) }
            #expect(statuses.contains(401) && statuses.contains(429), "\(statuses)")
            // The owner's agent is not in that count, whatever its own limit says.
            #expect(try await stage.send("GET", "/requests").status == 200)
        }
        let records = try await Self.records(.tokenRefused, stage)
        let sums = ["count", "limited"].map { name in
            records.compactMap { $0[name]?.intValue }.reduce(0, +)
        }
        #expect(sums[0] + sums[1] == 12 && sums[1] > 0, "\(records)")
    }

    @Test("a round writes what was counted since the last, and nothing when nothing came")
    func rounds() async throws {
        let stage = try BrokerStage()
        let database = try BrokerDatabase(stage.root.appending(path: "tally.sqlite"))
        let refused = RefusedTokens(database.audit, clock: stage.clock.brokerClock)
        let tally = AuditTally(database.audit, clock: stage.clock.brokerClock)
        let subject = AuditTally.Subject(kind: .documentsListed, details: ["agent": "books"])
        for _ in 0..<3 { await refused.note(from: "127.0.0.1", at: "/requests", isLimited: false) }
        await refused.note(from: "127.0.0.2", at: "/proof", isLimited: true)
        for _ in 0..<3 { await tally.note(subject) }
        for _ in 0..<3 {
            await refused.flush()
            await tally.flush()
        }
        await tally.note(subject)
        await refused.note(from: "127.0.0.1", at: "/requests", isLimited: false)
        let events = try await database.audit.records().map(\.event)
        let tokens = events.filter { $0.type == "token.refused" }.map(\.details)
        #expect(tokens.map { $0["count"]?.intValue } == [1, 2, 1])
        #expect(tokens.map { $0["limited"]?.intValue } == [0, 1, 0])
        #expect(tokens[1]["address"] == "127.0.0.2" && tokens[1]["route"] == "/proof")
        let lists = events.filter { $0.type == "documents.listed" }.map(\.details)
        #expect(lists == [1, 2, 1].map { ["agent": "books", "count": .number($0)] })
    }
}
