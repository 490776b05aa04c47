import Clocks
import Encodings
import Foundation
import GRDB
import Messages
import Storage

/// The table of requests, and the deadlines of those that are open.
///
/// Every change of state is one conditional UPDATE, checked by its row count.
package struct RequestStore: Sendable {
    let database: BrokerDatabase

    // MARK: Reading

    package func request(_ id: RequestID) async throws -> RequestRecord? {
        let recent = database.recentRequests
        let version = recent?.version
        if let version, let record = recent?.record(id, at: version) { return record }
        let record = try await database.read { db in try Self.request(id, in: db) }
        if let version, let record { recent?.keep(record, at: version) }
        return record
    }

    static func request(_ id: RequestID, in db: Database) throws -> RequestRecord? {
        let statement = try db.cachedStatement(sql: "SELECT * FROM pending_requests WHERE id = ?")
        return try RequestRecord.fetchOne(statement, arguments: [id.description])
    }

    /// Returns the request that an agent named so.
    package func request(of agent: AgentName, named key: String) async throws -> RequestRecord? {
        try await database.read { db in try Self.request(of: agent, named: key, in: db) }
    }

    static func request(of agent: AgentName, named key: String, in db: Database) throws -> RequestRecord? {
        try RequestRecord.fetchOne(
            db,
            sql: """
                SELECT * FROM pending_requests
                WHERE id = (SELECT request_id FROM request_keys WHERE agent = ? AND key = ?)
                """, arguments: [agent.description, key])
    }

    /// Returns one page of the requests, newest first.
    ///
    /// - Parameters:
    ///   - status: only requests in this state; nil for all.
    ///   - agent: only requests that this agent asked for, first or while they waited; nil for all.
    ///   - start: the last request of the page before.
    package func requests(
        _ status: RequestStatus?, askedBy agent: AgentName? = nil, after start: Place? = nil, limit: Int
    ) async throws -> [RequestRecord] {
        var conditions: [String] = []
        var arguments: StatementArguments = []
        if let agent {
            conditions.append(
                "(agent = ? OR id IN (SELECT request_id FROM request_other_agents WHERE agent = ?))")
            arguments += [agent.description, agent.description]
        }
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
        return try await database.read { [arguments] db in
            try RequestRecord.fetchAll(db, sql: sql, arguments: arguments + [limit])
        }
    }

    /// Counts the requests in each state.
    package func counts() async throws -> [RequestStatus: Int] {
        try await database.read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT status, count(*) AS n FROM pending_requests GROUP BY status")
            return Dictionary(
                rows.compactMap { row in RequestStatus(rawValue: row["status"]).map { ($0, row["n"]) } },
                uniquingKeysWith: { $1 })
        }
    }

    // MARK: Changing

    /// The result of an agent's request.
    package enum Insertion: Sendable, Equatable {
        case inserted
        /// The agent has used this name for a request before.
        case repeated(RequestRecord)
        /// A request for the same bank and period waits already.
        case folded(RequestRecord)
        /// The agent has as many undecided requests as it may have; the first of them ends at this time.
        case tooMany(until: Timestamp)
        /// The agent has made as many requests within 24 hours as it may; the first of them counts until this time.
        case tooManyToday(until: Timestamp)
        /// A request for the same bank and period waits until this time, and has as many of the agent's names as it may.
        case tooManyNames(until: Timestamp)
    }

    /// Stores a new request as PENDING_APPROVAL. SENT would end within the same transaction, so it is never stored.
    ///
    /// - Parameters:
    ///   - key: the agent's own name for the request.
    ///   - most: the number of undecided requests that one agent may have.
    ///   - mostNames: the number of names that one agent may give one request.
    ///   - daily: the number of requests that one agent may make within 24 hours; nil for any.
    ///   - documents: the documents of a request for several.
    package func insert(
        _ envelope: RequestEnvelope, signed: SignedEnvelope, agentRequestID key: String?, atMost most: Int = .max,
        namesAtMost mostNames: Int = .max, dailyAtMost daily: Int? = nil, documents: [WantedDocument] = []
    ) async throws -> Insertion {
        let patience = envelope.approvalExpiresAt.date.timeIntervalSince(envelope.issuedAt.date)
        let agent = envelope.client ?? .standard
        let issuedAt = envelope.issuedAt.description
        let parameters = envelope.parameters.compactText()
        let arguments: StatementArguments = [
            // The specification's column is unique among all agents, so only the one that it knows has names in it.
            envelope.requestID.description, agent == .standard ? key : nil, envelope.subject.type, parameters,
            envelope.nonce.description, signed.json.compactText(), issuedAt, issuedAt,
            envelope.approvalExpiresAt.description, agent.description,
        ]
        return try await database.writeGrouped { [clock = database.clock, nextDeadline = database.nextDeadline] db in
            if let key, let earlier = try Self.request(of: agent, named: key, in: db) { return .repeated(earlier) }
            let open = try RequestRecord.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT * FROM pending_requests
                        WHERE status = 'PENDING_APPROVAL' AND (parameters_json = ? OR agent = ?)
                        ORDER BY created_at, id
                        """), arguments: [parameters, agent.description])
            if let waiting = try open.first(where: { record in
                // One for a kind whose plug-in is gone is not the same, and must not keep the others back.
                try (try? record.subject) == envelope.subject && record.bankID == envelope.bankID
                    && Self.documents(of: record.id, in: db).filter(\.isAsked).map(\.id) == documents.map(\.item.id)
            }) {
                if waiting.agent != agent {
                    try Self.note(agent, asksFor: waiting.id, at: envelope.issuedAt.date, in: db)
                }
                guard let key else { return .folded(waiting) }
                guard try Self.names(of: waiting.id, by: agent, in: db) < mostNames else {
                    return .tooManyNames(until: waiting.approvalExpiresAt)
                }
                try Self.name(waiting.id, key, by: agent, in: db)
                return .folded(waiting)
            }
            let own = open.filter { $0.agent == agent }
            guard own.count < most else {
                return .tooMany(until: own.map(\.approvalExpiresAt).min() ?? envelope.approvalExpiresAt)
            }
            if let daily {
                let day: TimeInterval = 24 * 3600
                let made = try Self.visits(
                    of: agent, since: Timestamp(envelope.issuedAt.date.addingTimeInterval(-day)), in: db)
                if made.count >= daily, let first = made.suffix(daily).first {
                    return .tooManyToday(until: Timestamp(first.date.addingTimeInterval(day)))
                }
            }
            try db.cachedStatement(
                sql: """
                    INSERT INTO pending_requests (id, agent_request_id, request_type, parameters_json, nonce,
                        signed_envelope_json, status, created_at, updated_at, approval_expires_at, agent)
                    VALUES (?, ?, ?, ?, ?, ?, 'PENDING_APPROVAL', ?, ?, ?, ?)
                    """
            ).execute(arguments: arguments)
            try Self.insert(documents, of: envelope.requestID, in: db)
            if let key { try Self.name(envelope.requestID, key, by: agent, in: db) }
            try Deadlines.set(.seconds(patience), for: envelope.requestID, clock, in: db)
            nextDeadline.notLater(
                than: envelope.approvalExpiresAt.date, clock.elapsedMilliseconds + Int64(patience * 1000))
            try RequestAudit.record(envelope, in: db)
            return .inserted
        }
    }

    /// Returns the times of an agent's requests since a time, the oldest first. Requests that were answered without a visit to
    /// the bank are left out.
    private static func visits(of agent: AgentName, since: Timestamp, in db: Database) throws -> [Timestamp] {
        try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT created_at FROM pending_requests
                    WHERE agent = ? AND created_at > ? AND (request_type = 'statement' OR EXISTS (
                        SELECT 1 FROM request_documents WHERE request_id = pending_requests.id AND was_there = 0))
                    ORDER BY created_at
                    """), arguments: [agent.description, since.description]
        ).compactMap { Timestamp($0) }
    }

    static func names(of id: RequestID, by agent: AgentName, in db: Database) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM request_keys WHERE request_id = ? AND agent = ?"),
            arguments: [id.description, agent.description]) ?? 0
    }

    static func name(_ id: RequestID, _ key: String, by agent: AgentName, in db: Database) throws {
        try db.execute(
            sql: "INSERT INTO request_keys (agent, key, request_id) VALUES (?, ?, ?)",
            arguments: [agent.description, key, id.description])
    }

    /// Moves a request from one state to another.
    ///
    /// - Parameter device: the device that asked for it, for the audit log; nil for the broker itself.
    /// - Returns: whether the request was in the state that it was to leave.
    package func move(
        _ id: RequestID, from: RequestStatus, to: RequestStatus, at now: Date,
        error: (code: ErrorCode, message: String?)? = nil, by device: String? = nil
    ) async throws -> Bool {
        try await database.write { db in
            try Self.move(id, from: from, to: to, at: Timestamp(now), error: error, by: device, in: db)
        }
    }

    /// Fails a request that runs.
    ///
    /// - Parameter words: the phone's words, kept apart from the error's message.
    /// - Returns: whether the request was in the state that it was to leave.
    package func fail(
        _ id: RequestID, from: RequestStatus, at now: Date, _ error: (code: ErrorCode, message: String),
        phoneSays words: String?
    ) async throws -> Bool {
        try await database.write { db in
            guard
                try Self.move(
                    id, from: from, to: .failed, at: Timestamp(now), error: (error.code, error.message), in: db)
            else { return false }
            try db.execute(
                sql: "UPDATE pending_requests SET phone_says = ? WHERE id = ?", arguments: [words, id.description])
            return true
        }
    }

    /// Approves a request whose time is not over, and starts its execution time.
    ///
    /// - Parameters:
    ///   - device: the device that approves, for the audit log.
    ///   - decisionID: the name of its decision; see ``DecisionBody/id``.
    /// - Returns: false when the request does not wait for approval, or no longer.
    package func approve(
        _ id: RequestID, at now: Date, timeout: Duration, by device: String? = nil, decisionID: Nonce? = nil
    ) async throws -> Bool {
        try await database.write { [self] db in
            guard try !isOverdue(id, at: now, in: db),
                try Self.move(id, from: .pendingApproval, to: .approved, at: Timestamp(now), by: device, in: db)
            else { return false }
            try Self.keep(decisionID, of: id, in: db)
            try beginExecutionTime(of: id, at: now, timeout: timeout, in: db)
            return true
        }
    }

    /// Keeps the name of the approval that counts.
    static func keep(_ decisionID: Nonce?, of id: RequestID, in db: Database) throws {
        guard let decisionID else { return }
        try db.execute(
            sql: "UPDATE pending_requests SET decision_id = ? WHERE id = ?",
            arguments: [decisionID.description, id.description])
    }

    func isOverdue(_ id: RequestID, at now: Date, in db: Database) throws -> Bool {
        try Deadlines.overdue(at: now, database.clock, in: db).contains { $0.id == id }
    }

    func beginExecutionTime(of id: RequestID, at now: Date, timeout: Duration, in db: Database) throws {
        let clock = database.clock
        let timeout = try Self.executionTime(timeout, of: id, in: db)
        let end = now.addingTimeInterval(timeout.seconds)
        try db.execute(
            sql: "UPDATE pending_requests SET execution_timeout_at = ? WHERE id = ?",
            arguments: [Timestamp(end).description, id.description])
        try Deadlines.set(timeout, for: id, clock, in: db)
        database.nextDeadline.notLater(than: end, clock.elapsedMilliseconds + Int64(timeout.seconds * 1000))
    }

    /// Moves an approved request to EXECUTING.
    ///
    /// - Returns: false when the request is not approved.
    package func start(_ id: RequestID, at now: Date) async throws -> Bool {
        try await database.write { db in
            guard try Self.move(id, from: .approved, to: .executing, at: Timestamp(now), in: db) else { return false }
            try db.execute(
                sql: "UPDATE pending_requests SET execution_started_at = ? WHERE id = ?",
                arguments: [Timestamp(now).description, id.description])
            return true
        }
    }

    /// Ends the requests that have run out of time: approvals become EXPIRED, executions FAILED with EXECUTION_TIMEOUT.
    ///
    /// - Returns: the requests that ended, with their new states.
    @discardableResult
    package func endOverdue(at now: Date) async throws -> [RequestID: RequestStatus] {
        let (clock, nextDeadline) = (database.clock, database.nextDeadline)
        guard nextDeadline.mayBeOver(at: now, clock.elapsedMilliseconds) else { return [:] }
        return try await database.write { db in
            var ended: [RequestID: RequestStatus] = [:]
            for (id, from) in try Deadlines.overdue(at: now, clock, in: db) {
                let isApproval = from == .pendingApproval
                let error =
                    isApproval
                    ? (ErrorCode.approvalExpired, "the request was not approved in time")
                    : try Self.executionTimeoutError(of: id, in: db)
                let to = isApproval ? RequestStatus.expired : .failed
                if try Self.move(id, from: from, to: to, at: Timestamp(now), error: error, in: db) { ended[id] = to }
            }
            nextDeadline.findAnew(afterCommitOf: db)
            return ended
        }
    }

    /// Notes the time while there are deadlines; see ``Deadlines/mark(_:in:)``.
    package func markClock() async throws {
        guard try await database.read({ db in try Deadlines.hasAny(in: db) }) else { return }
        try await database.write { [clock = database.clock] db in try Deadlines.mark(clock, in: db) }
    }

    /// Changes a request's state; nothing else does.
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
        if to.isTerminal {
            try Deadlines.remove(id, in: db)
            try WebhookStore.queue(.end(to), of: id, at: now.date, in: db)
        }
        if from != .sent { try RequestAudit.record(id, to, at: now.date, errorCode: error?.code, by: device, in: db) }
        return true
    }

    // MARK: Changes by an administrator

    /// Notes that an administrator changed a request, for the running broker to announce.
    static func noteAdministrativeChange(of id: RequestID, in db: Database) throws {
        try db.execute(sql: "INSERT INTO changes_beside (request_id) VALUES (?)", arguments: [id.description])
    }

    /// Returns the requests that an administrator changed since the last call, and forgets the changes.
    package func takeAdministrativeChanges() async throws -> [RequestID] {
        let ids = try await database.read { db in
            try String.fetchAll(db, sql: "SELECT request_id FROM changes_beside ORDER BY id")
        }
        guard !ids.isEmpty else { return [] }
        try await database.write { db in
            try db.execute(
                sql: "DELETE FROM changes_beside WHERE request_id IN (\(ids.map { _ in "?" }.joined(separator: ", ")))",
                arguments: StatementArguments(ids))
        }
        return ids.compactMap { RequestID($0) }
    }
}
