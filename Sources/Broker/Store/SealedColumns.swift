import DeviceTrust
import Foundation
import GRDB
import Secrets

/// Every sealed value of the database, to seal all of them with another secret in one transaction.
struct SealedColumns: Sendable {
    let database: BrokerDatabase

    /// Opens every value with one secret and seals it with another.
    ///
    /// - Throws: ``StoreError`` when a value was sealed with a third secret; then nothing has changed.
    func reseal(from old: Sealing, to new: Sealing) throws {
        try database.pool.write { db in
            func reseal(_ table: String, _ column: String, key: String, _ purpose: (Row) throws -> String) throws {
                for row in try Row.fetchAll(db, sql: "SELECT * FROM \(table) WHERE \(column) IS NOT NULL") {
                    let purpose = try purpose(row)
                    let secret = try old.open(row[column], as: purpose)
                    try db.execute(
                        sql: "UPDATE \(table) SET \(column) = ? WHERE \(key) = ?",
                        arguments: [try new.seal(secret, as: purpose), row[key] as DatabaseValue])
                }
            }
            try reseal("broker_identity", "agreement_sealed", key: "only") { _ in BrokerKeys.agreementPurpose }
            try reseal("broker_identity", "certificate_key_sealed", key: "only") { _ in BrokerKeys.certificatePurpose }
            try reseal("devices", "secret_sealed", key: "id") { try Self.purpose(ofDevice: $0["id"]) }
            try reseal("devices", "pending_secret_sealed", key: "id") { try Self.purpose(ofDevice: $0["id"]) }
            try reseal("request_executors", "secret_sealed", key: "request_id") {
                try Self.purpose(ofDevice: $0["device_id"])
            }
            // A code is good for five minutes, and its session ends when the broker starts.
            try db.execute(sql: "UPDATE pairing_sessions SET code_sealed = NULL")
        }
    }

    private static func purpose(ofDevice id: String) throws -> String {
        guard let id = DeviceID(id) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a device's row cannot be read")
        }
        return PairedDevice.purpose(id)
    }

    /// Returns whether the database's secrets were sealed with this secret. True for a new database.
    func areSealed(with sealing: Sealing) throws -> Bool {
        try database.pool.read { db in
            guard let row = try Row.fetchOne(db, sql: "SELECT agreement_sealed FROM broker_identity") else {
                return true
            }
            return (try? sealing.open(row["agreement_sealed"], as: BrokerKeys.agreementPurpose)) != nil
        }
    }
}

extension BrokerDatabase {
    /// Returns the sealing of the running broker: the configured one, or the broker's own, which is made now if it is
    /// missing. A database that was sealed with the phone's shared secret is sealed anew.
    ///
    /// - Throws: ``StoreError`` when the database was sealed with another secret.
    func sealing(_ configuration: BrokerConfiguration) throws(StoreError) -> Sealing {
        guard let own = configuration.sealingFile else { return configuration.sealing }
        let columns = SealedColumns(database: self)
        do {
            if let next = try own.interrupted(), try columns.areSealed(with: next) { try own.finish() }
            let sealing = try own.sealing() ?? own.make()
            guard try !columns.areSealed(with: sealing) else { return sealing }
            try columns.reseal(from: configuration.sealing, to: sealing)
            return sealing
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(message: "the broker's database cannot be sealed with a secret of its own: \(error)")
        }
    }
}
