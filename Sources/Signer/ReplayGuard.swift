import Foundation

/// Remembers nonces and request ids, so that a message counts once (specification, section 7.2).
public protocol ReplayGuard: Sendable {
    /// Admits a pair that was never seen, and remembers it durably before it returns.
    ///
    /// - Returns: false when the nonce, or the request id under another nonce, was admitted before.
    func admit(_ nonce: Nonce, for request: RequestID, at now: Date) async throws -> Bool
}

/// Remembers in memory, for 24 hours at least: the shortest that the specification allows.
public actor InMemoryReplayGuard: ReplayGuard {
    public static let retention: TimeInterval = 24 * 3600

    private var nonces: [Nonce: Date] = [:]
    private var requests: [RequestID: Date] = [:]

    public init() {}

    public func admit(_ nonce: Nonce, for request: RequestID, at now: Date) -> Bool {
        let horizon = now.addingTimeInterval(-Self.retention)
        if nonces.count > 1024 {
            nonces = nonces.filter { $0.value > horizon }
            requests = requests.filter { $0.value > horizon }
        }
        guard nonces[nonce] == nil, requests[request] == nil else { return false }
        nonces[nonce] = now
        requests[request] = now
        return true
    }
}
