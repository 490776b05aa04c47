import Encodings
import Foundation
import Machine
import Secrets

/// The two calls of the enclave. No call returns a refresh token.
package enum EnclaveMethod: String, Sendable, CaseIterable {
    case exchange = "exchange_google_access_token"
    case revoke = "revoke_google_connector_token"
}

/// The reasons for which the enclave refuses a call, besides those of the key service's four checks.
package enum EnclaveRefusal: String, Sendable, CaseIterable {
    case connectorNotFound = "CONNECTOR_NOT_FOUND"
    /// Google no longer accepts the consent.
    case needsReconnect = "NEEDS_RECONNECT"
    /// Google cannot be reached, or asks for fewer calls.
    case googleUnavailable = "GOOGLE_UNAVAILABLE"
    /// Google does not accept this service's client.
    case googleRefused = "GOOGLE_REFUSED"
    /// The key service cannot open the token, for another reason than the four checks.
    case keyUnavailable = "KEY_UNAVAILABLE"
    /// Too many calls wait for what makes the evidence. The same call may succeed some seconds later.
    case busy = "ENCLAVE_BUSY"
}

/// Exchanges a connector's refresh token for an access token.
package protocol AccessTokenMinting: Sendable {
    /// - Throws: `ProcessSocketError`; `refused` with an ``EnclaveRefusal`` or one of the four checks as its code.
    func accessToken(of connector: UUID, user: UUID) async throws(ProcessSocketError) -> EnclaveClient.Access
}

extension EnclaveClient: AccessTokenMinting {}

/// Calls the enclave on its socket.
package struct EnclaveClient: Sendable {
    /// An access token, and what the enclave says of itself.
    package struct Access: Sendable {
        package let token: Secret
        /// In seconds.
        package let expiresIn: Int
        /// The scopes by their short names.
        package let scopes: [String]
        package let runtime: String
        package let measurement: String

        package init(token: Secret, expiresIn: Int, scopes: [String], runtime: String, measurement: String) {
            self.token = token
            self.expiresIn = expiresIn
            self.scopes = scopes
            self.runtime = runtime
            self.measurement = measurement
        }
    }

    private let socket: ProcessSocketClient

    /// - Parameter user: the user who runs the enclave.
    package init(_ file: URL, servedBy user: UInt32, limits: ProcessSocketClient.Limits = .init()) {
        socket = ProcessSocketClient(file, servedBy: [user], limits: limits)
    }

    package init(_ places: AssistantPlaces) {
        self.init(places.enclaveSocket, servedBy: places.enclaveUser)
    }

    package func isServed() async -> Bool { await socket.isServed() }

    /// Exchanges a connector's refresh token for an access token. The refresh token stays in the enclave.
    ///
    /// - Throws: `ProcessSocketError`; `refused` with an ``EnclaveRefusal`` or one of the four checks as its code.
    package func accessToken(of connector: UUID, user: UUID) async throws(ProcessSocketError) -> Access {
        let answer = try await socket.call(EnclaveMethod.exchange.rawValue, Self.params(connector, user))
        guard let token = answer["access_token"]?.stringValue, let expiresIn = answer["expires_in"]?.intValue,
            let scopes = answer["granted_scopes"]?.arrayValue?.compactMap(\.stringValue),
            let runtime = answer["runtime"]?.stringValue, let measurement = answer["measurement"]?.stringValue
        else { throw .malformed("the enclave's answer lacks a part") }
        return Access(
            token: Secret(token), expiresIn: expiresIn, scopes: scopes, runtime: runtime, measurement: measurement)
    }

    /// Revokes a connector's token at Google. One that Google no longer knows counts as revoked.
    package func revoke(_ connector: UUID, user: UUID) async throws(ProcessSocketError) {
        _ = try await socket.call(EnclaveMethod.revoke.rawValue, Self.params(connector, user))
    }

    private static func params(_ connector: UUID, _ user: UUID) -> JSONValue {
        [
            "connector_id": .string(connector.uuidString.lowercased()),
            "user_id": .string(user.uuidString.lowercased()),
        ]
    }
}
