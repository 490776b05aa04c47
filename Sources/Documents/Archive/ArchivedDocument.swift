import Clocks
import Encodings
import FileKinds
import GRDB

/// A document that the index knows.
package struct ArchivedDocument: Sendable, Hashable {
    /// The digest of the document as the bank sent it, lower-case hex.
    package let sha256: String
    /// The digest of the file in the archive. It is another one for an HTML page, which is kept without its scripts.
    package let keptSHA256: String
    /// The file's path below the archive's folder.
    package let path: String
    /// The size of the file in the archive.
    package let bytes: Int
    package let kind: FileKind
    package let bank: String
    package let account: String
    package let period: MonthYear?
    package let requestID: String?
    package let originalName: String?
    package let filedAt: Timestamp
    /// Why the document's text is not in the index; nil when it is.
    package let missingText: String?
    /// The oddities of a document that is whole, such as bookings that cannot be read; nil when nothing is.
    package let note: String?

    /// The first ten digits of the digest, which name the document in commands.
    package var id: String { String(sha256.prefix(10)) }

    package var json: JSONValue {
        [
            "id": .string(id), "sha256": .string(sha256), "kept_sha256": .string(keptSHA256), "path": .string(path),
            "bytes": .number(Double(bytes)), "kind": .string(kind.rawValue), "media_type": .string(kind.mediaType),
            "bank": .string(bank), "account": .string(account),
            "period": period.map { .string($0.description) } ?? .null,
            "request_id": requestID.map { .string($0) } ?? .null,
            "original_name": originalName.map { .string($0) } ?? .null, "filed_at": .string(filedAt.description),
            "missing_text": missingText.map { .string($0) } ?? .null,
            "note": note.map { .string($0) } ?? .null,
        ]
    }
}

extension ArchivedDocument: FetchableRecord {
    package init(row: Row) throws {
        guard let filedAt = Timestamp(row["filed_at"] as String) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a document's row cannot be read")
        }
        self.init(
            sha256: row["sha256"], keptSHA256: row["kept_sha256"], path: row["path"], bytes: row["bytes"],
            kind: .kept(row["kind"]), bank: row["bank"], account: row["account"],
            period: (row["period"] as String?).flatMap { MonthYear($0) },
            requestID: row["request_id"], originalName: row["original_name"], filedAt: filedAt,
            missingText: row["missing_text"], note: row["note"])
    }
}

/// Which documents to list or to search.
package struct DocumentFilter: Sendable, Hashable {
    package var bank: String?
    package var account: String?
    package var kind: FileKind?
    /// The first month. Documents of no month are then left out.
    package var from: MonthYear?
    /// The last month. Documents of no month are then left out.
    package var to: MonthYear?
    /// The most documents; nil for all.
    package var limit: Int?

    package init(
        bank: String? = nil, account: String? = nil, kind: FileKind? = nil, from: MonthYear? = nil,
        to: MonthYear? = nil, limit: Int? = nil
    ) {
        (self.bank, self.account, self.kind) = (bank, account, kind)
        (self.from, self.to, self.limit) = (from, to, limit)
    }
}

/// A document that has the words that were searched for.
package struct FoundDocument: Sendable, Hashable {
    package let document: ArchivedDocument
    /// Some words around the first place, with brackets around what was found. It is the bank's text.
    package let excerpt: String
}
