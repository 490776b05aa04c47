import Foundation
import GRDB
import JSON
import Signer
import SyncedFolder

/// A broker that cannot open its database.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    public let message: String

    public var description: String { message }
}

/// The broker's requests on SQLite: WAL with `synchronous=FULL`, so that what was acknowledged survives a power cut.
///
/// Every change of state is one conditional UPDATE, checked by its row count.
public final class RequestStore: Sendable {
    let pool: DatabasePool
    private let lock: DatabaseLock

    /// - Throws: ``StoreError`` when another broker has the database, or it cannot be opened.
    public init(_ database: URL) throws(StoreError) {
        do {
            try PrivateFolder.make(database.deletingLastPathComponent())
        } catch {
            throw StoreError(message: "\(error)")
        }
        lock = try DatabaseLock(database)
        do {
            var configuration = Configuration()
            configuration.prepareDatabase { db in
                try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
            }
            // SQLite gives its side files the mode of the database, so the file is made first.
            let descriptor = open(database.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                throw StoreError(
                    message: "\(database.path) cannot be opened: \(String(cString: strerror(errno)))")
            }
            close(descriptor)
            pool = try DatabasePool(path: database.path, configuration: configuration)
            try Schema.migrator.migrate(pool)
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(message: "\(database.path) is no database of this broker: \(error)")
        }
    }

    // MARK: Reading

    public func request(_ id: RequestID) async throws -> RequestRecord? {
        try await pool.read { db in
            try RequestRecord.fetchOne(
                db, sql: "SELECT * FROM pending_requests WHERE id = ?", arguments: [id.description])
        }
    }

    public func request(ofAgent key: String) async throws -> RequestRecord? {
        try await pool.read { db in
            try RequestRecord.fetchOne(
                db, sql: "SELECT * FROM pending_requests WHERE agent_request_id = ?", arguments: [key])
        }
    }

    /// The newest first.
    public func requests(_ status: RequestStatus?, limit: Int) async throws -> [RequestRecord] {
        try await pool.read { db in
            try RequestRecord.fetchAll(
                db,
                sql: """
                    SELECT * FROM pending_requests WHERE ?1 IS NULL OR status = ?1
                    ORDER BY created_at DESC, id LIMIT ?2
                    """, arguments: [status?.rawValue, limit])
        }
    }

    // MARK: Changing

    /// Stores a new request as SENT, then PENDING_APPROVAL.
    ///
    /// - Returns: false when the agent's key is taken.
    public func insert(
        _ envelope: RequestEnvelope, signed: SignedEnvelope, agentRequestID: String?
    ) async throws -> Bool {
        try await pool.write { db in
            let taken = try Bool.fetchOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM pending_requests WHERE agent_request_id = ?)",
                arguments: [agentRequestID])
            if agentRequestID != nil, taken == true { return false }
            try db.execute(
                sql: """
                    INSERT INTO pending_requests (id, agent_request_id, request_type, parameters_json, nonce,
                        signed_envelope_json, status, created_at, updated_at, approval_expires_at)
                    VALUES (?, ?, ?, ?, ?, ?, 'SENT', ?, ?, ?)
                    """,
                arguments: [
                    envelope.requestID.description, agentRequestID, RequestEnvelope.statementType,
                    envelope.parameters.compactText(), envelope.nonce.description, signed.json.compactText(),
                    envelope.issuedAt.description, envelope.issuedAt.description,
                    envelope.approvalExpiresAt.description,
                ])
            return try Self.move(
                envelope.requestID, from: .sent, to: .pendingApproval, at: envelope.issuedAt, in: db)
        }
    }

    /// - Returns: whether the request was in the state that it was to leave.
    public func move(
        _ id: RequestID, from: RequestStatus, to: RequestStatus, at now: Date,
        error: (code: String, message: String?)? = nil
    ) async throws -> Bool {
        try await pool.write { db in
            try Self.move(id, from: from, to: to, at: Timestamp(now), error: error, in: db)
        }
    }

    /// Approves in time, and starts the clock of the execution.
    public func approve(_ id: RequestID, at now: Date, timeout: Duration) async throws -> Bool {
        try await pool.write { db in
            let deadline = Timestamp(now.addingTimeInterval(Double(timeout.components.seconds)))
            guard
                try Self.move(
                    id, from: .pendingApproval, to: .approved, at: Timestamp(now),
                    condition: ("approval_expires_at > ?", Timestamp(now).description), in: db)
            else { return false }
            try db.execute(
                sql: "UPDATE pending_requests SET execution_timeout_at = ? WHERE id = ?",
                arguments: [deadline.description, id.description])
            return true
        }
    }

    public func start(_ id: RequestID, at now: Date) async throws -> Bool {
        try await pool.write { db in
            guard try Self.move(id, from: .approved, to: .executing, at: Timestamp(now), in: db) else { return false }
            try db.execute(
                sql: "UPDATE pending_requests SET execution_started_at = ? WHERE id = ?",
                arguments: [Timestamp(now).description, id.description])
            return true
        }
    }

    /// Ends what has run out of time: approvals become EXPIRED, executions FAILED with EXECUTION_TIMEOUT.
    ///
    /// - Returns: the requests that ended.
    @discardableResult
    public func endOverdue(at now: Date) async throws -> [RequestID] {
        let stamp = Timestamp(now).description
        let isDue = try await pool.read { db in
            try Bool.fetchOne(db, sql: "SELECT EXISTS (\(Self.overdue))", arguments: [stamp, stamp]) ?? false
        }
        guard isDue else { return [] }
        return try await pool.write { db in
            let rows = try Row.fetchAll(db, sql: Self.overdue, arguments: [stamp, stamp])
            var ended: [RequestID] = []
            for row in rows {
                guard let id = RequestID(row["id"] as String),
                    let from = RequestStatus(rawValue: row["status"] as String)
                else { continue }
                let isApproval = from == .pendingApproval
                let error =
                    isApproval
                    ? ("APPROVAL_EXPIRED", "the request was not approved in time")
                    : ("EXECUTION_TIMEOUT", "the phone did not deliver the statement in time")
                if try Self.move(
                    id, from: from, to: isApproval ? .expired : .failed, at: Timestamp(now), error: error, in: db)
                {
                    ended.append(id)
                }
            }
            return ended
        }
    }

    private static let overdue = """
        SELECT id, status FROM pending_requests WHERE status = 'PENDING_APPROVAL' AND approval_expires_at <= ?
        UNION ALL
        SELECT id, status FROM pending_requests
        WHERE status IN ('APPROVED', 'EXECUTING') AND execution_timeout_at <= ?
        """

    public func remember(telegramMessage message: String, for id: RequestID) async throws {
        try await pool.write { db in
            try db.execute(
                sql: "UPDATE pending_requests SET telegram_message_id = ? WHERE id = ?",
                arguments: [message, id.description])
        }
    }

    /// The one way in which a state changes.
    static func move(
        _ id: RequestID, from: RequestStatus, to: RequestStatus, at now: Timestamp,
        error: (code: String, message: String?)? = nil, condition: (sql: String, argument: String)? = nil,
        in db: Database
    ) throws -> Bool {
        guard from.successors.contains(to) else { return false }
        var arguments: StatementArguments = [
            to.rawValue, now.description, error?.code, error?.message, id.description, from.rawValue,
        ]
        if let condition { arguments += [condition.argument] }
        try db.execute(
            sql: """
                UPDATE pending_requests SET status = ?, updated_at = ?, error_code = ?, error_message = ?
                WHERE id = ? AND status = ?\(condition.map { " AND \($0.sql)" } ?? "")
                """, arguments: arguments)
        return db.changesCount == 1
    }
}

/// Keeps a second broker off the database for as long as it lives.
final class DatabaseLock: Sendable {
    private let descriptor: Int32

    init(_ database: URL) throws(StoreError) {
        let path = database.path + ".lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StoreError(message: "\(path) cannot be made: \(String(cString: strerror(errno)))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw StoreError(
                message: "another broker is running on \(database.path); stop it, or set BROKER_DATABASE_PATH")
        }
    }

    deinit { close(descriptor) }
}
