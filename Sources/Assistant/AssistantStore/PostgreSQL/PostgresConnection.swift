import CLibPQ
import Clocks
import Encodings
import Foundation

/// One connection to PostgreSQL. Its calls block, so they run on threads for blocking work, one call at a time.
final class PostgresConnection: @unchecked Sendable, SQLSession {
    let dialect = SQLDialect.postgres
    private let connection: OpaquePointer

    /// Settings of each transaction. A pooler hands each transaction another server connection, so none belongs to a
    /// session. 10 s is longer than any of our statements takes, and shorter than a client waits.
    private static let settings = """
        SET LOCAL statement_timeout = '10s'; SET LOCAL lock_timeout = '8s'; \
        SET LOCAL idle_in_transaction_session_timeout = '15s'; \
        SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO'; SET LOCAL synchronous_commit = 'on'
        """

    /// Connects, within libpq's `connect_timeout`.
    init(_ address: PostgresAddress) throws(AssistantStoreError) {
        var names = address.parameters.map { strdup($0.name) }
        var values = address.parameters.map { strdup($0.value) }
        if let password = address.password {
            names.append(strdup("password"))
            values.append(strdup(password.revealed()))
        }
        defer {
            for name in names { free(name) }
            for value in values {
                guard let value else { continue }
                explicit_bzero(value, strlen(value))
                free(value)
            }
        }
        let pointers = (names.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil])
        guard let connection = PQconnectdbParams(pointers.0, pointers.1, 0) else {
            throw AssistantStoreError(.unavailable, "no memory for a connection to PostgreSQL")
        }
        self.connection = connection
        guard PQstatus(connection) == CONNECTION_OK else {
            let message = String(cString: PQerrorMessage(connection)).trimmingCharacters(in: .whitespacesAndNewlines)
            throw AssistantStoreError(.unavailable, "PostgreSQL cannot be reached: \(message)")
        }
        // Notices of the server would go to the standard error output.
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
    }

    deinit { PQfinish(connection) }

    var isUsable: Bool { PQstatus(connection) == CONNECTION_OK && PQtransactionStatus(connection) == PQTRANS_IDLE }

    func begin(_ mode: SQLTransactionMode) throws {
        try runScript("BEGIN\(mode == .reading ? " READ ONLY" : ""); \(Self.settings)")
    }

    func commit() throws { try runScript("COMMIT") }

    /// Rolls back. A connection on which that fails is not used again.
    func rollBack() { try? runScript("ROLLBACK") }

    func rows(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow] {
        let result = try PostgresResult(execute(sql, arguments))
        return result.rows
    }

    func change(_ sql: String, _ arguments: [SQLValue]) throws -> Int {
        try PostgresResult(execute(sql, arguments)).changes
    }

    func runScript(_ sql: String) throws { _ = try PostgresResult(PQexec(connection, sql)) }

    private func execute(_ sql: String, _ arguments: [SQLValue]) throws -> OpaquePointer? {
        let parameters = try arguments.map(PostgresParameter.init)
        let buffers = parameters.map { parameter -> UnsafeMutableRawBufferPointer? in
            guard let bytes = parameter.bytes else { return nil }
            // libpq reads texts up to their zero byte, and ignores their length.
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count + 1, alignment: 1)
            buffer.copyBytes(from: bytes)
            buffer[bytes.count] = 0
            return buffer
        }
        defer { for buffer in buffers { buffer?.deallocate() } }
        return PQexecParams(
            connection, sql, Int32(parameters.count), parameters.map(\.type),
            buffers.map { UnsafePointer($0?.bindMemory(to: CChar.self).baseAddress) },
            parameters.map { Int32($0.bytes?.count ?? 0) }, parameters.map { $0.isBinary ? 1 : 0 }, 0)
    }
}

/// A value in the form that libpq sends.
private struct PostgresParameter {
    let type: Oid
    let bytes: [UInt8]?
    let isBinary: Bool

    init(_ value: SQLValue) throws(AssistantStoreError) {
        switch value {
        case .null: self.init(type: 0, bytes: nil)
        case .integer(let number): self.init(type: PostgresType.int8, bytes: Array(String(number).utf8))
        case .bool(let bool): self.init(type: PostgresType.bool, bytes: Array((bool ? "t" : "f").utf8))
        case .bytes(let bytes): self.init(type: PostgresType.bytea, bytes: bytes, isBinary: true)
        case .text: self.init(type: PostgresType.text, bytes: Array(try value.storableText.utf8))
        case .uuid: self.init(type: PostgresType.uuid, bytes: Array(try value.storableText.utf8))
        case .time: self.init(type: PostgresType.timestamptz, bytes: Array(try value.storableText.utf8))
        case .json: self.init(type: PostgresType.jsonb, bytes: Array(try value.storableText.utf8))
        case .texts(let texts):
            _ = try value.storableText
            let items = texts.map { "\"\($0.escaping(["\\": "\\\\", "\"": "\\\""]))\"" }
            self.init(type: PostgresType.texts, bytes: Array("{\(items.joined(separator: ","))}".utf8))
        }
    }

    private init(type: Oid, bytes: [UInt8]?, isBinary: Bool = false) {
        self.type = type
        self.bytes = bytes
        self.isBinary = isBinary
    }
}

/// The types of PostgreSQL that the tables use, by their number in `pg_type.dat`.
enum PostgresType {
    static let bool: Oid = 16
    static let bytea: Oid = 17
    static let int8: Oid = 20
    static let int2: Oid = 21
    static let int4: Oid = 23
    static let text: Oid = 25
    static let texts: Oid = 1009
    static let timestamptz: Oid = 1184
    static let uuid: Oid = 2950
    static let jsonb: Oid = 3802
}
