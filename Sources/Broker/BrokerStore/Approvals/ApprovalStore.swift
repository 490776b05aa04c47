import Clocks
import DeviceTrust
import Encodings
import Foundation
import GRDB
import Messages
import Storage

/// The signed approvals, kept as evidence, and the devices that run the approved requests.
package struct ApprovalStore: Sendable {
    let database: BrokerDatabase

    /// The result of adding one device's approval.
    package enum Addition: Sendable {
        /// It was the last that was needed: the device may begin.
        case approved
        /// It counts, and other devices have to approve too.
        case counted(approvals: Int)
        /// The request does not wait for approval any more.
        case notPending
        /// The device has approved this request before.
        case repeated
        /// The device was removed.
        case removedDevice
    }

    /// Keeps one device's approval of a request, and approves the request when enough devices have done so.
    ///
    /// - Parameters:
    ///   - needed: the number of devices, by their keys, that have to approve.
    ///   - timeout: the time for the execution.
    ///   - decisionID: the name of the device's decision; see ``DecisionBody/id``.
    package func add(
        _ evidence: ApprovalEvidence, by device: DeviceID, to id: RequestID, needed: Int, at now: Date,
        timeout: Duration, decisionID: Nonce? = nil
    ) async throws -> Addition {
        let stamp = Timestamp(now)
        let requests = database.requests
        return try await database.write { db in
            guard let current = try DeviceStore.active(device, in: db) else { return .removedDevice }
            guard try RequestStore.request(id, in: db)?.status == .pendingApproval,
                try !requests.isOverdue(id, at: now, in: db)
            else { return .notPending }
            try db.execute(
                sql: """
                    INSERT OR IGNORE INTO request_approvals
                        (request_id, device_id, approved_at, summary_json, signature) VALUES (?, ?, ?, ?, ?)
                    """,
                arguments: [
                    id.description, device.description, stamp.description,
                    String(decoding: try evidence.summary.json.canonicalBytes(), as: UTF8.self),
                    evidence.signature.description,
                ])
            guard db.changesCount == 1 else { return .repeated }
            try AuditLog.record(evidence.event(for: id, by: device, at: now), in: db)
            let count =
                try Int.fetchOne(
                    db,
                    sql: """
                        SELECT count(DISTINCT public_key) FROM request_approvals JOIN devices ON devices.id = device_id
                        WHERE request_id = ? AND voided_at IS NULL
                        """, arguments: [id.description]) ?? 0
            guard count >= needed else { return .counted(approvals: count) }
            guard
                try RequestStore.move(
                    id, from: .pendingApproval, to: .approved, at: stamp, by: device.description, in: db)
            else { return .notPending }
            try RequestStore.keep(decisionID, of: id, in: db)
            try db.execute(
                sql: "INSERT INTO request_executors (request_id, device_id, secret_sealed) VALUES (?, ?, ?)",
                arguments: [id.description, device.description, current.secretSealed])
            try requests.beginExecutionTime(of: id, at: now, timeout: timeout, in: db)
            return .approved
        }
    }

    /// Returns the approvals that count for each pending request: the ids of the devices, and their keys.
    package func pendingApprovals() async throws -> [RequestID: (devices: Set<String>, keys: Set<String>)] {
        try await database.read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT request_id, device_id, public_key FROM request_approvals
                    JOIN pending_requests ON pending_requests.id = request_id JOIN devices ON devices.id = device_id
                    WHERE status = 'PENDING_APPROVAL' AND voided_at IS NULL
                    """)
            return rows.reduce(into: [:]) { found, row in
                guard let id = RequestID(row["request_id"] as String) else { return }
                found[id, default: ([], [])].devices.insert(row["device_id"])
                found[id, default: ([], [])].keys.insert(row["public_key"])
            }
        }
    }

    // MARK: Execution

    /// A paired device that runs a request.
    package struct Executor: Sendable {
        package let device: DeviceID
        /// The device's secret now, and the one that it had when it approved; none after its removal.
        package let sealedSecrets: Set<Data>
    }

    /// Returns the paired device that runs the request; nil when the default device runs it, or no device yet.
    package func executor(of id: RequestID) async throws -> Executor? {
        try await database.read { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT devices.id, devices.removed_at, devices.secret_sealed AS now, request_executors.secret_sealed
                        AS earlier
                    FROM request_executors JOIN devices ON devices.id = request_executors.device_id
                    WHERE request_id = ?
                    """, arguments: [id.description])
            guard let row else { return nil }
            guard let device = DeviceID(row["id"] as String) else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a device's row cannot be read")
            }
            let isRemoved = row["removed_at"] as String? != nil
            let sealed = [row["now"] as Data?, row["earlier"] as Data?].compactMap(\.self)
            return Executor(device: device, sealedSecrets: isRemoved ? [] : Set(sealed))
        }
    }

    /// Returns the name of the device that runs the request: a paired device's id, or `default`. Nil when the request is
    /// neither APPROVED nor EXECUTING.
    package func runner(of id: RequestID) async throws -> String? {
        try await database.read { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT status, device_id FROM pending_requests
                    LEFT JOIN request_executors ON request_id = pending_requests.id WHERE pending_requests.id = ?
                    """, arguments: [id.description])
            guard let row, ["APPROVED", "EXECUTING"].contains(row["status"] as String) else { return nil }
            return row["device_id"] as String? ?? DeviceStore.defaultDeviceName
        }
    }

    // MARK: Removal of a device

    /// Fails the requests that run, or are about to, on this device's approval, alone or with others.
    static func failRequests(approvedBy id: DeviceID, at now: Timestamp, in db: Database) throws -> [RequestID] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT pending_requests.id, status FROM pending_requests
                JOIN request_approvals ON request_id = pending_requests.id
                WHERE device_id = ? AND status IN ('APPROVED', 'EXECUTING')
                """, arguments: [id.description])
        var failed: [RequestID] = []
        for row in rows {
            guard let request = RequestID(row["id"] as String), let status = RequestStatus(rawValue: row["status"]),
                try RequestStore.move(
                    request, from: status, to: .failed, at: now,
                    error: (.deviceRemoved, "a device that had approved the request was removed"), in: db)
            else { continue }
            failed.append(request)
            try db.execute(
                sql: "UPDATE request_approvals SET voided_at = ? WHERE device_id = ? AND request_id = ?",
                arguments: [now.description, id.description, request.description])
            try RequestStore.noteAdministrativeChange(of: request, in: db)
        }
        return failed
    }

    /// Voids the device's approvals of pending requests.
    ///
    /// - Returns: the number of approvals.
    static func voidPendingApprovals(by id: DeviceID, at now: Timestamp, in db: Database) throws -> Int {
        try db.execute(
            sql: """
                UPDATE request_approvals SET voided_at = ? WHERE device_id = ? AND request_id IN (
                    SELECT id FROM pending_requests WHERE status = 'PENDING_APPROVAL')
                """, arguments: [now.description, id.description])
        return db.changesCount
    }

    /// Deletes the copies of the device's secret that were kept with the requests that it runs.
    static func forgetSecrets(of id: DeviceID, in db: Database) throws {
        try db.execute(
            sql: "UPDATE request_executors SET secret_sealed = NULL WHERE device_id = ?", arguments: [id.description])
    }
}

/// The part of a signed approval that is kept.
package struct ApprovalEvidence: Sendable {
    package let summary: ApprovalSummary
    package let signature: DeviceSignature

    package init(summary: ApprovalSummary, signature: DeviceSignature) {
        self.summary = summary
        self.signature = signature
    }

    func event(for id: RequestID, by device: DeviceID, at time: Date) -> AuditEvent {
        AuditEvent(
            .approvalSigned, requestID: id.description,
            details: [
                "device": .string(device.description), "script": .string(summary.script),
                "verified_by": .array(summary.verifiedBy.sorted().map { .string($0.rawValue) }),
            ], time: time)
    }
}
