import Clocks
import Foundation
import GRDB
import Messages
import MockBank
import Storage

import struct Crypto.SHA256

/// The records of broker and phone, read from their databases.
struct Books: Sendable {
    let stage: Stage

    struct Entry: Sendable, Hashable {
        let status: String
        let file: String?
        /// The month of a request for one statement.
        var period: MonthYear?
    }

    /// The database may be in use.
    private static var patient: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        return configuration
    }

    static let open = ["SENT", "PENDING_APPROVAL", "APPROVED", "EXECUTING"]

    func broker() throws -> [String: Entry] {
        try read(stage.database) { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT id, status, result_file_path AS file, json_extract(parameters_json, '$.month') AS month,
                        json_extract(parameters_json, '$.year') AS year
                    FROM pending_requests
                    """)
            return Dictionary(
                uniqueKeysWithValues: rows.map { row in
                    var entry = Entry(status: row["status"], file: row["file"])
                    if let month = row["month"] as Int?, let year = row["year"] as Int? {
                        entry.period = MonthYear(month: month, year: year)
                    }
                    return (row["id"], entry)
                })
        }
    }

    func phone() throws -> [String: Entry] {
        try read(stage.home.database) { db in
            let rows = try Row.fetchAll(db, sql: "SELECT id, status, result_filename AS file FROM requests")
            return Dictionary(
                uniqueKeysWithValues: rows.map { ($0["id"], Entry(status: $0["status"], file: $0["file"])) })
        }
    }

    /// Returns a sentence about each of the first ten requests that the broker has not completed, and one about the rest.
    func unfinished() throws -> [String] {
        let sentences = try read(stage.database) { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT substr(id, 1, 8) || ' is ' || status || coalesce(': ' || error_code, '')
                        || coalesce(', ' || error_message, '')
                    FROM pending_requests WHERE status <> 'COMPLETED' ORDER BY created_at
                    """)
        }
        let rest = sentences.count - 10
        return sentences.prefix(10) + (rest > 0 ? ["\(rest) more are not completed"] : [])
    }

    func brokerStatus(_ id: RequestID) throws -> String? {
        try read(stage.database) { db in
            try String.fetchOne(
                db, sql: "SELECT status FROM pending_requests WHERE id = ?", arguments: [id.description])
        }
    }

    func phoneStatus(_ id: RequestID) throws -> String? {
        try read(stage.home.database) { db in
            try String.fetchOne(db, sql: "SELECT status FROM requests WHERE id = ?", arguments: [id.description])
        }
    }

    /// Returns how often the broker recorded that a request was completed.
    func completions(_ id: RequestID) throws -> Int {
        try read(stage.database) { db in
            try Int.fetchOne(
                db, sql: "SELECT count(*) FROM audit_log WHERE event_type = 'request.completed' AND request_id = ?",
                arguments: [id.description]) ?? 0
        }
    }

    /// Returns how often an event stands in an audit log.
    func count(_ event: String, _ database: URL) throws -> Int { try requests(event, database).count }

    /// Returns the request of each such event in an audit log.
    func requests(_ event: String, _ database: URL) throws -> [String] {
        try read(database) { db in
            try String.fetchAll(
                db, sql: "SELECT coalesce(request_id, '') FROM audit_log WHERE event_type = ?", arguments: [event])
        }
    }

    /// Returns the states of a phone's requests.
    func phoneStatuses(_ database: URL) throws -> [String] {
        try read(database) { db in try String.fetchAll(db, sql: "SELECT status FROM requests") }
    }

    func read<Value>(_ database: URL, _ body: (Database) throws -> Value) throws -> Value {
        try DatabaseQueue(path: database.path, configuration: Self.patient).read(body)
    }

    // MARK: Verdicts

    /// Returns the faults of a request whose delivery the broker must have.
    func check(completed id: RequestID, found: inout Findings) throws {
        let entry = try broker()[id.description]
        if entry?.status != "COMPLETED" { found.lost.append("\(id.short) is \(entry?.status ?? "unknown")") }
        try checkStatement(id.description, entry, &found)
        let times = try completions(id)
        if times > 1 { found.doubled.append("\(id.short) was completed \(times) times") }
    }

    private func checkStatement(_ id: String, _ entry: Entry?, _ found: inout Findings) throws {
        guard let entry, entry.status == "COMPLETED", let period = entry.period else { return }
        let stored = entry.file.flatMap { try? Data(contentsOf: URL(filePath: $0)) }
        if stored != Data(MockBankServer.statement(month: period.month, year: period.year)) {
            found.lost.append("\(id.prefix(8)) has no statement, or not its own")
        }
    }

    /// Returns the faults of all requests: each must have one end, the same on both sides, and its statement once.
    func checkAll(withPhone: Bool) async throws -> Findings {
        var found = try await checkDatabases(withPhone: withPhone)
        let (broker, phone) = (try broker(), withPhone ? try phone() : [:])
        for (id, entry) in broker {
            try checkStatement(id, entry, &found)
            if Self.open.contains(entry.status) { found.lost.append("\(id.prefix(8)) is \(entry.status) for ever") }
            let other = phone[id]?.status ?? "unknown"
            if withPhone, other != entry.status {
                found.faults.append("\(id.prefix(8)) is \(entry.status) at the broker, \(other) on the phone")
            }
        }
        for id in phone.keys where broker[id] == nil { found.lost.append("the broker does not know \(id.prefix(8))") }
        let files = (try? FileManager.default.contentsOfDirectory(atPath: stage.statements.path)) ?? []
        let completed = broker.values.filter { $0.status == "COMPLETED" }.count
        if files.count != completed {
            found.faults.append("\(files.count) files are in the broker's store, for \(completed) statements")
        }
        let refused = stage.refusedNames()
        if !refused.isEmpty {
            found.lost.append("deliveries were refused: \(refused.prefix(4).joined(separator: ", "))")
        }
        let left = stage.inboxNames()
        if !left.isEmpty { found.faults.append("left in the inbox: \(left.prefix(4).joined(separator: ", "))") }
        return found
    }

    /// Returns the faults of the databases and of their audit logs' chains.
    func checkDatabases(withPhone: Bool = true) async throws -> Findings {
        var found = Findings()
        try await checkDatabase("broker", stage.database, &found)
        if withPhone { try await checkDatabase("phone", stage.home.database, &found) }
        return found
    }

    private func checkDatabase(_ side: String, _ database: URL, _ found: inout Findings) async throws {
        let integrity = try read(database) { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
        if integrity != ["ok"] { found.lost.append("the \(side)'s database: \(integrity.prefix(2))") }
        // At most once through each state.
        let repeated = try read(database) { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT request_id || ' ' || event_type FROM audit_log
                    WHERE event_type IN ('request.completed', 'request.executing', 'request.approved')
                    GROUP BY request_id, event_type HAVING count(*) > 1
                    """)
        }
        found.doubled += repeated.map { "\(side): \($0)" }
        let chain = try await AuditLog(DatabaseQueue(path: database.path, configuration: Self.patient)).verify()
        if !chain.isIntact { found.lost.append("the \(side)'s audit log: \(chain)") }
    }
}
