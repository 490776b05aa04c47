import FileKinds
import Foundation
import GRDB
import Machine
import Storage

/// The index of an archive: its documents, and their text for searching (SQLite, FTS5).
///
/// It is only an index: the documents are the files, and ``DocumentArchive/rebuild()`` makes it again from them.
struct ArchiveIndex: Sendable {
    private let pool: DatabasePool

    /// Opens the index, or makes it.
    ///
    /// - Throws: ``ArchiveError`` when the file is not an index.
    init(_ file: URL) throws(ArchiveError) {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.maximumReaderCount = 2
        do {
            pool = try DatabasePool.durable(file.path, configuration)
            try ArchiveSchema.migrator.migrateUnlessNewer(pool)
        } catch let error as NewerDatabaseError {
            throw ArchiveError(
                .unusable, "\(error); or move it away and run countersign archive rebuild")
        } catch let error as FileError {
            // The disk is at fault, and a new index would not be written either.
            throw ArchiveError(.unusable, "the archive's index cannot be used: \(error)")
        } catch {
            throw ArchiveError(
                .unusable,
                "\(file.path) cannot be used as an archive's index: \(error); move it away and run countersign archive rebuild"
            )
        }
    }

    func close() { try? pool.close() }

    // MARK: Looking up

    /// True when it knows no document.
    var isEmpty: Bool {
        get throws {
            try pool.read { db in try Bool.fetchOne(db, sql: "SELECT NOT EXISTS (SELECT 1 FROM documents)") ?? true }
        }
    }

    /// True when a rebuild has said that the folder's documents are all of the archive's, also when the folder has none.
    var isRebuilt: Bool {
        get throws { try pool.read { db in try Int.fetchOne(db, sql: "PRAGMA user_version") == 1 } }
    }

    func noteRebuild() throws {
        try pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA user_version = 1") }
    }

    /// Returns the document with this digest, of the bank's bytes or of the kept ones.
    func document(withDigest digest: String) throws -> ArchivedDocument? {
        try pool.read { db in
            try ArchivedDocument.fetchOne(
                db, sql: "SELECT * FROM documents WHERE sha256 = :digest OR kept_sha256 = :digest LIMIT 1",
                arguments: ["digest": digest])
        }
    }

    func document(atPath path: String) throws -> ArchivedDocument? {
        try pool.read { db in
            try ArchivedDocument.fetchOne(db, sql: "SELECT * FROM documents WHERE path = ?", arguments: [path])
        }
    }

    /// Returns the documents whose digest begins so, at most two: one, or more than one.
    func documents(withDigestPrefix prefix: String) throws -> [ArchivedDocument] {
        try pool.read { db in
            try ArchivedDocument.fetchAll(
                db, sql: "SELECT * FROM documents WHERE sha256 >= ? AND sha256 < ? LIMIT 2",
                arguments: [prefix, prefix + "g"])
        }
    }

    /// Returns the documents by bank, account and month.
    func documents(_ filter: DocumentFilter) throws -> [ArchivedDocument] {
        let (conditions, arguments) = Self.conditions(filter)
        return try pool.read { db in
            try ArchivedDocument.fetchAll(
                db,
                sql: """
                    SELECT * FROM documents AS d WHERE \(conditions)
                    ORDER BY bank, account, period, kind, path LIMIT ?
                    """, arguments: arguments + [filter.limit ?? -1])
        }
    }

    /// Calls `body` with each document in the order of the paths, without holding all in memory.
    func visit(_ body: (ArchivedDocument) throws -> Void) throws {
        try pool.read { db in
            let all = try ArchivedDocument.fetchCursor(db, sql: "SELECT * FROM documents ORDER BY path")
            while let document = try all.next() { try body(document) }
        }
    }

    /// Returns the documents that have all the words, the last filed first.
    func find(_ words: SearchText, _ filter: DocumentFilter) throws -> [FoundDocument] {
        let (conditions, arguments) = Self.conditions(filter)
        return try pool.read { db in
            // CROSS JOIN keeps the order of the tables: the words narrow more than a bank or a year, and the newest
            // row comes first without sorting.
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT d.*, snippet(texts, 1, '[', ']', '…', 12) AS excerpt
                    FROM texts CROSS JOIN documents AS d ON d.id = texts.rowid
                    WHERE texts MATCH ? AND \(conditions) ORDER BY texts.rowid DESC LIMIT ?
                    """, arguments: [words.expression] + arguments + [filter.limit ?? -1])
            var found: [FoundDocument] = []
            while let row = try rows.next() {
                found.append(FoundDocument(document: try ArchivedDocument(row: row), excerpt: row["excerpt"]))
            }
            return found
        }
    }

    private static func conditions(_ filter: DocumentFilter) -> (String, StatementArguments) {
        var conditions = ["TRUE"]
        var arguments: StatementArguments = []
        func add(_ condition: String, _ value: String?) {
            guard let value else { return }
            conditions.append(condition)
            arguments += [value]
        }
        add("d.bank = ?", filter.bank)
        add("d.account = ?", filter.account)
        add("d.kind = ?", filter.kind?.rawValue)
        add("d.period >= ?", filter.from?.description)
        add("d.period <= ?", filter.to?.description)
        return (conditions.joined(separator: " AND "), arguments)
    }

    // MARK: Changing

    /// Adds documents with their texts, in one transaction.
    func add(_ documents: [(ArchivedDocument, text: String)]) throws {
        try pool.write { db in
            for (document, text) in documents {
                try db.execute(
                    sql: """
                        INSERT INTO documents (sha256, kept_sha256, path, bytes, kind, bank, account, period, request_id,
                            original_name, filed_at, missing_text, note)
                        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        document.sha256, document.keptSHA256, document.path, document.bytes, document.kind.rawValue,
                        document.bank, document.account, document.period?.description, document.requestID,
                        document.originalName, document.filedAt.description, document.missingText, document.note,
                    ])
                try db.execute(
                    sql: "INSERT INTO texts (rowid, name, text) VALUES (?, ?, ?)",
                    arguments: [db.lastInsertedRowID, Self.name(of: document), text])
            }
        }
    }

    /// The words about a document that are searched beside its text.
    private static func name(of document: ArchivedDocument) -> String {
        [
            document.bank, document.account, document.period?.description, document.kind.rawValue, document.path,
            document.originalName,
        ].compactMap(\.self).joined(separator: " ")
    }

    func setPath(_ path: String, ofDigest digest: String) throws {
        try pool.write { db in
            try db.execute(sql: "UPDATE documents SET path = ? WHERE sha256 = ?", arguments: [path, digest])
        }
    }

    /// Removes a document with its text, from the files too.
    func remove(digest: String) throws {
        try pool.write { db in
            try db.execute(
                sql: "DELETE FROM texts WHERE rowid = (SELECT id FROM documents WHERE sha256 = ?)", arguments: [digest])
            try db.execute(sql: "DELETE FROM documents WHERE sha256 = ?", arguments: [digest])
            // A deleted text's words stay in the index of words until its parts are merged (SQLite, FTS5, section 6.8).
            try db.execute(sql: "INSERT INTO texts(texts) VALUES ('optimize')")
        }
        // Another process may be reading; the next removal erases what this one leaves in the log.
        try? pool.eraseDeleted()
    }
}
