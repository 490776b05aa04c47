import BrokerStore
import Clocks
import Messages
import Notifications

/// The broker's requests for a channel that announces them. Overdue requests end before the others are listed.
struct StoredRequests: AnnouncedRequests {
    /// The channel's name.
    let channel: String
    /// The place where its messages are remembered.
    let place: MessagePlace
    let store: RequestStore
    let timekeeper: Timekeeper
    let metrics: BrokerMetrics

    func countWaiting() async throws -> Int { try await store.counts()[.pendingApproval] ?? 0 }

    func waiting(atMost limit: Int) async throws -> [WaitingRequest] {
        try await timekeeper.sweep()
        return try await store.requests(.pendingApproval, limit: limit).map { record in
            WaitingRequest(
                id: record.id, subject: try? record.subject, approvalExpiresAt: record.approvalExpiresAt)
        }
    }

    func remember(message: String, for id: RequestID) async throws {
        try await store.remember(message, in: place, for: id)
    }

    func end(of id: RequestID) async throws -> RequestEnd? {
        guard let record = try await store.request(id), let outcome = Self.outcome(of: record) else { return nil }
        return RequestEnd(
            id: id, subject: try? record.subject, outcome: outcome,
            message: try await store.message(in: place, for: id), phone: try await store.phone(of: id))
    }

    private static func outcome(of record: RequestRecord) -> RequestEnd.Outcome? {
        switch record.status {
        case .completed: .completed
        case .denied: .denied
        case .expired: .expired
        case .failed:
            .failed(code: record.errorCode.flatMap(ErrorCode.init(rawValue:)))
        case .sent, .pendingApproval, .approved, .executing: nil
        }
    }

    func countMessage(wasSent: Bool) { metrics.messaged(channel, wasSent ? "sent" : "failed") }
}
