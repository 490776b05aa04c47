import Clocks
import Foundation
import GRDB
import Messages

/// A document that this phone has delivered.
package struct ReceivedDocument: Sendable, Hashable {
    /// The name of a request's one statement, which has no ``DocumentID``.
    package static let statement = "statement"

    package let requestID: RequestID
    /// The document's ``DocumentID``, or ``statement``.
    package let name: String
    package let bankID: String
    /// Its account, month and kind.
    package let place: DocumentPlace
    /// Lower-case hex.
    package let sha256: String
    package let receivedAt: Date
    /// True while the phone has an encrypted copy.
    package let isKept: Bool

    package init(
        requestID: RequestID, name: String, bankID: String, place: DocumentPlace, sha256: String, receivedAt: Date,
        isKept: Bool
    ) {
        self.requestID = requestID
        self.name = name
        self.bankID = bankID
        self.place = place
        self.sha256 = sha256
        self.receivedAt = receivedAt
        self.isKept = isKept
    }

    init?(row: Row) {
        guard let id = RequestID(row["request_id"] as String),
            let period = MonthYear(month: row["month"], year: row["year"]),
            let time = StoreTime.date(row["received_at"])
        else { return nil }
        let account = (row["account"] as String?).flatMap(AccountAlias.init)
        var days: ClosedRange<Int>?
        if let first = row["first_day"] as Int?, let last = row["last_day"] as Int?, first <= last {
            days = first...last
        }
        self.init(
            requestID: id, name: row["name"], bankID: row["bank_id"],
            place: DocumentPlace(
                account: account, period: period, kind: .kept(row["kind"]), days: days,
                part: min(max(row["part"] ?? 1, 1), DocumentPlace.mostParts)), sha256: row["sha256"],
            receivedAt: time, isKept: row["is_kept"])
    }
}

extension PhoneDatabase {
    /// The statements that an earlier version delivered are taken over; it kept no copies.
    static let receivedDocuments = """
        CREATE TABLE received_documents (
            request_id TEXT NOT NULL,
            name TEXT NOT NULL,
            bank_id TEXT NOT NULL,
            account TEXT,
            year INTEGER NOT NULL,
            month INTEGER NOT NULL,
            kind TEXT NOT NULL,
            sha256 TEXT NOT NULL,
            received_at TEXT NOT NULL,
            is_kept INTEGER NOT NULL,
            PRIMARY KEY (request_id, name)
        );
        CREATE INDEX received_documents_by_period ON received_documents (year, month);
        INSERT INTO received_documents
        SELECT id, 'statement', bank_id, NULL, json_extract(parameters_json, '$.year'),
            json_extract(parameters_json, '$.month'), 'pdf', sha256, completed_at, 0
        FROM requests JOIN statements ON request_id = id
        WHERE request_type = 'statement' AND status = 'COMPLETED' AND completed_at IS NOT NULL;

        CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
        """

    package func remember(_ document: ReceivedDocument) async throws {
        try await database.write {
            try $0.execute(
                sql: "INSERT OR REPLACE INTO received_documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                arguments: [
                    document.requestID.description, document.name, document.bankID,
                    document.place.account?.description, document.place.period.year, document.place.period.month,
                    document.place.kind.rawValue, document.sha256, StoreTime.text(document.receivedAt),
                    document.isKept, document.place.days?.lowerBound, document.place.days?.upperBound,
                    document.place.part,
                ])
        }
    }

    /// Returns the delivered documents, the latest month first.
    ///
    /// - Parameters:
    ///   - bankID: of one bank only; nil for all.
    ///   - year: of one year only; nil for all.
    package func receivedDocuments(
        ofBank bankID: String? = nil, year: Int? = nil, limit: Int = 1000
    ) async throws -> [ReceivedDocument] {
        try await database.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT * FROM received_documents WHERE bank_id = coalesce(?, bank_id) AND year = coalesce(?, year)
                    ORDER BY year DESC, month DESC, bank_id, account, received_at DESC, part LIMIT ?
                    """, arguments: [bankID, year, limit]
            ).compactMap(ReceivedDocument.init(row:))
        }
    }

    package func receivedDocument(_ name: String, of id: RequestID) async throws -> ReceivedDocument? {
        try await database.read { database in
            try Row.fetchOne(
                database, sql: "SELECT * FROM received_documents WHERE request_id = ? AND name = ?",
                arguments: [id.description, name]
            ).flatMap(ReceivedDocument.init(row:))
        }
    }

    /// Notes that no copies are kept any more.
    package func forgetCopies() async throws {
        try await database.write { try $0.execute(sql: "UPDATE received_documents SET is_kept = 0") }
    }

    // MARK: The choice

    private static let keepsCopies = "keeps_copies"

    /// Returns whether the owner wants this phone to keep encrypted copies. It keeps none unless told to.
    package func keepsCopies() async throws -> Bool {
        try await database.read {
            try String.fetchOne($0, sql: "SELECT value FROM settings WHERE name = ?", arguments: [Self.keepsCopies])
        } == "yes"
    }

    package func setKeepsCopies(_ keeps: Bool) async throws {
        try await database.write {
            try $0.execute(
                sql: "INSERT OR REPLACE INTO settings VALUES (?, ?)",
                arguments: [Self.keepsCopies, keeps ? "yes" : "no"])
        }
    }
}
