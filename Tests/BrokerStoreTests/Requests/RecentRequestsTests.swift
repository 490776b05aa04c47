import Clocks
import Foundation
import GRDB
import Messages
import Signer
import Synchronization
import TestParties
import Testing

@testable import BrokerStore

@Suite("The cache of recent requests")
struct RecentRequestsTests {
    private static let made = Atomic(0)

    /// Returns an envelope for another period than all before.
    private static func envelope() -> RequestEnvelope {
        RequestEnvelope(
            bankID: "default",
            period: MonthYear(month: 1, year: 1990 + made.add(1, ordering: .relaxed).oldValue)!,
            issuedAt: Timestamp(Date()),
            approvalExpiresAt: Timestamp(Date().addingTimeInterval(300)))
    }

    private static func stored(in store: RequestStore, _ stage: BrokerStage) async throws -> RequestID {
        let envelope = envelope()
        #expect(
            try await store.insert(envelope, signed: envelope.signed(with: stage.secret), agentRequestID: nil)
                == .inserted)
        return envelope.requestID
    }

    @Test("keeps a request until the database changes")
    func kept() async throws {
        let stage = try BrokerStage()
        let store = try BrokerDatabase(stage.database).requests
        let recent = try RecentRequests(of: stage.database)
        let id = try await Self.stored(in: store, stage)
        let record = try #require(try await store.request(id))
        let version = try #require(recent.version)
        #expect(recent.record(id, at: version) == nil)
        recent.keep(record, at: version)
        #expect(recent.version == version)
        #expect(recent.record(id, at: version) == record)

        _ = try await Self.stored(in: store, stage)
        let later = try #require(recent.version)
        #expect(later != version)
        #expect(recent.record(id, at: later) == nil, "whatever it was that changed")
        recent.keep(record, at: later)
        #expect(recent.record(id, at: version) == nil, "for one who asks with a look of before")
    }

    @Test("keeps a limited number of requests")
    func bounded() async throws {
        let stage = try BrokerStage()
        let store = try BrokerDatabase(stage.database).requests
        let recent = try RecentRequests(of: stage.database)
        var records: [RequestRecord] = []
        for _ in 0..<3 {
            let id = try await Self.stored(in: store, stage)
            records.append(try #require(try await store.request(id)))
        }
        let small = try RecentRequests(of: stage.database, most: 2)
        let version = try #require(small.version)
        for record in records {
            small.keep(record, at: version)
            recent.keep(record, at: version)
        }
        #expect(records.filter { small.record($0.id, at: version) != nil } == [records[2]])
        #expect(records.filter { recent.record($0.id, at: version) != nil } == records)
    }

    /// The connection that changes the database.
    enum Writer: CaseIterable { case same, administration, another }

    @Test("never returns a request as it was before a change, by any writer", arguments: Writer.allCases)
    func neverStale(_ writer: Writer) async throws {
        let stage = try BrokerStage()
        let store = try BrokerDatabase(stage.database).requests
        let administration = try BrokerDatabase(administering: stage.database).requests
        let other = try DatabaseQueue(path: stage.database.path)
        for _ in 0..<50 {
            let id = try await Self.stored(in: store, stage)
            for _ in 0..<2 { #expect(try await store.request(id)?.status == .pendingApproval) }
            switch writer {
            case .same: _ = try await store.move(id, from: .pendingApproval, to: .denied, at: Date())
            case .administration: _ = try await administration.move(id, from: .pendingApproval, to: .denied, at: Date())
            case .another:
                try await other.write { db in
                    try db.execute(
                        sql: "UPDATE pending_requests SET status = 'DENIED' WHERE id = ?", arguments: [id.description])
                }
            }
            for _ in 0..<2 { #expect(try await store.request(id)?.status == .denied) }
        }
    }

    @Test("never returns a request as it was before an acknowledged change, under concurrent reads")
    func neverStaleAtOnce() async throws {
        let stage = try BrokerStage()
        let store = try BrokerDatabase(stage.database).requests
        let id = try await Self.stored(in: store, stage)
        let steps: [(RequestStatus, RequestStatus)] = [
            (.pendingApproval, .approved), (.approved, .executing), (.executing, .completed),
        ]
        let order: [RequestStatus] = [.pendingApproval, .approved, .executing, .completed]
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<4 {
                tasks.addTask {
                    var seen = 0
                    while seen < order.count - 1, !Task.isCancelled {
                        let status = try #require(try await store.request(id)?.status)
                        let place = try #require(order.firstIndex(of: status))
                        #expect(place >= seen, "\(status) after \(order[seen])")
                        seen = place
                        // Cached answers never suspend, so without this the task would keep its thread.
                        await Task.yield()
                    }
                }
            }
            for (from, to) in steps {
                for _ in 0..<20 { _ = try await Self.stored(in: store, stage) }
                #expect(try await store.move(id, from: from, to: to, at: Date()))
                #expect(try await store.request(id)?.status == to)
            }
            try await tasks.waitForAll()
        }
    }

    @Test("reads from the database when its version is unknown")
    func closed() async throws {
        let stage = try BrokerStage()
        let store = try BrokerDatabase(stage.database).requests
        let recent = try RecentRequests(of: stage.database)
        let id = try await Self.stored(in: store, stage)
        recent.close()
        #expect(recent.version == nil)
        #expect(try await store.request(id)?.id == id)
    }
}
