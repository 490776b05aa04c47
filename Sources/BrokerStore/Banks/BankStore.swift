import GRDB
import JSON
import Messages

/// The banks that the phones can fetch from, as each phone last told.
package struct BankStore: Sendable {
    let database: BrokerDatabase

    static let tables = """
        CREATE TABLE device_banks (
            device TEXT NOT NULL,
            bank_id TEXT NOT NULL,
            name TEXT NOT NULL,
            PRIMARY KEY (device, bank_id)
        ) STRICT, WITHOUT ROWID;
        """

    /// Replaces the banks of one device.
    package func replace(_ list: BankList, of device: String) async throws {
        try await database.write { db in
            try db.execute(sql: "DELETE FROM device_banks WHERE device = ?", arguments: [device])
            for bank in list.banks {
                try db.execute(
                    sql: """
                        INSERT INTO device_banks (device, bank_id, name, offers_documents, kinds, accounts)
                        VALUES (?, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        device, bank.bankID, bank.name, bank.offersDocuments,
                        bank.kinds.map(\.rawValue).joined(separator: ","),
                        JSONValue.array(bank.accounts.map { .string($0.description) }).compactText(),
                    ])
            }
        }
    }

    /// Returns the banks of all devices that may still call, each once.
    package func banks() async throws -> BankList {
        try await database.read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT * FROM device_banks
                    WHERE device IN (SELECT id FROM devices WHERE removed_at IS NULL)
                        OR (device = ? AND (SELECT is_on FROM default_device) = 1)
                    ORDER BY bank_id, device
                    """, arguments: [DeviceStore.defaultDeviceName])
            return BankList(rows.compactMap(Self.bank))
        }
    }

    private static func bank(_ row: Row) -> OfferedBank? {
        let kinds = (row["kinds"] as String).split(separator: ",").compactMap { DocumentKind(rawValue: String($0)) }
        let accounts = try? JSONReader.read(Array((row["accounts"] as String).utf8)).arrayValue
        return OfferedBank(
            bankID: row["bank_id"], name: row["name"], offersDocuments: row["offers_documents"], kinds: kinds,
            accounts: accounts?.compactMap { $0.stringValue.flatMap { AccountAlias($0) } } ?? [])
    }
}
