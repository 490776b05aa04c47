import AssistantProcesses
import AssistantStore
import Encodings
import Foundation
import Machine
import Notifications

/// Asks Google for users, with access tokens that the enclave mints. Access tokens are in this process's memory only.
///
/// An access token that Google refuses (401) leads to exactly one new exchange. When Google no longer accepts the consent,
/// the user gets one notice.
package struct GoogleAccess: Sendable {
    private static let provider = "google"

    private let database: AssistantDatabase
    private let tokens: AccessTokenCache
    private let transports: GoogleTransports
    private let endpoints: GoogleEndpoints
    private let notices: any NoticeDelivering
    private let fetches = FetchRecords()

    package init(
        database: AssistantDatabase, enclave: any AccessTokenMinting, endpoints: GoogleEndpoints,
        transports: GoogleTransports, notices: any NoticeDelivering
    ) {
        self.database = database
        let metrics = database.metrics
        tokens = AccessTokenCache(enclave: enclave, counting: { metrics.count(.tokenRefreshes($0)) })
        self.endpoints = endpoints
        self.transports = transports
        self.notices = notices
    }

    /// Asks Google for a user. Calls are made once; a job tries again by its own schedule.
    ///
    /// - Parameters:
    ///   - scope: what `body` needs.
    ///   - transports: others than the usual ones, for calls that must not wait behind those.
    ///   - body: may be called a second time, with a new token.
    package func ask<Value: Sendable>(
        _ scope: GoogleScope, of userID: UUID, at now: Date, over transports: GoogleTransports? = nil,
        _ body: @Sendable (GoogleAPI, StoredConnector) async throws -> Value
    ) async throws -> Value {
        let transports = transports ?? self.transports
        let connector = try await connector(scope, of: userID, at: now)
        let token = try await token(of: connector, replacing: nil, at: now)
        do {
            do {
                let value = try await call(token, connector, transports, body)
                try await record(scope, of: userID, nil, at: now)
                return value
            } catch GoogleError.unauthorized {
                let renewed = try await self.token(of: connector, replacing: token, at: now)
                let value = try await call(renewed, connector, transports, body)
                try await record(scope, of: userID, nil, at: now)
                return value
            }
        } catch let error as GoogleError {
            let (reason, pause) = Self.reason(error)
            try await record(scope, of: userID, reason, at: now)
            throw GoogleAccessError.later(after: pause, reason: reason)
        }
    }

    private func connector(_ scope: GoogleScope, of userID: UUID, at now: Date) async throws -> StoredConnector {
        let all = try await database.connectors.connectors(of: userID)
        guard let connector = all.first(where: { $0.provider == Self.provider && $0.status != .revoked }) else {
            await tokens.forget(userID)
            throw GoogleAccessError.notConnected
        }
        if connector.status == .needsReconnect { throw try await askToReconnect(connector, at: now) }
        guard connector.scopes.contains(scope.rawValue) else { throw GoogleAccessError.missingScope }
        return connector
    }

    private func token(
        of connector: StoredConnector, replacing refused: AccessTokenCache.Token?, at now: Date
    ) async throws -> AccessTokenCache.Token {
        do throws(ProcessSocketError) {
            return try await tokens.token(of: connector, replacing: refused, at: now)
        } catch {
            guard case .refused(let code, _) = error else {
                throw GoogleAccessError.later(after: nil, reason: "ENCLAVE_UNAVAILABLE")
            }
            switch EnclaveRefusal(rawValue: code) {
            case .needsReconnect: throw try await askToReconnect(connector, at: now)
            case .connectorNotFound: throw GoogleAccessError.notConnected
            case .busy: throw GoogleAccessError.later(after: .seconds(5), reason: code)
            default: throw GoogleAccessError.later(after: nil, reason: code)
            }
        }
    }

    private func call<Value: Sendable>(
        _ token: AccessTokenCache.Token, _ connector: StoredConnector, _ transports: GoogleTransports,
        _ body: @Sendable (GoogleAPI, StoredConnector) async throws -> Value
    ) async throws -> Value {
        let transport = try await transports.take()
        do {
            let value = try await body(
                GoogleAPI(token: token.secret, endpoints: endpoints, over: transport, tries: 1), connector)
            await transports.giveBack(transport)
            return value
        } catch {
            await transports.giveBack(transport)
            throw error
        }
    }

    // MARK: Notices and records

    /// Tells the user once that Google has to be connected again.
    private func askToReconnect(_ connector: StoredConnector, at now: Date) async throws -> GoogleAccessError {
        guard try await database.connectors.claimReconnectNotice(connector.id, of: connector.userID, at: now) else {
            return .needsReconnect
        }
        let id = connector.id.uuidString.lowercased()
        let notice = Notice(
            .reconnect, title: "Connect Google again",
            text: "Google has ended the connection. Connect again to get reminders and alerts.", id: "con_\(id)",
            link: "alfred://connectors", collapseKey: "reconnect-\(id)", expires: now.addingTimeInterval(7 * 86_400))
        do {
            guard case .later(let pause) = try await notices.deliver(notice, to: connector.userID, at: now) else {
                return .needsReconnect
            }
            try await database.connectors.giveBackReconnectNotice(connector.id, of: connector.userID)
            return .untold(after: pause)
        } catch {
            try await database.connectors.giveBackReconnectNotice(connector.id, of: connector.userID)
            throw error
        }
    }

    /// Records a look at Google in the user's audit log: the first one of this process, one with another end than the
    /// one before, and one an hour for the others.
    private func record(_ scope: GoogleScope, of userID: UUID, _ failure: String?, at now: Date) async throws {
        guard let looks = fetches.note(scope, of: userID, failure, at: now) else { return }
        var metadata: [String: JSONValue] = ["source": .string(scope == .calendar ? "calendar" : "gmail")]
        if looks > 1 { metadata["looks"] = .number(Double(looks)) }
        metadata["reason"] = failure.map(JSONValue.string)
        try await database.audit.recordUnlessDeleted(
            NewAuditEvent(
                "CONNECTOR_FETCH", connector: Self.provider, result: failure == nil ? "SUCCESS" : "FAILURE",
                metadata: .object(metadata)), of: userID, at: now)
    }

    private static func reason(_ error: GoogleError) -> (String, Duration?) {
        switch error {
        case .rateLimited(let seconds): ("GOOGLE_RATE_LIMITED", seconds.map { .seconds($0) })
        case .unavailable: ("GOOGLE_UNAVAILABLE", nil)
        case .unauthorized: ("GOOGLE_UNAUTHORIZED", .seconds(60))
        case .invalidGrant, .forbidden, .refused: ("GOOGLE_REFUSED", .seconds(60))
        case .malformed: ("GOOGLE_MALFORMED", nil)
        }
    }
}
