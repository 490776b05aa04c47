import Crypto
import Foundation
import Secrets

/// Renews the tokens of browsers. A refresh token works once, and a browser may open two pages at the same time: its second
/// request gets what the first one got. Otherwise the API would take the second one for a copy, and end the session.
actor TokenRenewals {
    /// The time for which a renewal is remembered: as long as a browser may take to store the new cookie.
    private static let memory: Duration = .seconds(30)

    private struct Renewal {
        let begun: ContinuousClock.Instant
        let tokens: Task<SessionTokens, any Error>
    }

    /// By the digest of the refresh token.
    private var renewals: [[UInt8]: Renewal] = [:]

    /// - Parameter ask: asks the API; it runs once for one refresh token.
    func renew(
        _ refreshToken: Secret, by ask: @escaping @Sendable () async throws -> SessionTokens
    ) async throws -> SessionTokens {
        let now = ContinuousClock.now
        renewals = renewals.filter { now - $0.value.begun < Self.memory }
        let digest = refreshToken.withUnsafeBytes { Array(SHA256.hash(data: $0)) }
        if let renewal = renewals[digest] { return try await renewal.tokens.value }
        let task = Task { try await ask() }
        renewals[digest] = Renewal(begun: now, tokens: task)
        do {
            return try await task.value
        } catch {
            renewals[digest] = nil
            throw error
        }
    }
}
