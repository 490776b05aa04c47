import Clocks
import Encodings
import Foundation
import GRDB
import Messages

/// One of the documents of a request, as the database holds it.
package struct RequestDocument: Sendable, Hashable, FetchableRecord {
    static let tables = """
        CREATE TABLE request_documents (
            request_id TEXT NOT NULL REFERENCES pending_requests (id),
            number INTEGER NOT NULL,
            document_id TEXT NOT NULL,
            period TEXT NOT NULL,
            kind TEXT NOT NULL,
            -- Not part of the envelope: the agent had the document already.
            was_there INTEGER NOT NULL DEFAULT 0,
            file_path TEXT,
            sha256 TEXT,
            bytes INTEGER,
            nonce TEXT UNIQUE,
            manifest_json TEXT,
            error_code TEXT,
            phone_says TEXT,
            PRIMARY KEY (request_id, document_id)
        ) STRICT;
        CREATE INDEX request_documents_by_document ON request_documents (document_id) WHERE file_path IS NOT NULL;
        CREATE TABLE closing_manifests (
            request_id TEXT PRIMARY KEY NOT NULL REFERENCES pending_requests (id),
            nonce TEXT NOT NULL UNIQUE,
            manifest_json TEXT NOT NULL,
            verified_at TEXT NOT NULL
        ) STRICT;
        ALTER TABLE device_banks ADD COLUMN offers_documents INTEGER NOT NULL DEFAULT 0;
        """

    static let accountsOfDocuments = """
        ALTER TABLE request_documents ADD COLUMN account TEXT;
        -- Comma-separated kinds; aliases of accounts as a JSON array.
        ALTER TABLE device_banks ADD COLUMN kinds TEXT NOT NULL DEFAULT 'pdf';
        ALTER TABLE device_banks ADD COLUMN accounts TEXT NOT NULL DEFAULT '[]';
        """

    static let daysOfDocuments = """
        -- The days of the month, such as 15-31; NULL for the whole month.
        ALTER TABLE request_documents ADD COLUMN days TEXT;
        ALTER TABLE device_banks ADD COLUMN offers_days INTEGER NOT NULL DEFAULT 0;
        """

    static let partsOfDocuments = """
        -- The number of the document among those that the bank has for the same place. A request asks for the first.
        ALTER TABLE request_documents ADD COLUMN part INTEGER NOT NULL DEFAULT 1;
        """

    package let id: DocumentID
    package let place: DocumentPlace
    package let wasThere: Bool
    package let filePath: String?
    package let sha256: String?
    package let bytes: Int?
    package let nonce: Nonce?
    package let errorCode: String?
    /// The phone's words about its failure, which may quote the bank's page.
    package let phoneSays: String?

    package init(row: Row) throws {
        guard let id = DocumentID(row["document_id"] as String), let place = DocumentPlace(row: row)
        else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a document's row cannot be read") }
        self.id = id
        self.place = place
        wasThere = row["was_there"]
        filePath = row["file_path"]
        sha256 = row["sha256"]
        bytes = row["bytes"]
        nonce = (row["nonce"] as String?).flatMap(Nonce.init)
        errorCode = row["error_code"]
        phoneSays = row["phone_says"]
    }
}

extension RequestDocument {
    /// The text of the column `days`.
    static func text(of days: ClosedRange<Int>?) -> String? { days.map { "\($0.lowerBound)-\($0.upperBound)" } }

    /// True for a document that the request asked for; false for a further one of the same place.
    package var isAsked: Bool { place.part == 1 }

    package var account: AccountAlias? { place.account }
    package var period: MonthYear { place.period }
    package var kind: DocumentKind { place.kind }
}

extension DocumentPlace {
    /// Reads the columns `account`, `period`, `kind`, `days` and `part`; nil without a month.
    init?(row: Row) {
        guard let period = MonthYear(row["period"] as String) else { return nil }
        self.init(
            account: (row["account"] as String?).flatMap(AccountAlias.init), period: period, kind: .kept(row["kind"]),
            days: Self.days(row["days"]), part: min(max((row["part"] as Int?) ?? 1, 1), Self.mostParts))
    }

    private static func days(_ text: String?) -> ClosedRange<Int>? {
        let parts = text?.split(separator: "-").compactMap { Int($0) } ?? []
        return parts.count == 2 && parts[0] <= parts[1] ? parts[0]...parts[1] : nil
    }
}

/// A document of an agent's request, before it is stored.
package struct WantedDocument: Sendable, Hashable {
    package let item: DocumentSelection.Item
    /// The same document from an earlier request of the agent; nil where it has to be fetched.
    package let earlier: RequestDocument?

    package init(_ item: DocumentSelection.Item, earlier: RequestDocument?) {
        self.item = item
        self.earlier = earlier
    }
}
