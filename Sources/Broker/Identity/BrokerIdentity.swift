import Clocks
import DeviceTrust
import Foundation
import GRDB
import JSON
import NIOSSL
import Secrets

import enum Crypto.P256

/// Who the broker is, made at its first start: the name and key that phones know it by, and a certificate of its own.
public struct BrokerIdentity: Sendable {
    public let server: ServerIdentity
    /// DER.
    public let certificate: [UInt8]
    public let createdAt: Timestamp

    public var fingerprint: CertificateFingerprint { CertificateFingerprint(ofDER: certificate) }

    init(row: Row) throws(StoreError) {
        guard let id = ServerID(row["server_id"] as String), let key = AgreementPublicKey(row["public_key"] as String),
            let createdAt = Timestamp(row["created_at"] as String)
        else { throw StoreError(message: "the broker’s identity in the database cannot be read") }
        server = ServerIdentity(id: id, publicKey: key)
        certificate = Array(row["certificate"] as Data)
        self.createdAt = createdAt
    }
}

/// The identity with its private keys, for the broker alone.
struct BrokerKeys: Sendable {
    let identity: BrokerIdentity
    let agreement: AgreementPrivateKey
    private let certificateKey: Secret

    private static let agreementPurpose = "identity/agreement"
    private static let certificatePurpose = "identity/certificate"

    /// Reads the keys, or makes them when there are none yet.
    ///
    /// - Parameter host: what the broker is bound to, for the certificate's names.
    /// - Throws: ``StoreError`` when they are sealed with another secret.
    static func readOrMake(_ sealing: Sealing, host: String, at now: Date, in db: Database) throws -> BrokerKeys {
        if let row = try Row.fetchOne(db, sql: "SELECT * FROM broker_identity") {
            return try BrokerKeys(row: row, sealing)
        }
        let agreement = AgreementPrivateKey()
        let certificateKey = P256.Signing.PrivateKey()
        let certificate = try BrokerCertificate.make(for: certificateKey, host: host, at: now)
        var raw = Array(certificateKey.rawRepresentation)
        defer { raw.wipe() }
        try db.execute(
            sql: """
                INSERT INTO broker_identity (only, server_id, public_key, agreement_sealed, certificate,
                    certificate_key_sealed, created_at)
                VALUES (1, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                ServerID().description, agreement.publicKey.description,
                try sealing.seal(agreement.secret, as: agreementPurpose), Data(certificate),
                try sealing.seal(Secret(bytes: raw), as: certificatePurpose), Timestamp(now).description,
            ])
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM broker_identity") else {
            throw StoreError(message: "the broker’s identity could not be stored")
        }
        return try BrokerKeys(row: row, sealing)
    }

    /// - Throws: ``StoreError`` when the keys that there are were sealed with another secret.
    static func check(_ sealing: Sealing, in db: Database) throws {
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM broker_identity") else { return }
        _ = try BrokerKeys(row: row, sealing)
    }

    private init(row: Row, _ sealing: Sealing) throws {
        identity = try BrokerIdentity(row: row)
        agreement = try AgreementPrivateKey(
            secret: sealing.open(row["agreement_sealed"], as: Self.agreementPurpose))
        certificateKey = try sealing.open(row["certificate_key_sealed"], as: Self.certificatePurpose)
    }

    /// TLS with the broker's own certificate; its key is in memory only.
    func tls() throws -> BrokerTLS {
        let key = try certificateKey.withUnsafeBytes { try P256.Signing.PrivateKey(rawRepresentation: $0) }
        var der = Array(key.derRepresentation)
        defer { der.wipe() }
        return try BrokerTLS(
            certificate: NIOSSLCertificate(bytes: identity.certificate, format: .der),
            key: NIOSSLPrivateKey(bytes: der, format: .der))
    }
}

/// Where a running broker is reached, as it found out when it began to listen.
public struct BrokerListening: Sendable, Hashable {
    public let port: Int
    /// Of the certificate that it serves with; nil for plain HTTP.
    public let certificate: CertificateFingerprint?
}

extension RequestStore {
    func keys(_ sealing: Sealing, host: String) throws(StoreError) -> BrokerKeys {
        do {
            return try pool.write { [clock] db in
                try BrokerKeys.readOrMake(sealing, host: host, at: clock.now, in: db)
            }
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(message: "the broker’s identity cannot be had: \(error)")
        }
    }

    /// - Returns: nil before the broker's first start.
    public func identity() throws -> BrokerIdentity? {
        try pool.read { db in
            try Row.fetchOne(db, sql: "SELECT * FROM broker_identity").map { try BrokerIdentity(row: $0) }
        }
    }

    func note(_ listening: BrokerListening) async throws {
        try await pool.write { db in
            try db.execute(
                sql: "INSERT OR REPLACE INTO broker_listening (only, port, tls_sha256) VALUES (1, ?, ?)",
                arguments: [listening.port, listening.certificate?.hex])
        }
    }

    func listening() throws -> BrokerListening? {
        try pool.read { db in
            try Row.fetchOne(db, sql: "SELECT port, tls_sha256 FROM broker_listening").map { row in
                BrokerListening(
                    port: row["port"],
                    certificate: (row["tls_sha256"] as String?).flatMap { CertificateFingerprint($0) })
            }
        }
    }
}
