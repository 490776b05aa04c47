import BankScript
import Foundation
import GRDB
import Messages
import Storage

/// The owner's consent that a bank's interface answers, as far as it is known.
package struct StoredConsent: Sendable, Hashable {
    package var bankID: String
    /// The end that the interface named; nil where it names none.
    package var endsAt: Date?
    /// The moment at which the interface took it no more; nil while it does.
    package var endedAt: Date?
    /// True where the owner renews it with a yes at the bank's page; false where it is part of the credentials.
    package var needsOwner: Bool

    package init(bankID: String, endsAt: Date? = nil, endedAt: Date? = nil, needsOwner: Bool = true) {
        self.bankID = bankID
        self.endsAt = endsAt
        self.endedAt = endedAt
        self.needsOwner = needsOwner
    }
}

extension PhoneDatabase {
    static let consents = """
        CREATE TABLE consents (bank_id TEXT PRIMARY KEY, ends_at TEXT, ended_at TEXT);
        CREATE TABLE counted_requests (bank_id TEXT NOT NULL, made_at REAL NOT NULL);
        CREATE INDEX counted_requests_by_bank ON counted_requests (bank_id, made_at);
        """

    /// Returns the consents that are known, in the order of their banks.
    package func storedConsents() async throws -> [StoredConsent] {
        try await database.read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM consents ORDER BY bank_id").map { row in
                StoredConsent(
                    bankID: row["bank_id"], endsAt: (row["ends_at"] as String?).flatMap(StoreTime.date),
                    endedAt: (row["ended_at"] as String?).flatMap(StoreTime.date), needsOwner: row["needs_owner"])
            }
        }
    }

    /// Keeps what is known of the consent at a bank in place of what was before. Its owner is told once of an end, also where the
    /// bank's word comes after the day that it had named.
    package func store(_ consent: StoredConsent) async throws {
        try await database.write { database in
            try database.execute(
                sql: """
                    INSERT INTO consents (bank_id, ends_at, ended_at, needs_owner) VALUES (:bank, :ends, :ended, :owner)
                    ON CONFLICT (bank_id) DO UPDATE SET
                        told = CASE WHEN ends_at IS excluded.ends_at AND (ended_at IS excluded.ended_at
                            OR excluded.ended_at IS NOT NULL AND told = :told) THEN told END,
                        ends_at = excluded.ends_at, ended_at = excluded.ended_at, needs_owner = excluded.needs_owner
                    """,
                arguments: [
                    "bank": consent.bankID, "ends": consent.endsAt.map(StoreTime.text),
                    "ended": consent.endedAt.map(StoreTime.text), "owner": consent.needsOwner,
                    "told": BankConsent.Stage.ended.rawValue,
                ])
        }
    }

    /// Returns the consents whose end is near or over, and of which the owner was not told since they came so far. They count as
    /// told from then on.
    package func consentsToTell(at now: Date) async throws -> [StoredConsent] {
        let due = try await storedConsents().filter { $0.stage(at: now) != .running }
        guard !due.isEmpty else { return [] }
        return try await database.write { database in
            try due.filter { consent in
                try database.execute(
                    sql: "UPDATE consents SET told = :stage WHERE bank_id = :bank AND told IS NOT :stage",
                    arguments: ["stage": consent.stage(at: now).rawValue, "bank": consent.bankID])
                return database.changesCount > 0
            }
        }
    }

    package func forgetConsent(atBank bankID: String) async throws {
        try await database.write { database in
            try database.execute(sql: "DELETE FROM consents WHERE bank_id = ?", arguments: [bankID])
        }
    }

    /// Counts one request to a bank, if fewer than `limit` were counted in the 24 hours before. A clock that was set back
    /// loses none: what lies ahead counts too.
    ///
    /// - Returns: nil where the request may leave; else the moment from which it may.
    package func countRequest(toBank bankID: String, limit: Int, at now: Date) async throws -> Date? {
        let day: TimeInterval = 86_400
        let moment = now.timeIntervalSince1970
        return try await database.write { database in
            try database.execute(
                sql: "DELETE FROM counted_requests WHERE bank_id = ? AND made_at <= ?",
                arguments: [bankID, moment - day])
            // The one whose day has to end before there are fewer than the limit.
            let blocking = try Double.fetchOne(
                database,
                sql: "SELECT made_at FROM counted_requests WHERE bank_id = ? ORDER BY made_at DESC LIMIT 1 OFFSET ?",
                arguments: [bankID, limit - 1])
            if let blocking { return Date(timeIntervalSince1970: blocking + day) }
            try database.execute(
                sql: "INSERT INTO counted_requests (bank_id, made_at) VALUES (?, ?)", arguments: [bankID, moment])
            return nil
        }
    }

    /// Takes a turn in the line of requests to a bank that wants time between any two. The turn taken last is all that is kept.
    ///
    /// - Returns: the moment at which the request may leave.
    package func takeTurn(atBank bankID: String, gap: Duration, at now: Date) async throws -> Date {
        try await database.write { database in
            let latest = try Double.fetchOne(
                database, sql: "SELECT MAX(made_at) FROM counted_requests WHERE bank_id = ?", arguments: [bankID])
            let turn = RequestBudget.turn(after: latest.map(Date.init(timeIntervalSince1970:)), gap: gap, at: now)
            try database.execute(sql: "DELETE FROM counted_requests WHERE bank_id = ?", arguments: [bankID])
            try database.execute(
                sql: "INSERT INTO counted_requests (bank_id, made_at) VALUES (?, ?)",
                arguments: [bankID, turn.timeIntervalSince1970])
            return turn
        }
    }
}
