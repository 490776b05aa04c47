import Clocks
import Foundation
import GRDB
import Messages
import Signer
import TestParties
import Testing

@testable import BrokerStore

@Suite("The deadlines of a broker that starts again")
struct ResumedDeadlineTests {
    @Test(
        "stay as they are within a boot, and count anew after one, from the wall clock or from the mark",
        arguments: [("one", 0.0, 1_300_000), ("two", 100, 5_200_000), ("two", -100, 5_300_000)]
            as [(String, Double, Int64)])
    func resumed(boot: String, wall: TimeInterval, due: Int64) async throws {
        let stage = try BrokerStage()
        let hand = HandClock()
        let end = Timestamp(HandClock.start.addingTimeInterval(300))
        let envelope = RequestEnvelope(
            bankID: "default", period: MonthYear(month: 1, year: 2026)!, issuedAt: Timestamp(HandClock.start),
            approvalExpiresAt: end)
        func dues(_ database: BrokerDatabase) async throws -> [Int64] {
            try await database.pool.read { db in
                try Int64.fetchAll(db, sql: "SELECT due_milliseconds FROM request_deadlines")
            }
        }
        do {
            let database = try BrokerDatabase(stage.database, clock: hand.clock(ofBoot: "one"))
            _ = try await database.requests.insert(
                envelope, signed: envelope.signed(with: stage.secret), agentRequestID: nil)
            #expect(try await dues(database) == [1_300_000])
        }
        hand.advance(wall: wall, elapsed: 4000)
        let database = try BrokerDatabase(stage.database, clock: hand.clock(ofBoot: boot))
        #expect(try await dues(database) == [due])
        // What waits no longer has no deadline.
        #expect(
            try await database.requests.move(
                envelope.requestID, from: .pendingApproval, to: .denied, at: hand.clock(ofBoot: boot).now))
        #expect(try await dues(database) == [])
    }
    @Test("count anew after a reboot only once: another start in the new boot leaves them as they are")
    func resumedTwice() async throws {
        let stage = try BrokerStage()
        let hand = HandClock()
        let envelope = RequestEnvelope(
            bankID: "default", period: MonthYear(month: 1, year: 2026)!, issuedAt: Timestamp(HandClock.start),
            approvalExpiresAt: Timestamp(HandClock.start.addingTimeInterval(300)))
        func due(_ database: BrokerDatabase) async throws -> Int64? {
            try await database.pool.read { db in
                try Int64.fetchOne(db, sql: "SELECT due_milliseconds FROM request_deadlines")
            }
        }
        do {
            let database = try BrokerDatabase(stage.database, clock: hand.clock(ofBoot: "one"))
            _ = try await database.requests.insert(
                envelope, signed: envelope.signed(with: stage.secret), agentRequestID: nil)
        }
        hand.advance(elapsed: 4000)
        do {
            let database = try BrokerDatabase(stage.database, clock: hand.clock(ofBoot: "two"))
            #expect(try await due(database) == 5_300_000)
        }
        // Someone sets the wall clock back, which must not give the approval more time.
        hand.advance(wall: -100, elapsed: 50)
        let database = try BrokerDatabase(stage.database, clock: hand.clock(ofBoot: "two"))
        #expect(try await due(database) == 5_300_000)
    }
}
