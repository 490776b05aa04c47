import Clocks
import Foundation
import GRDB
import Messages
import Signer
import TestParties
import Testing

@testable import BrokerStore

@Suite("The state machine")
struct StateMachineTests {
    private static let allowed: [RequestStatus: Set<RequestStatus>] = [
        .sent: [.pendingApproval], .pendingApproval: [.approved, .denied, .expired], .approved: [.executing, .failed],
        .executing: [.completed, .failed],
    ]

    static let pairs = RequestStatus.allCases.flatMap { from in RequestStatus.allCases.map { (from, $0) } }

    @Test("allows exactly the specification's transitions, each once", arguments: pairs)
    func pair(from: RequestStatus, to: RequestStatus) async throws {
        let stage = try BrokerStage()
        let store = try BrokerDatabase(stage.database).requests
        let envelope = RequestEnvelope(
            bankID: "default", period: MonthYear(month: 1, year: 2026)!, issuedAt: Timestamp(Date()),
            approvalExpiresAt: Timestamp(Date().addingTimeInterval(300)))
        #expect(
            try await store.insert(envelope, signed: envelope.signed(with: stage.secret), agentRequestID: nil)
                == .inserted)
        let queue = try DatabaseQueue(path: stage.database.path)
        try await queue.write { db in
            try db.execute(sql: "UPDATE pending_requests SET status = ?", arguments: [from.rawValue])
        }
        let isAllowed = Self.allowed[from]?.contains(to) ?? false
        #expect(try await store.move(envelope.requestID, from: from, to: to, at: Date()) == isAllowed)
        let after = try await store.request(envelope.requestID)?.status
        #expect(after == (isAllowed ? to : from))
        if isAllowed {
            #expect(try await !store.move(envelope.requestID, from: from, to: to, at: Date()), "a second time")
        }
    }

    @Test("terminal states have no successor")
    func terminal() {
        #expect(RequestStatus.allCases.filter(\.isTerminal) == [.completed, .failed, .denied, .expired])
    }
}
