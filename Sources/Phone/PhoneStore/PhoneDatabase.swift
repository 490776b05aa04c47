import BankScript
import Encodings
import Foundation
import GRDB
import Machine
import Messages
import Secrets
import Storage
import Synchronization

/// The phone's SQLite database. Every change is on disk before it is acknowledged, and every transition names the state
/// it starts from.
package final class PhoneDatabase: Sendable {
    let database: DatabasePool
    package let audit: AuditLog
    /// Encrypts the messages of failed runs; nil until the vault has given it.
    let messageKey = Mutex<Secret?>(nil)

    /// Opens the database, and makes a new one when the file is missing.
    ///
    /// - Parameter file: in a folder that only this user can read.
    /// - Throws: ``PhoneError`` when the file cannot be used, with what to do.
    package init(file: URL) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        // Overwrite what is deleted or replaced.
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA secure_delete = ON") }
        do {
            database = try DatabasePool.durable(file.path, configuration)
            try PhoneSchema.migrator().migrateUnlessNewer(database)
        } catch let error as NewerDatabaseError {
            throw PhoneError(.homeUnusable, "\(error)")
        } catch let error as FileError {
            throw PhoneError(.homeUnusable, "\(error)")
        } catch let error as DatabaseError {
            throw Self.unusable(file, error.resultCode)
        }
        audit = AuditLog(database)
    }

    /// A backup helps against damage alone; restoring one for another reason would lose what is newer.
    private static func unusable(_ file: URL, _ code: ResultCode) -> PhoneError {
        let step =
            switch code {
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: "restore a backup"
            case .SQLITE_FULL: "free space on its disk"
            case .SQLITE_BUSY, .SQLITE_LOCKED: "another program uses it; try again"
            case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM: "check its owner and mode"
            default: "keep a copy of it, and look for errors of the disk before you restore a backup"
            }
        return PhoneError(.storeDamaged, "\(file.path) cannot be used (SQLite: \(code)); \(step)")
    }

    /// Closes the database before this value ends, so that no file stays open beside it.
    package func close() {
        try? database.close()
    }

    // MARK: Reading

    package func request(_ id: RequestID) async throws -> StoredRequest? {
        try await database.read { try Self.request(id, in: $0) }.map(opened)
    }

    /// Returns the requests in these states, the newest first; all states when nil.
    package func requests(_ statuses: Set<RequestStatus>? = nil, limit: Int = 200) async throws -> [StoredRequest] {
        let names = (statuses ?? Set(RequestStatus.allCases)).map(\.rawValue)
        return try await database.read { database in
            let marks = names.map { _ in "?" }.joined(separator: ", ")
            return try Row.fetchAll(
                database,
                sql: "SELECT * FROM requests WHERE status IN (\(marks)) ORDER BY created_at DESC, id DESC LIMIT ?",
                arguments: StatementArguments(names) + [limit]
            ).map(StoredRequest.init(row:))
        }.map(opened)
    }

    /// Returns a page of all requests, the newest first.
    ///
    /// - Parameter last: the last request of the page before; nil for the first page.
    package func requests(after last: RequestID?, limit: Int) async throws -> [StoredRequest] {
        try await database.read { database in
            var condition = "1"
            var arguments = StatementArguments()
            if let last {
                condition = "(created_at, id) < (SELECT created_at, id FROM requests WHERE id = ?)"
                arguments = [last.description]
            }
            return try Row.fetchAll(
                database,
                sql: "SELECT * FROM requests WHERE \(condition) ORDER BY created_at DESC, id DESC LIMIT ?",
                arguments: arguments + [limit]
            ).map(StoredRequest.init(row:))
        }.map(opened)
    }

    static func request(_ id: RequestID, in database: Database) throws -> StoredRequest? {
        try Row.fetchOne(database, sql: "SELECT * FROM requests WHERE id = ?", arguments: [id.description])
            .map(StoredRequest.init(row:))
    }

    // MARK: Transitions

    /// The columns that a transition writes besides the state.
    package struct Change: Sendable {
        package var errorCode: ErrorCode?
        package var errorMessage: String?
        package var reason: FailureReason?
        package var resultFilename: String?
        package var scriptDigest: String?
        package var owesReport: Bool

        package init(
            errorCode: ErrorCode? = nil, errorMessage: String? = nil, reason: FailureReason? = nil,
            resultFilename: String? = nil, scriptDigest: String? = nil, owesReport: Bool = false
        ) {
            self.errorCode = errorCode
            self.errorMessage = errorMessage
            self.reason = reason
            self.resultFilename = resultFilename
            self.scriptDigest = scriptDigest
            self.owesReport = owesReport
        }
    }

    /// Moves a request to another state and audits the transition, in one transaction.
    ///
    /// - Returns: false when the request was not in the state `from`; then nothing has changed.
    package func move(
        _ id: RequestID, from: RequestStatus, to: RequestStatus, at now: Date, _ change: Change = Change()
    ) async throws -> Bool {
        precondition(from.successorsOnPhone.contains(to), "\(from) -> \(to) is not a transition")
        let message = try sealed(change.errorMessage, of: id.description)
        return try await database.write { database in
            try database.execute(
                sql: """
                    UPDATE requests SET status = :to, updated_at = :now, owes_report = :owes,
                        approved_at = CASE WHEN :to = 'APPROVED' THEN :now ELSE approved_at END,
                        completed_at = CASE WHEN :terminal THEN :now ELSE completed_at END,
                        error_code = :code, error_message = :message, failure_reason = :reason,
                        result_filename = :file,
                        script_digest = coalesce(:digest, script_digest)
                    WHERE id = :id AND status = :from
                    """,
                arguments: [
                    "to": to.rawValue, "now": StoreTime.text(now), "terminal": to.isTerminal, "id": id.description,
                    "from": from.rawValue, "code": change.errorCode?.rawValue, "message": message,
                    "reason": change.reason?.rawValue, "file": change.resultFilename, "digest": change.scriptDigest,
                    "owes": change.owesReport,
                ])
            guard database.changesCount == 1 else { return false }
            var details: [String: JSONValue] = ["from": .string(from.rawValue)]
            details["error_code"] = (change.errorCode?.rawValue).map(JSONValue.string)
            // The log cannot forget, and anyone who reads the database's file can read it.
            if message == change.errorMessage { details["error_message"] = message.map(JSONValue.string) }
            details["file"] = change.resultFilename.map(JSONValue.string)
            details["script"] = change.scriptDigest.map(JSONValue.string)
            try AuditLog.record(
                AuditEvent(
                    .request(to.rawValue), severity: to == .failed ? .error : .info,
                    requestID: id.description, details: .object(details), time: now), in: database)
            return true
        }
    }

    /// Records that a run's statement was delivered.
    ///
    /// - Returns: false when the database could not record it.
    /// - Throws: ``PhoneError`` when the request is not executing any more.
    package func recordDelivery(of id: RequestID, as filename: String, at now: Date) async throws -> Bool {
        do {
            guard try await move(id, from: .executing, to: .completed, at: now, Change(resultFilename: filename)) else {
                throw PhoneError(.notPending, "request \(id.short) is not executing any more")
            }
            return true
        } catch is DatabaseError {
            return false
        }
    }

    /// Moves every request whose approval time has passed to `EXPIRED`.
    package func expire(at now: Date) async throws -> [RequestID] {
        let due = try await database.read { database in
            try String.fetchAll(
                database,
                sql: "SELECT id FROM requests WHERE status = 'PENDING_APPROVAL' AND approval_expires_at <= ?",
                arguments: [StoreTime.text(now)])
        }
        var expired: [RequestID] = []
        for id in due.compactMap(RequestID.init) {
            let change = Change(errorCode: .approvalExpired)
            if try await move(id, from: .pendingApproval, to: .expired, at: now, change) { expired.append(id) }
        }
        return expired
    }

    // MARK: Reports that the broker has not had

    package func owedReports() async throws -> [StoredRequest] {
        try await database.read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM requests WHERE owes_report = 1 ORDER BY updated_at LIMIT 50")
                .map(StoredRequest.init(row:))
        }.map(opened)
    }

    package func markReported(_ id: RequestID) async throws {
        try await database.write {
            try $0.execute(sql: "UPDATE requests SET owes_report = 0 WHERE id = ?", arguments: [id.description])
        }
    }
}
