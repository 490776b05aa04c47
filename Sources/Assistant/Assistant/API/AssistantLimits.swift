import Foundation
import Synchronization
import WebServing

/// The rate limits: refused calls for each address, and admitted calls for each user. A stranger's calls count for
/// the stranger's address only, so they cannot lock a user out, who shows a valid token.
final class AssistantLimits: Sendable {
    /// Addresses and users that are remembered at a time.
    private static let most = 10_000

    private struct Buckets {
        var refused: [String: TokenBucket] = [:]
        var users: [UUID: TokenBucket] = [:]
    }

    private let refusedBurst: Double
    private let buckets = Mutex(Buckets())

    /// - Parameter refusedBurst: the refused calls of one address before they are limited to one a second.
    init(refusedBurst: Double = 100) {
        self.refusedBurst = refusedBurst
    }

    /// Admits a call of a user: 400 at once, then 200 a second.
    func admit(_ userID: UUID) throws(AssistantError) {
        let wait = buckets.withLock { buckets in
            Self.makeRoom(in: &buckets.users)
            return buckets.users[userID, default: TokenBucket(capacity: 400, perSecond: 200)].take()
        }
        if let wait { throw .rateLimited(wait) }
    }

    /// Refuses a call without a token when its address has been refused too often, before any work is done for it.
    func admitStranger(_ address: String) throws(AssistantError) {
        guard buckets.withLock({ $0.refused[address]?.hasToken() ?? true }) else { throw .rateLimited(1) }
    }

    /// Counts a refused call.
    ///
    /// - Returns: the refusal to answer with: `error`, or the rate limit.
    func count(_ error: AssistantError, from address: String) -> AssistantError {
        let wait = buckets.withLock { buckets in
            Self.makeRoom(in: &buckets.refused)
            return buckets.refused[address, default: TokenBucket(capacity: refusedBurst, perSecond: 1)].take()
        }
        return wait.map(AssistantError.rateLimited) ?? error
    }

    /// Forgets those who have their whole burst again; with none of them, everyone, so that memory stays bounded.
    private static func makeRoom<Key>(in buckets: inout [Key: TokenBucket]) {
        guard buckets.count >= most else { return }
        buckets = buckets.filter { !$0.value.isFull() }
        if buckets.count >= most { buckets = [:] }
    }
}
