import Foundation
import GRDB
import Machine

/// The driver for SQLite, in WAL mode with `synchronous=FULL`. Deleted rows are overwritten (`secure_delete`).
package final class SQLiteDatabase: SQLDatabase {
    package let dialect = SQLDialect.sqlite
    private let pool: DatabasePool

    /// Opens the file, and makes it with mode 0600 if it is absent.
    ///
    /// - Throws: `FileError`, ``AssistantStoreError``.
    package init(_ file: URL) throws {
        try PrivateFolder.make(file.deletingLastPathComponent())
        try Self.makeFile(file.path)
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.foreignKeysEnabled = true
        configuration.maximumReaderCount = 8
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA secure_delete = ON")
            if !db.configuration.readonly { try db.execute(sql: "PRAGMA synchronous = FULL") }
        }
        do {
            pool = try Self.open(file.path, configuration)
        } catch let error as DatabaseError {
            throw AssistantStoreError(error)
        }
    }

    /// Makes the file without ever opening one that is there: a process that closes any descriptor of a file loses all
    /// locks that SQLite holds on it ("How To Corrupt An SQLite Database File", section 2.2).
    private static func makeFile(_ path: String) throws(FileError) {
        let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor >= 0 {
            Foundation.close(descriptor)
            return
        }
        guard errno == EEXIST else { throw FileError("made", path) }
        var status = stat()
        guard lstat(path, &status) == 0 else { throw FileError("opened", path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw FileError("opened", path, ELOOP) }
    }

    /// Opens the file. The change to WAL mode fails at once while another process makes it too, without the time to wait
    /// that other statements have, so it is tried again for five seconds.
    private static func open(_ path: String, _ configuration: Configuration) throws -> DatabasePool {
        let end = ContinuousClock.now + .seconds(5)
        while true {
            do {
                return try DatabasePool(path: path, configuration: configuration)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && ContinuousClock.now < end {
                usleep(20_000)
            }
        }
    }

    package func transaction<Value: Sendable>(
        _ mode: SQLTransactionMode, _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        do {
            switch mode {
            case .reading: return try await pool.read { try body(SQLiteSession(database: $0)) }
            case .writing: return try await pool.write { try body(SQLiteSession(database: $0)) }
            }
        } catch let error as DatabaseError {
            throw AssistantStoreError(error)
        }
    }

    /// Deletion overwrites rows in the file (`secure_delete`), but earlier versions of their pages stay in the write-ahead
    /// log until it begins anew. This copies the log into the file and empties it.
    package func eraseDeleted() async throws {
        do {
            _ = try await pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        } catch let error as DatabaseError {
            throw AssistantStoreError(error)
        }
    }

    package func close() async {
        // A reader of another process may hold the log; it then stays until that one closes.
        _ = try? await pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try? pool.close()
    }
}

private struct SQLiteSession: SQLSession {
    let dialect = SQLDialect.sqlite
    let database: Database

    func rows(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow] {
        let rows = try Row.fetchAll(statement(sql), arguments: bound(arguments))
        return rows.map { row in
            SQLRow(
                Dictionary(
                    zip(row.columnNames, row.databaseValues).map { ($0, Self.cell($1)) }, uniquingKeysWith: { $1 }))
        }
    }

    func change(_ sql: String, _ arguments: [SQLValue]) throws -> Int {
        try statement(sql).execute(arguments: bound(arguments))
        return database.changesCount
    }

    func runScript(_ sql: String) throws { try database.execute(sql: sql) }

    /// SQLite numbers its parameters with `?1`, PostgreSQL with `$1`.
    private func statement(_ sql: String) throws -> Statement {
        try database.cachedStatement(sql: sql.replacing("$", with: "?"))
    }

    private func bound(_ arguments: [SQLValue]) throws -> StatementArguments {
        try StatementArguments(
            arguments.map { argument -> (any DatabaseValueConvertible)? in
                switch argument {
                case .null: nil
                case .integer(let number): number
                case .bool(let bool): bool ? 1 : 0
                case .bytes(let bytes): Data(bytes)
                default: try argument.storableText
                }
            })
    }

    private static func cell(_ value: DatabaseValue) -> SQLRow.Cell {
        switch value.storage {
        case .null: .null
        case .int64(let number): .integer(Int(number))
        case .double(let number): .text(String(number))
        case .string(let text): .text(text)
        case .blob(let data): .bytes(Array(data))
        }
    }
}

extension SQLValue {
    /// The text for the database. PostgreSQL's texts cannot hold U+0000, so neither database gets one.
    var storableText: String {
        get throws(AssistantStoreError) {
            let text = portableText ?? ""
            switch self {
            case .uuid, .time: return text
            default: break
            }
            // Few texts have a backslash, and the search for more than that takes longer than the statement.
            guard !text.utf8.contains(0), !text.utf8.contains(UInt8(ascii: "\\")) || !text.contains(#"\u0000"#) else {
                throw AssistantStoreError(.unstorable, "a text with the character U+0000 cannot be stored")
            }
            return text
        }
    }
}

extension AssistantStoreError {
    fileprivate init(_ error: DatabaseError) {
        let code: Code =
            switch error.resultCode {
            case .SQLITE_CONSTRAINT: .conflict
            case .SQLITE_BUSY, .SQLITE_LOCKED: .tooSlow
            case .SQLITE_FULL: .full
            case .SQLITE_READONLY: .readOnly
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: .damaged
            case .SQLITE_CANTOPEN, .SQLITE_IOERR: .unavailable
            default: .other
            }
        // GRDB's own description can show the values of a statement.
        self.init(code, "SQLite: \(error.message ?? "error \(error.resultCode)")")
    }
}
