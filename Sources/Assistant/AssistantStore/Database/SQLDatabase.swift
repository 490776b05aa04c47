import Foundation

/// A database that runs transactions: SQLite or PostgreSQL. The stores write one SQL for both, with `$1`, `$2` for
/// values and `RETURNING` for what a change has touched.
package protocol SQLDatabase: Sendable {
    var dialect: SQLDialect { get }

    /// Runs `body` in one transaction, which commits when it returns and rolls back when it throws.
    ///
    /// - Parameter mode: a transaction that only reads does not wait for one that writes.
    /// - Throws: ``AssistantStoreError``, or what `body` throws.
    func transaction<Value: Sendable>(
        _ mode: SQLTransactionMode, _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value

    /// Takes deleted rows out of the database's files, as far as the database lets its users decide that.
    ///
    /// - Throws: ``AssistantStoreError`` with `tooSlow` while another connection still reads what was before.
    func eraseDeleted() async throws

    /// Closes every connection. SQLite's write-ahead log is emptied first.
    func close() async
}

package enum SQLTransactionMode: Sendable, Hashable {
    case reading
    case writing
}

/// One transaction. It must not be used after the body of the transaction has returned.
package protocol SQLSession {
    var dialect: SQLDialect { get }

    /// Runs a statement and returns its rows.
    func rows(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow]

    /// Runs a statement and returns the number of rows that it changed.
    func change(_ sql: String, _ arguments: [SQLValue]) throws -> Int

    /// Runs statements without values, such as a migration's.
    func runScript(_ sql: String) throws
}

extension SQLSession {
    package func row(_ sql: String, _ arguments: [SQLValue]) throws -> SQLRow? { try rows(sql, arguments).first }

    /// Returns the time that counts in this transaction: a given one, or the database's own.
    func time(_ given: Date?) throws -> Date {
        if let given { return given }
        guard let row = try row(dialect.timeQuery, []) else {
            throw AssistantStoreError(.damaged, "the database does not tell its time")
        }
        return try row.time("time")
    }
}

/// The few places where the two databases' SQL differs.
package enum SQLDialect: Sendable, Hashable {
    case sqlite
    case postgres

    /// Skips rows that another worker's transaction holds. SQLite has one writer at a time, so it needs no lock.
    var skippingLocked: String { self == .postgres ? "FOR UPDATE SKIP LOCKED" : "" }

    /// Keeps other transactions from changing the rows that are read, until this one ends. SQLite has one writer at a time.
    var keepingUnchanged: String { self == .postgres ? "FOR SHARE" : "" }

    /// The database's own time. The clocks of the machines that use it may differ.
    private var time: String { self == .postgres ? "now()" : "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')" }

    /// The query for the database's own time, in its column `time`.
    var timeQuery: String { "SELECT \(time) AS time" }

    /// Returns a table's definition in this database's types. It is written in those of the specification (section 8.1).
    func translated(_ schema: String) -> String {
        guard self == .sqlite else { return schema }
        let types = [
            (" TEXT[]", " TEXT"), (" UUID", " TEXT"), (" TIMESTAMPTZ", " TEXT"), (" BYTEA", " BLOB"),
            (" JSONB", " TEXT"), (" BOOLEAN", " INTEGER"), (" BIGINT", " INTEGER"), (" INT ", " INTEGER "),
        ]
        return types.reduce(schema) { $0.replacing($1.0, with: $1.1) }
    }
}
