import AuditLog
import Clocks
import Files
import Foundation
import GRDB
import JSON
import Messages

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
    private let groupCommit: GroupCommit
    /// Nil beside the broker that has the database, too.
    private let recent: RecentRequests?
    /// Nil beside the broker that has the database.
    private let lock: DatabaseLock?
    let clock: BrokerClock
    let nextDeadline = NextDeadline()

    /// - Throws: ``StoreError`` when another broker has the database, or it cannot be opened.
    public init(_ database: URL, clock: BrokerClock = BrokerClock()) throws(StoreError) {
        self.clock = clock
        do {
            try PrivateFolder.make(database.deletingLastPathComponent())
        } catch {
            throw StoreError(message: "\(error)")
        }
        lock = try DatabaseLock(database)
        // SQLite gives its side files the mode of the database, so the file is made first.
        let descriptor = open(database.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StoreError(message: "\(database.path) cannot be opened: \(String(cString: strerror(errno)))")
        }
        Foundation.close(descriptor)
        pool = try Self.opened(database)
        groupCommit = GroupCommit(pool)
        recent = try? RecentRequests(of: database)
        do {
            try Schema.migrator.migrate(pool)
            try pool.write { db in
                try Deadlines.resume(clock, in: db)
                try nextDeadline.findAnew(in: db)
            }
        } catch {
            throw StoreError(message: "\(database.path) is no database of this broker: \(error)")
        }
    }

    /// The database of a broker that may be running: nothing of it is the caller's, and what changes is the broker's to
    /// find.
    ///
    /// - Throws: ``StoreError`` when there is no database, or it is one of an earlier version that was not started since.
    public init(beside database: URL, clock: BrokerClock = BrokerClock()) throws(StoreError) {
        self.clock = clock
        lock = nil
        guard FileManager.default.fileExists(atPath: database.path) else {
            throw StoreError(
                message: "\(database.path) is not there; set BROKER_DATABASE_PATH to the broker’s database")
        }
        pool = try Self.opened(database)
        groupCommit = GroupCommit(pool)
        recent = nil
        guard (try? pool.read { db in try Schema.migrator.hasCompletedMigrations(db) }) == true else {
            throw StoreError(
                message: "\(database.path) is no database of this version’s broker; start the broker on it once")
        }
    }

    private static func opened(_ database: URL) throws(StoreError) -> DatabasePool {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { db in
            // What a savepoint needs to be undone is kept in memory, not in a file that is made and removed each time. The
            // log is brought into the database every 16 MB, not every 4: among a million requests new ones fall on pages
            // all over it, and each is written once a time.
            try db.execute(
                sql: """
                    PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 4000;
                    """)
        }
        do {
            let pool = try DatabasePool.durable(database.path, configuration)
            // 8 MB for the writer alone: a new request's place in the indexes is a page that nobody has asked for lately.
            try pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA cache_size = -8000") }
            return pool
        } catch {
            throw StoreError(message: "\(database.path) is no database of this broker: \(error)")
        }
    }

    /// Gives the database back. Whoever comes after this broker does not have to wait until the last reference is gone.
    func close() {
        recent?.close()
        try? pool.close()
        lock?.release()
    }

    // MARK: Reading

    public func request(_ id: RequestID) async throws -> RequestRecord? {
        let version = recent?.version
        if let version, let record = recent?.record(id, at: version) { return record }
        let record = try await pool.read { db in
            let statement = try db.cachedStatement(sql: "SELECT * FROM pending_requests WHERE id = ?")
            return try RequestRecord.fetchOne(statement, arguments: [id.description])
        }
        if let version, let record { recent?.keep(record, at: version) }
        return record
    }

    public func request(ofAgent key: String) async throws -> RequestRecord? {
        try await pool.read { db in
            try RequestRecord.fetchOne(
                db, sql: "SELECT * FROM pending_requests WHERE agent_request_id = ?", arguments: [key])
        }
    }

    /// The newest first.
    ///
    /// - Parameter start: the last of the page before.
    public func requests(
        _ status: RequestStatus?, after start: Place? = nil, limit: Int
    ) async throws -> [RequestRecord] {
        var conditions: [String] = []
        var arguments: StatementArguments = []
        if let status {
            conditions.append("status = ?")
            arguments += [status.rawValue]
        }
        if let start {
            conditions.append("created_at <= ? AND (created_at < ? OR id > ?)")
            arguments += [start.createdAt, start.createdAt, start.id]
        }
        let condition = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
        let sql = "SELECT * FROM pending_requests \(condition) ORDER BY created_at DESC, id LIMIT ?"
        return try await pool.read { [arguments] db in
            try RequestRecord.fetchAll(db, sql: sql, arguments: arguments + [limit])
        }
    }

    /// How many requests there are in each state.
    func counts() async throws -> [RequestStatus: Int] {
        try await pool.read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT status, count(*) AS n FROM pending_requests GROUP BY status")
            return Dictionary(
                rows.compactMap { row in RequestStatus(rawValue: row["status"]).map { ($0, row["n"]) } },
                uniquingKeysWith: { $1 })
        }
    }

    /// - Throws: when the database does not answer.
    func check() async throws {
        _ = try await pool.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM clock_mark") }
    }

    // MARK: Changing

    /// Stores a new request as PENDING_APPROVAL: nobody could see it as SENT, which would end with the transaction.
    ///
    /// - Returns: false when the agent's key is taken.
    public func insert(
        _ envelope: RequestEnvelope, signed: SignedEnvelope, agentRequestID: String?
    ) async throws -> Bool {
        let patience = envelope.approvalExpiresAt.date.timeIntervalSince(envelope.issuedAt.date)
        let issuedAt = envelope.issuedAt.description
        let arguments: StatementArguments = [
            envelope.requestID.description, agentRequestID, RequestEnvelope.statementType,
            envelope.parameters.compactText(), envelope.nonce.description, signed.json.compactText(), issuedAt,
            issuedAt, envelope.approvalExpiresAt.description,
        ]
        return try await groupCommit.write { [clock, nextDeadline] db in
            if agentRequestID != nil {
                let taken = try Bool.fetchOne(
                    db, sql: "SELECT EXISTS (SELECT 1 FROM pending_requests WHERE agent_request_id = ?)",
                    arguments: [agentRequestID])
                if taken == true { return false }
            }
            try db.cachedStatement(
                sql: """
                    INSERT INTO pending_requests (id, agent_request_id, request_type, parameters_json, nonce,
                        signed_envelope_json, status, created_at, updated_at, approval_expires_at)
                    VALUES (?, ?, ?, ?, ?, ?, 'PENDING_APPROVAL', ?, ?, ?)
                    """
            ).execute(arguments: arguments)
            try Deadlines.set(.seconds(patience), for: envelope.requestID, clock, in: db)
            nextDeadline.notLater(
                than: envelope.approvalExpiresAt.date, clock.elapsedMilliseconds + Int64(patience * 1000))
            try RequestAudit.record(envelope, in: db)
            return true
        }
    }

    /// - Parameter device: who moves it, for the record; nil for the broker itself.
    /// - Returns: whether the request was in the state that it was to leave.
    public func move(
        _ id: RequestID, from: RequestStatus, to: RequestStatus, at now: Date,
        error: (code: ErrorCode, message: String?)? = nil, by device: String? = nil
    ) async throws -> Bool {
        try await pool.write { db in
            try Self.move(id, from: from, to: to, at: Timestamp(now), error: error, by: device, in: db)
        }
    }

    /// Approves in time, and starts the clock of the execution.
    ///
    /// - Parameter device: who approves, for the record.
    public func approve(
        _ id: RequestID, at now: Date, timeout: Duration, by device: String? = nil
    ) async throws -> Bool {
        try await pool.write { [clock, nextDeadline] db in
            guard try !Deadlines.overdue(at: now, clock, in: db).contains(where: { $0.id == id }),
                try Self.move(id, from: .pendingApproval, to: .approved, at: Timestamp(now), by: device, in: db)
            else { return false }
            try Self.beginExecutionTime(of: id, at: now, timeout: timeout, clock, nextDeadline, in: db)
            return true
        }
    }

    static func beginExecutionTime(
        of id: RequestID, at now: Date, timeout: Duration, _ clock: BrokerClock, _ nextDeadline: NextDeadline,
        in db: Database
    ) throws {
        let end = now.addingTimeInterval(timeout.seconds)
        try db.execute(
            sql: "UPDATE pending_requests SET execution_timeout_at = ? WHERE id = ?",
            arguments: [Timestamp(end).description, id.description])
        try Deadlines.set(timeout, for: id, clock, in: db)
        nextDeadline.notLater(than: end, clock.elapsedMilliseconds + Int64(timeout.seconds * 1000))
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
    /// - Returns: the requests that ended, with their new states.
    @discardableResult
    public func endOverdue(at now: Date) async throws -> [RequestID: RequestStatus] {
        guard nextDeadline.mayBeOver(at: now, clock.elapsedMilliseconds) else { return [:] }
        return try await pool.write { [clock, nextDeadline] db in
            var ended: [RequestID: RequestStatus] = [:]
            for (id, from) in try Deadlines.overdue(at: now, clock, in: db) {
                let isApproval = from == .pendingApproval
                let error =
                    isApproval
                    ? (ErrorCode.approvalExpired, "the request was not approved in time")
                    : (ErrorCode.executionTimeout, "the phone did not deliver the statement in time")
                let to = isApproval ? RequestStatus.expired : .failed
                if try Self.move(id, from: from, to: to, at: Timestamp(now), error: error, in: db) { ended[id] = to }
            }
            try nextDeadline.findAnew(in: db)
            return ended
        }
    }

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
        error: (code: ErrorCode, message: String?)? = nil, by device: String? = nil, in db: Database
    ) throws -> Bool {
        guard from.successorsAtBroker.contains(to) else { return false }
        try db.cachedStatement(
            sql: """
                UPDATE pending_requests SET status = ?, updated_at = ?, error_code = ?, error_message = ?
                WHERE id = ? AND status = ?
                """
        ).execute(
            arguments: [
                to.rawValue, now.description, error?.code.rawValue, error?.message, id.description, from.rawValue,
            ])
        guard db.changesCount == 1 else { return false }
        if to.isTerminal { try Deadlines.remove(id, in: db) }
        if from != .sent { try RequestAudit.record(id, to, at: now.date, errorCode: error?.code, by: device, in: db) }
        return true
    }
}
