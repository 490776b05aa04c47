import Clocks
import Foundation
import GRDB
import Messages
import Signer
import Synchronization
import TestParties
import Testing

@testable import BrokerStore

/// Clocks that stand until a test moves them.
final class HandClock: Sendable {
    private let times = Mutex((wall: start, elapsed: 1000.0))
    static let start = Date(timeIntervalSince1970: 1_770_000_000)

    func advance(wall: TimeInterval = 0, elapsed: TimeInterval = 0) {
        times.withLock { $0 = ($0.wall.addingTimeInterval(wall), $0.elapsed + elapsed) }
    }

    func clock(ofBoot boot: String) -> BrokerClock {
        BrokerClock(
            wall: { self.times.withLock { $0.wall } }, elapsed: { .seconds(self.times.withLock { $0.elapsed }) },
            boot: boot)
    }
}

/// A broker's database of its own, whose clocks a test moves by hand.
struct HandStage {
    let broker: BrokerStage
    let hand = HandClock()
    let database: BrokerDatabase
    var store: RequestStore { database.requests }

    init() throws {
        broker = try BrokerStage()
        database = try BrokerDatabase(broker.database, clock: hand.clock(ofBoot: "one"))
    }

    /// The time this long after the start.
    static func time(_ seconds: TimeInterval) -> Date { HandClock.start.addingTimeInterval(seconds) }

    func envelope(
        month: Int = 1, bank: String = "default", agent: String? = nil, issued: TimeInterval = 0,
        until end: TimeInterval = 300
    ) -> RequestEnvelope {
        RequestEnvelope(
            bankID: bank, period: MonthYear(month: month, year: 2026)!, issuedAt: Timestamp(Self.time(issued)),
            approvalExpiresAt: Timestamp(Self.time(end)), client: agent.flatMap(AgentName.init))
    }

    func insert(
        _ envelope: RequestEnvelope, key: String? = nil, atMost most: Int = .max, names: Int = .max
    ) async throws -> RequestStore.Insertion {
        try await store.insert(
            envelope, signed: envelope.signed(with: broker.secret), agentRequestID: key, atMost: most,
            namesAtMost: names)
    }

    func stored(_ envelope: RequestEnvelope) async throws -> RequestID {
        #expect(try await insert(envelope) == .inserted)
        return envelope.requestID
    }

    func column<Value: DatabaseValueConvertible & Sendable>(_ name: String, of id: RequestID) async throws -> Value? {
        try await database.pool.read { db in
            try Value.fetchOne(
                db, sql: "SELECT \(name) FROM pending_requests WHERE id = ?", arguments: [id.description])
        }
    }

    /// The request's deadline on the clock that only goes forward, in milliseconds.
    func due(_ id: RequestID) async throws -> Int64? {
        try await database.pool.read { db in
            try Int64.fetchOne(
                db, sql: "SELECT due_milliseconds FROM request_deadlines WHERE request_id = ?",
                arguments: [id.description])
        }
    }
}
