import AssistantProcesses
import AssistantStore
import AttestedKeys
import CurlClient
import Encodings
import Foundation
import Logging
import Machine
import Secrets

/// Answers the two calls. No answer contains a refresh token, and no opened token outlives its call.
struct EnclaveCalls: Sendable {
    private static let provider = "google"

    let database: AssistantDatabase
    let opener: TokenOpener
    let google: GoogleSettings?
    let curl: CurlConfiguration
    let kind: EvidenceKind
    let measurement: String
    let logger: Logger
    let now: @Sendable () -> Date

    func answer(_ call: ProcessCall) async throws -> JSONValue {
        guard let method = EnclaveMethod(rawValue: call.method) else {
            throw ProcessRefusal(
                "UNKNOWN_METHOD",
                "the enclave knows \(EnclaveMethod.allCases.map(\.rawValue).joined(separator: " and ")) only")
        }
        let (id, user) = (try call.id("connector_id"), try call.id("user_id"))
        guard let connector = try await database.connectors.connector(id, of: user),
            connector.provider == Self.provider, connector.status != .revoked
        else { throw Self.refusal(.connectorNotFound, "the user has no connection with this id") }
        guard let google else {
            throw Self.refusal(.googleRefused, "Google is not set up here; set ASSISTANT_GOOGLE_CLIENT_ID")
        }
        // A session makes one exchange at a time, so each call has its own.
        let transport = CurlSession(curl)
        let client = GoogleOAuth(
            clientID: google.clientID, clientSecret: google.clientSecret, endpoints: google.endpoints, over: transport)
        do {
            let answer =
                switch method {
                case .exchange: try await exchange(connector, client)
                case .revoke: try await revoke(connector, client)
                }
            await transport.close()
            return answer
        } catch {
            await transport.close()
            throw error
        }
    }

    private func exchange(_ connector: StoredConnector, _ client: GoogleOAuth) async throws -> JSONValue {
        guard connector.status == .active else { throw Self.needsReconnect }
        let token = try await open(connector, for: "refresh")
        defer { token.wipe() }
        let access: GoogleOAuth.Access
        do {
            access = try await client.refresh(token)
        } catch GoogleError.invalidGrant {
            _ = try await database.connectors.move(
                connector.id, of: connector.userID, to: .needsReconnect, unlessNewerThan: connector.sealedToken,
                recording: NewAuditEvent("CONNECTOR_NEEDS_RECONNECT", connector: Self.provider, result: "FAILURE"),
                at: now())
            throw Self.needsReconnect
        } catch let error as GoogleError {
            throw Self.refusal(error)
        }
        return [
            "access_token": .string(access.token.revealed()), "expires_in": .number(Double(access.expiresIn)),
            "granted_scopes": .array(access.scopes.map { .string($0.rawValue) }),
            "runtime": .string(kind.rawValue), "measurement": .string(measurement),
        ]
    }

    private func revoke(_ connector: StoredConnector, _ client: GoogleOAuth) async throws -> JSONValue {
        let token = try await open(connector, for: "revoke")
        defer { token.wipe() }
        do {
            try await client.revoke(token)
        } catch let error as GoogleError {
            throw Self.refusal(error)
        }
        return ["revoked": true]
    }

    /// Opens the token, and records that it was opened, or why not.
    private func open(_ connector: StoredConnector, for purpose: String) async throws -> Secret {
        let token: Secret
        do {
            token = try await opener.token(of: connector)
        } catch ProcessSocketError.refused(let code, let message) where OpeningRefusal(rawValue: code) != nil {
            try await record(connector, "DENIED", ["reason": .string(code), "purpose": .string(purpose)])
            throw ProcessRefusal(code, message)
        } catch {
            logger.error("a token cannot be opened", metadata: ["error": "\(error)"])
            let refusal =
                error is EnclaveBusy
                ? Self.refusal(.busy, "\(error)")
                : Self.refusal(.keyUnavailable, "the key service cannot open the token; see the enclave's log")
            try await record(
                connector, "FAILURE", ["reason": .string(refusal.code), "purpose": .string(purpose)])
            throw refusal
        }
        try await record(connector, "SUCCESS", ["purpose": .string(purpose)])
        return token
    }

    private func record(_ connector: StoredConnector, _ result: String, _ metadata: JSONValue) async throws {
        try await database.audit.recordUnlessDeleted(
            NewAuditEvent("TOKEN_DECRYPT", connector: Self.provider, result: result, metadata: metadata),
            of: connector.userID, at: now())
    }

    private static let needsReconnect = refusal(.needsReconnect, GoogleError.invalidGrant.description)

    private static func refusal(_ error: GoogleError) -> ProcessRefusal {
        switch error {
        case .rateLimited, .unavailable, .malformed: refusal(.googleUnavailable, error.description)
        case .invalidGrant: needsReconnect
        case .unauthorized, .forbidden, .refused: refusal(.googleRefused, error.description)
        }
    }

    private static func refusal(_ code: EnclaveRefusal, _ message: String) -> ProcessRefusal {
        ProcessRefusal(code.rawValue, message)
    }
}
