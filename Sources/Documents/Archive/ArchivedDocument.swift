import Clocks
import Encodings
import FileKinds
import GRDB

/// A document that the index knows.
public struct ArchivedDocument: Sendable, Hashable {
    /// The digest of the document as the bank sent it, lower-case hex.
    public let sha256: String
    /// The digest of the file in the archive. It is another one for an HTML page, which is kept without its scripts.
    public let keptSHA256: String
    /// The file's path below the archive's folder.
    public let path: String
    /// The size of the file in the archive.
    public let bytes: Int
    public let kind: FileKind
    public let bank: String
    public let account: String
    public let period: MonthYear?
    public let requestID: String?
    public let originalName: String?
    public let filedAt: Timestamp
    /// Why the document's text is not in the index; nil when it is.
    public let missingText: String?
    /// The oddities of a document that is whole, such as bookings that cannot be read; nil when nothing is.
    public let note: String?

    /// The first ten digits of the digest, which name the document in commands.
    public var id: String { String(sha256.prefix(10)) }

    public var json: JSONValue {
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
    public init(row: Row) throws {
        guard let kind = FileKind(rawValue: row["kind"]), let filedAt = Timestamp(row["filed_at"] as String) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a document's row cannot be read")
        }
        self.init(
            sha256: row["sha256"], keptSHA256: row["kept_sha256"], path: row["path"], bytes: row["bytes"], kind: kind,
            bank: row["bank"], account: row["account"], period: (row["period"] as String?).flatMap { MonthYear($0) },
            requestID: row["request_id"], originalName: row["original_name"], filedAt: filedAt,
            missingText: row["missing_text"], note: row["note"])
    }
}

/// Which documents to list or to search.
public struct DocumentFilter: Sendable, Hashable {
    public var bank: String?
    public var account: String?
    public var kind: FileKind?
    /// The first month. Documents of no month are then left out.
    public var from: MonthYear?
    /// The last month. Documents of no month are then left out.
    public var to: MonthYear?
    /// The most documents; nil for all.
    public var limit: Int?

    public init(
        bank: String? = nil, account: String? = nil, kind: FileKind? = nil, from: MonthYear? = nil,
        to: MonthYear? = nil, limit: Int? = nil
    ) {
        (self.bank, self.account, self.kind) = (bank, account, kind)
        (self.from, self.to, self.limit) = (from, to, limit)
    }
}

/// A document that has the words that were searched for.
public struct FoundDocument: Sendable, Hashable {
    public let document: ArchivedDocument
    /// Some words around the first place, with brackets around what was found. It is the bank's text.
    public let excerpt: String
}
