import BrokerStore
import Clocks
import Foundation
import Inbox
import Logging
import Storage

/// Removes what is older than the retention: ended requests with their evidence, the beginning of the audit log, and, after
/// a time of their own, refused deliveries.
///
/// The audit log's chain stays verifiable: the record of a removal carries the hash of the last record that was removed.
struct Retention: Sendable {
    /// The days for which a refused delivery is kept, for its owner to look at.
    static let rejectedDays = 7
    private static let interval: Duration = .seconds(3600)
    private static let day: TimeInterval = 86_400

    let store: RequestStore
    let offers: OfferStore
    let audit: AuditLog
    /// Nil to keep requests and the audit log for ever.
    let days: Int?
    let rejected: RejectedDeliveries
    let clock: BrokerClock
    let logger: Logger

    /// Applies the retention now and every hour, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            do {
                try await apply()
            } catch is CancellationError {
                return
            } catch {
                logger.error("what is older than the retention could not be removed", metadata: ["error": "\(error)"])
            }
            try? await Task.sleep(for: Self.interval)
        }
    }

    func apply() async throws {
        let now = clock.now
        let discarded = rejected.remove(before: now.addingTimeInterval(-Self.day * Double(Self.rejectedDays)))
        if discarded > 0 { _ = try await audit.record(AuditEvent(discarding: discarded, because: "age", at: now)) }
        guard let days else { return }
        let end = now.addingTimeInterval(-Self.day * Double(days))
        let requests = try await store.removeEnded(before: end)
        try await offers.removeEnded(before: end)
        let records = try await audit.prune(since: end, at: now)
        do {
            // Each time: what could not be erased beside a reader an hour ago can be now.
            try await store.eraseDeleted()
        } catch {
            logger.warning(
                "what was removed is still in the write-ahead log; another try comes in an hour",
                metadata: ["error": "\(error)"])
        }
        guard requests + records > 0 else { return }
        logger.info(
            "older than the retention, removed",
            metadata: ["requests": "\(requests)", "audit_records": "\(records)", "days": "\(days)"])
    }
}
