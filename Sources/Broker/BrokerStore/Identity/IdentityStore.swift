import Clocks
import DeviceTrust
import Foundation
import GRDB

/// The broker's identity with its sealed keys, and the address where it listens.
package struct IdentityStore: Sendable {
    let database: BrokerDatabase

    /// Returns the broker's sealed identity, and stores the one that `make` returns at the first start.
    ///
    /// - Parameter make: makes the identity at the given time. Its error is thrown on.
    package func sealedIdentity(orMaking make: (Date) throws -> SealedIdentity) throws -> SealedIdentity {
        try database.pool.write { [clock = database.clock] db in
            if let sealed = try Self.sealedIdentity(in: db) { return sealed }
            try Self.insert(make(clock.now), in: db)
            guard let sealed = try Self.sealedIdentity(in: db) else {
                throw StoreError(message: "the broker's identity could not be stored")
            }
            return sealed
        }
    }

    /// - Returns: nil before the broker's first start.
    package func sealedIdentity() async throws -> SealedIdentity? {
        try await database.read { db in try Self.sealedIdentity(in: db) }
    }

    /// - Returns: nil before the broker's first start.
    package func identity() throws -> BrokerIdentity? {
        try database.pool.read { db in try Self.sealedIdentity(in: db)?.identity }
    }

    private static func sealedIdentity(in db: Database) throws -> SealedIdentity? {
        try Row.fetchOne(db, sql: "SELECT * FROM broker_identity").map { row in
            guard let id = ServerID(row["server_id"] as String),
                let key = AgreementPublicKey(row["public_key"] as String),
                let createdAt = Timestamp(row["created_at"] as String)
            else { throw StoreError(message: "the broker's identity in the database cannot be read") }
            let identity = BrokerIdentity(
                server: ServerIdentity(id: id, publicKey: key), certificate: Array(row["certificate"] as Data),
                createdAt: createdAt)
            return SealedIdentity(
                identity: identity, agreement: row["agreement_sealed"], certificateKey: row["certificate_key_sealed"])
        }
    }

    private static func insert(_ keys: SealedIdentity, in db: Database) throws {
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

    package func note(_ listening: BrokerListening) async throws {
        try await database.write { db in
            try db.execute(
                sql: "INSERT OR REPLACE INTO broker_listening (only, port, tls_sha256) VALUES (1, ?, ?)",
                arguments: [listening.port, listening.certificate?.hex])
        }
    }

    /// - Returns: nil before a broker has listened.
    package func listening() throws -> BrokerListening? {
        try database.pool.read { db in
            try Row.fetchOne(db, sql: "SELECT port, tls_sha256 FROM broker_listening").map { row in
                BrokerListening(
                    port: row["port"],
                    certificate: (row["tls_sha256"] as String?).flatMap { CertificateFingerprint($0) })
            }
        }
    }
}
