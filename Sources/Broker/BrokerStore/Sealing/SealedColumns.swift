import DeviceTrust
import Foundation
import GRDB
import Secrets

/// Every sealed value of the database, to seal all of them with another secret in one transaction.
package struct SealedColumns: Sendable {
    let database: BrokerDatabase

    package init(database: BrokerDatabase) { self.database = database }

    /// Opens every value with one secret and seals it with another.
    ///
    /// - Throws: ``StoreError`` when a value was sealed with a third secret; then nothing has changed.
    package func reseal(from old: Sealing, to new: Sealing) throws {
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
            try reseal("broker_identity", "agreement_sealed", key: "only") { _ in SealedIdentity.agreementPurpose }
            try reseal("broker_identity", "certificate_key_sealed", key: "only") { _ in
                SealedIdentity.certificatePurpose
            }
            try reseal("receipt_key", "key_sealed", key: "only") { _ in SealedIdentity.receiptPurpose }
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
    package func areSealed(with sealing: Sealing) throws -> Bool {
        try database.pool.read { db in try Self.areSealed(with: sealing, in: db) }
    }

    static func areSealed(with sealing: Sealing, in db: Database) throws -> Bool {
        guard let row = try Row.fetchOne(db, sql: "SELECT agreement_sealed FROM broker_identity") else { return true }
        return (try? sealing.open(row["agreement_sealed"], as: SealedIdentity.agreementPurpose)) != nil
    }
}

extension BrokerDatabase {
    /// Returns the sealing of the running broker: the secret in the broker's file, which is made now if it is missing. A
    /// database that was sealed with another secret before is sealed again with that one.
    ///
    /// - Parameters:
    ///   - file: nil to keep the sealing that the database has.
    ///   - before: the sealing that the database has had until now.
    /// - Throws: ``StoreError`` when the database was sealed with another secret.
    package func sealing(by file: SealingFile?, before: Sealing) throws(StoreError) -> Sealing {
        guard let file else { return before }
        let columns = SealedColumns(database: self)
        do {
            if let next = try file.interrupted(), try columns.areSealed(with: next) { try file.finish() }
            let sealing = try file.sealing() ?? file.make()
            guard try !columns.areSealed(with: sealing) else { return sealing }
            try columns.reseal(from: before, to: sealing)
            return sealing
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(message: "the broker's database cannot be sealed with the broker's secret: \(error)")
        }
    }
}
