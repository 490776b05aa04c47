import Clocks
import Encodings
import Foundation
import GRDB
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

    static let listsTable = """
        -- The devices that have told of their banks, also those that have none.
        CREATE TABLE device_bank_lists (device TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID;
        INSERT INTO device_bank_lists SELECT DISTINCT device FROM device_banks;
        """

    static let consentsTable = """
        ALTER TABLE device_banks ADD COLUMN consent TEXT;
        -- How far a consent had come when the owner was told of it last.
        CREATE TABLE told_consents (
            device TEXT NOT NULL,
            bank_id TEXT NOT NULL,
            told TEXT NOT NULL,
            PRIMARY KEY (device, bank_id)
        ) STRICT, WITHOUT ROWID;
        """

    /// Replaces the banks of one device.
    package func replace(_ list: BankList, of device: String) async throws {
        try await database.write { db in
            try db.execute(sql: "INSERT OR IGNORE INTO device_bank_lists VALUES (?)", arguments: [device])
            try db.execute(sql: "DELETE FROM device_banks WHERE device = ?", arguments: [device])
            for bank in list.banks {
                try db.execute(
                    sql: """
                        INSERT INTO device_banks (device, bank_id, name, offers_documents, kinds, accounts, offers_days,
                            consent)
                        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        device, bank.bankID, bank.name, bank.offersDocuments,
                        bank.kinds.map(\.rawValue).joined(separator: ","),
                        JSONValue.array(bank.accounts.map { .string($0.description) }).compactText(),
                        bank.offersDays, bank.consent?.json.compactText(),
                    ])
            }
        }
    }

    /// Returns what the devices that may still call have told of their banks.
    ///
    /// - Parameter hasDefaultDevice: whether the broker's configuration has the default device.
    package func known(withDefaultDevice hasDefaultDevice: Bool) async throws -> KnownBanks {
        let known = try await database.read { db in try Self.knownBanks(in: db) }
        guard !hasDefaultDevice else { return known }
        return KnownBanks(devices: known.devices.filter { $0.name != DeviceStore.defaultDeviceName })
    }

    /// A consent whose end is near or over, and of which the owner has not been told since it came so far.
    package struct UntoldConsent: Sendable, Hashable {
        /// The device that told of it.
        package let device: String
        package let bankID: String
        package let consent: BankConsent
        /// The stage and the end, by which it counts as another one.
        let progress: String
    }

    /// Returns the consents of which the owner is to be told.
    ///
    /// - Parameter hasDefaultDevice: whether the broker's configuration has the default device.
    package func untoldConsents(withDefaultDevice hasDefaultDevice: Bool, at now: Date) async throws -> [UntoldConsent]
    {
        let due = try await known(withDefaultDevice: hasDefaultDevice).devices.flatMap { device in
            (device.banks ?? []).compactMap { bank -> UntoldConsent? in
                guard let consent = bank.consent, consent.stage(at: now) != .running else { return nil }
                // An end that was foreseen is not told again when the interface refuses the consent, too.
                let end = consent.endsAt ?? consent.endedAt
                return UntoldConsent(
                    device: device.name, bankID: bank.bankID, consent: consent,
                    progress: "\(consent.stage(at: now).rawValue) \(end.map { Timestamp($0).description } ?? "")")
            }
        }
        guard !due.isEmpty else { return [] }
        let told = try await database.read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT device, bank_id, told FROM told_consents")
            return Set(rows.map { [$0["device"] as String, $0["bank_id"], $0["told"]] })
        }
        return due.filter { !told.contains([$0.device, $0.bankID, $0.progress]) }
    }

    /// Counts a consent as told from now on.
    package func markTold(_ consent: UntoldConsent) async throws {
        try await database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO told_consents VALUES (?, ?, ?)
                    ON CONFLICT (device, bank_id) DO UPDATE SET told = excluded.told
                    """, arguments: [consent.device, consent.bankID, consent.progress])
        }
    }

    static func knownBanks(in db: Database) throws -> KnownBanks {
        let devices = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT id, public_key, id IN (SELECT device FROM device_bank_lists) AS has_told
                    FROM devices WHERE removed_at IS NULL
                    UNION ALL
                    SELECT ?1, NULL, ?1 IN (SELECT device FROM device_bank_lists)
                    FROM default_device WHERE is_on = 1
                    ORDER BY 1
                    """), arguments: [DeviceStore.defaultDeviceName])
        let rows = try Row.fetchAll(db.cachedStatement(sql: "SELECT * FROM device_banks ORDER BY bank_id"))
        let banks = Dictionary(grouping: rows) { $0["device"] as String }
        return KnownBanks(
            devices: devices.map { row in
                let name = row["id"] as String
                return KnownBanks.Device(
                    name: name, publicKey: row["public_key"],
                    banks: row["has_told"] ? (banks[name] ?? []).compactMap(Self.bank) : nil)
            })
    }

    private static func bank(_ row: Row) -> OfferedBank? {
        let kinds = (row["kinds"] as String).split(separator: ",").compactMap { DocumentKind(rawValue: String($0)) }
        let accounts = try? JSONReader.read(Array((row["accounts"] as String).utf8)).arrayValue
        return OfferedBank(
            bankID: row["bank_id"], name: row["name"], offersDocuments: row["offers_documents"], kinds: kinds,
            accounts: accounts?.compactMap { $0.stringValue.flatMap { AccountAlias($0) } } ?? [],
            offersDays: row["offers_days"],
            consent: (row["consent"] as String?).flatMap { text in
                (try? JSONReader.read(Array(text.utf8))).flatMap { try? BankConsent(json: $0) }
            })
    }
}
