import Clocks
import DeviceTrust
import Foundation
import GRDB

/// The broker's identity with its sealed keys, and the address where it listens.
struct IdentityStore: Sendable {
    let database: BrokerDatabase

    /// Returns the broker's keys, and makes them at the first start.
    ///
    /// - Parameter host: the host that the broker is bound to, for the certificate's names.
    /// - Throws: ``StoreError``, also when the keys were sealed with another secret.
    func keys(_ sealing: Sealing, host: String) throws(StoreError) -> BrokerKeys {
        do {
            return try database.pool.write { [clock = database.clock] db in
                if let sealed = try Self.sealedKeys(in: db) { return try BrokerKeys(sealed, sealing) }
                try Self.insert(BrokerKeys(host: host, at: clock.now).sealed(sealing), in: db)
                guard let sealed = try Self.sealedKeys(in: db) else {
                    throw StoreError(message: "the broker's identity could not be stored")
                }
                return try BrokerKeys(sealed, sealing)
            }
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(message: "the broker's identity cannot be read or stored: \(error)")
        }
    }

    /// - Throws: ``StoreError`` when the broker's keys were sealed with another secret.
    func check(_ sealing: Sealing) async throws {
        try await database.read { db in
            guard let sealed = try Self.sealedKeys(in: db) else { return }
            _ = try BrokerKeys(sealed, sealing)
        }
    }

    /// - Returns: nil before the broker's first start.
    func identity() throws -> BrokerIdentity? {
        try database.pool.read { db in try Self.sealedKeys(in: db)?.identity }
    }

    private static func sealedKeys(in db: Database) throws -> BrokerKeys.Sealed? {
        try Row.fetchOne(db, sql: "SELECT * FROM broker_identity").map { row in
            guard let id = ServerID(row["server_id"] as String),
                let key = AgreementPublicKey(row["public_key"] as String),
                let createdAt = Timestamp(row["created_at"] as String)
            else { throw StoreError(message: "the broker's identity in the database cannot be read") }
            let identity = BrokerIdentity(
                server: ServerIdentity(id: id, publicKey: key), certificate: Array(row["certificate"] as Data),
                createdAt: createdAt)
            return BrokerKeys.Sealed(
                identity: identity, agreement: row["agreement_sealed"], certificateKey: row["certificate_key_sealed"])
        }
    }

    private static func insert(_ keys: BrokerKeys.Sealed, in db: Database) throws {
        let identity = keys.identity
        try db.execute(
            sql: """
                INSERT INTO broker_identity (only, server_id, public_key, agreement_sealed, certificate,
                    certificate_key_sealed, created_at)
                VALUES (1, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                identity.server.id.description, identity.server.publicKey.description, keys.agreement,
                Data(identity.certificate), keys.certificateKey, identity.createdAt.description,
            ])
    }

    // MARK: Listening

    func note(_ listening: BrokerListening) async throws {
        try await database.write { db in
            try db.execute(
                sql: "INSERT OR REPLACE INTO broker_listening (only, port, tls_sha256) VALUES (1, ?, ?)",
                arguments: [listening.port, listening.certificate?.hex])
        }
    }

    /// - Returns: nil before a broker has listened.
    func listening() throws -> BrokerListening? {
        try database.pool.read { db in
            try Row.fetchOne(db, sql: "SELECT port, tls_sha256 FROM broker_listening").map { row in
                BrokerListening(
                    port: row["port"],
                    certificate: (row["tls_sha256"] as String?).flatMap { CertificateFingerprint($0) })
            }
        }
    }
}
