import AssistantProcesses
import AssistantStore
import Foundation
import Machine
import Secrets

/// Access tokens in memory, each until shortly before its end.
actor AccessTokenCache {
    struct Token: Sendable {
        let secret: Secret
        let userID: UUID
        let expires: Date
        /// The consent from which it was made: a newer consent needs a new token.
        let consent: Date
        let number: Int
    }

    /// A token is not used in its last seconds.
    private static let margin: TimeInterval = 60
    /// More tokens are not kept: each is in locked memory.
    private static let most = 2000
    /// The time between two looks for tokens that have ended.
    private static let sweepInterval: TimeInterval = 60

    private let enclave: any AccessTokenMinting
    private let counting: @Sendable (AssistantMetric.RefreshOutcome) -> Void
    private var tokens: [UUID: Token] = [:]
    private var exchanges: [UUID: Task<Result<Token, ProcessSocketError>, Never>] = [:]
    private var lastNumber = 0
    private var swept = Date.distantPast

    init(enclave: any AccessTokenMinting, counting: @escaping @Sendable (AssistantMetric.RefreshOutcome) -> Void) {
        self.enclave = enclave
        self.counting = counting
    }

    /// Forgets the tokens of a user who has no connection any more.
    func forget(_ userID: UUID) { tokens = tokens.filter { $0.value.userID != userID } }

    /// Returns a connector's access token, by one exchange unless it is known. Callers at the same time share it.
    ///
    /// - Parameter refused: the token that Google did not accept; it is not returned again.
    func token(
        of connector: StoredConnector, replacing refused: Token?, at now: Date
    ) async throws(ProcessSocketError) -> Token {
        if abs(now.timeIntervalSince(swept)) >= Self.sweepInterval {
            tokens = tokens.filter { $0.value.expires > now }
            swept = now
        }
        if let token = tokens[connector.id], token.number != refused?.number,
            token.consent == connector.tokenRotatedAt, token.expires.timeIntervalSince(now) > Self.margin
        {
            return token
        }
        let exchange = exchanges[connector.id] ?? begin(connector, at: now)
        return try await exchange.value.get()
    }

    private func begin(
        _ connector: StoredConnector, at now: Date
    ) -> Task<Result<Token, ProcessSocketError>, Never> {
        let exchange = Task { await mint(for: connector, at: now) }
        exchanges[connector.id] = exchange
        return exchange
    }

    private func mint(for connector: StoredConnector, at now: Date) async -> Result<Token, ProcessSocketError> {
        let result: Result<Token, ProcessSocketError>
        do throws(ProcessSocketError) {
            let access = try await enclave.accessToken(of: connector.id, user: connector.userID)
            lastNumber += 1
            let token = Token(
                secret: access.token, userID: connector.userID,
                expires: now.addingTimeInterval(TimeInterval(access.expiresIn)),
                consent: connector.tokenRotatedAt, number: lastNumber)
            if tokens.count >= Self.most, let first = tokens.keys.first { tokens[first] = nil }
            tokens[connector.id] = token
            result = .success(token)
        } catch {
            tokens[connector.id] = nil
            result = .failure(error)
        }
        exchanges[connector.id] = nil
        counting(Self.outcome(result))
        return result
    }

    private static func outcome(_ result: Result<Token, ProcessSocketError>) -> AssistantMetric.RefreshOutcome {
        guard case .failure(let error) = result else { return .success }
        guard case .refused(let code, _) = error else { return .unavailable }
        switch EnclaveRefusal(rawValue: code) {
        case .needsReconnect: return .needsReconnect
        case .googleUnavailable, .keyUnavailable, .busy: return .unavailable
        case .connectorNotFound, .googleRefused, nil: return .refused
        }
    }
}
