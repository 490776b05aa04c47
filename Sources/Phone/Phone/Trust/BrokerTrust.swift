import CurlClient
import DeviceTrust
import Encodings
import Foundation
import KeyVault
import PhoneStore
import Secrets
import Storage

/// The phone's trust in its broker, which only the person changes.
package enum BrokerTrust {
    /// Returns the connection from the vault, and pins the broker's certificate if that is still to be done.
    ///
    /// - Returns: the connection, and the certificate if it was pinned by this call.
    package static func connection(
        from secrets: VaultSecretStore, store: PhoneDatabase, http: CurlConfiguration = CurlConfiguration()
    ) async throws -> (connection: PhoneConnection, pinned: CertificateFingerprint?) {
        var connection = try await PhoneConnection(from: secrets)
        guard connection.trust == .firstUse else { return (connection, nil) }
        switch try await BrokerCertificate.look(at: connection.brokerURL, http: http) {
        case .plain: throw PhoneError(.invalidSetting, "the broker at \(connection.brokerURL) shows no certificate")
        case .verified(let fingerprint), .unverified(let fingerprint):
            connection.trust = .pinned(fingerprint)
            try await connection.save(to: secrets)
            try await record(.pinSet, .warning, connection, in: store)
            return (connection, fingerprint)
        }
    }

    /// Replaces the pin by `certificate`; without one, the next contact pins the certificate that it meets.
    ///
    /// - Throws: ``PhoneError`` for a broker without TLS, which has no certificate.
    package static func reset(
        to certificate: CertificateFingerprint? = nil, in home: PhoneHome, with verification: any UserVerification
    ) async throws {
        let lock = try home.claim()
        defer { withExtendedLifetime(lock) {} }
        let secrets = try await home.open(verification, reason: "Trust another certificate of the broker")
        defer { secrets.close() }
        var connection = try await PhoneConnection(from: secrets)
        guard connection.brokerURL.scheme?.lowercased() == "https" else {
            throw PhoneError(
                .invalidSetting, "the broker at \(connection.brokerURL) is reached without TLS and has no certificate"
            )
        }
        let store = try PhoneDatabase(home)
        try await record(.pinReset, .warning, connection, in: store)
        connection.trust = certificate.map(CertificateTrust.pinned) ?? .firstUse
        try await connection.save(to: secrets)
        if certificate != nil { try await record(.pinSet, .warning, connection, in: store) }
    }

    static func record(
        _ kind: AuditKind, _ severity: AuditSeverity, _ connection: PhoneConnection, in store: PhoneDatabase
    ) async throws {
        var details: [String: JSONValue] = ["broker": .string(connection.brokerURL.absoluteString)]
        if case .pinned(let fingerprint) = connection.trust {
            details["certificate"] = .string(fingerprint.description)
        }
        try await store.audit.record(AuditEvent(kind, severity: severity, details: .object(details)))
    }
}
