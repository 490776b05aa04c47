import AuditLog
import Clocks
import DeviceTrust
import Foundation
import GRDB
import JSON
import Messages

/// What became of an approval.
enum ApprovalOutcome: Sendable {
    /// It was the last that was needed: the device may begin.
    case approved
    /// Others have to approve too.
    case counted(approvals: Int, needed: Int)
    case refused(APIError)
}

/// Approvals by paired devices: each is a signature over the request as the broker itself knows it.
struct SignedApprovals: Sendable {
    let store: RequestStore
    let server: ServerID
    let policy: ApprovalPolicy

    /// Verifies the approval, keeps it as evidence, and approves the request when it is the last that was needed.
    ///
    /// - Parameter timeout: for the execution.
    func approve(
        _ id: RequestID, by device: PairedDevice, _ approval: SignedApproval, at now: Date, timeout: Duration
    ) async throws -> ApprovalOutcome {
        guard let record = try await store.request(id) else { return .refused(.unknownRequest) }
        guard record.status == .pendingApproval else {
            return .refused(.conflict(with: record.status))
        }
        guard let nonce = try await store.nonce(of: device.id, for: id) else {
            return .refused(
                APIError(.forbidden, .signatureInvalid, "the request was never given to this device; fetch it first"))
        }
        let envelope = try record.envelope(nonce: nonce)
        let summary: ApprovalSummary
        do {
            summary = try approval.verified(
                envelope: envelope, device: device.id, key: device.publicKey, server: server)
        } catch {
            try await store.note(
                AuditEvent(
                    "approval.refused", severity: .critical, requestID: id.description,
                    details: ["device": .string(device.id.description), "reason": .string(error.message)], time: now))
            return .refused(APIError(.forbidden, .signatureInvalid, error.message))
        }
        let requirement = policy.requirement(bankID: envelope.bankID, period: envelope.period)
        if let refusal = refusal(of: summary, requirement) {
            try await store.note(
                AuditEvent(
                    "approval.refused", severity: .warning, requestID: id.description,
                    details: ["device": .string(device.id.description), "reason": .string(refusal.message)], time: now))
            return .refused(refusal)
        }
        return try await store.approve(
            id, by: device, Evidence(summary: summary, signature: approval.signature), needed: requirement.devices,
            at: now, timeout: timeout)
    }

    private func refusal(of summary: ApprovalSummary, _ requirement: Requirement) -> APIError? {
        let missing = requirement.missing(from: summary.verifiedBy.union([.deviceSignature]))
        guard missing.isEmpty else {
            return .factorMissing(missing.map(\.rawValue), requirement.reasons)
        }
        guard summary.leaseSeconds <= policy.longestLease else {
            return APIError(
                .forbidden, .leaseRefused,
                policy.longestLease == 0
                    ? "the broker’s policy allows no leases"
                    : "the broker’s policy allows leases of at most \(policy.longestLease) s")
        }
        return nil
    }

    /// What the approval of this request needs. Where there are no rules the record is not read for them.
    func requirement(of record: RequestRecord) throws -> Requirement {
        guard !policy.rules.isEmpty else { return .none }
        return policy.requirement(bankID: try record.bankID, period: try record.period)
    }

    /// Approval by the default device, which cannot sign.
    func refusalOfUnsigned(_ record: RequestRecord) throws -> APIError? {
        let requirement = try requirement(of: record)
        guard !requirement.isNone else { return nil }
        return .factorMissing(
            requirement.factors.union([.deviceSignature]).sorted().map(\.rawValue), requirement.reasons)
    }

    /// Why nobody could approve such a request; nil when somebody can.
    func unavailability(bankID: String, period: MonthYear) async throws -> APIError? {
        let requirement = policy.requirement(bankID: bankID, period: period)
        guard !requirement.isNone else { return nil }
        let paired = try await store.pairedDeviceCount()
        guard paired < requirement.devices else { return nil }
        let devices = requirement.devices == 1 ? "a paired device" : "\(requirement.devices) paired devices"
        return APIError(
            .conflict, .factorUnavailable,
            "the approval needs \(devices), and there \(paired == 1 ? "is 1" : "are \(paired)"); pair one with "
                + "countersign pair (\(requirement.reasons.joined(separator: "; ")))")
    }
}

extension APIError {
    static func factorMissing(_ factors: [String], _ reasons: [String]) -> APIError {
        APIError(
            .forbidden, .factorMissing,
            "the approval needs \(factors.joined(separator: ", ")) (\(reasons.joined(separator: "; ")))")
    }
}

/// What is kept of a signed approval.
struct Evidence: Sendable {
    let summary: ApprovalSummary
    let signature: DeviceSignature
}

extension RequestStore {
    func nonce(of device: DeviceID, for id: RequestID) async throws -> Nonce? {
        try await pool.read { db in
            try String.fetchOne(
                db, sql: "SELECT nonce FROM device_envelopes WHERE device_id = ? AND request_id = ?",
                arguments: [device.description, id.description]
            ).flatMap { Nonce($0) }
        }
    }

    func note(_ event: AuditEvent) async throws {
        _ = try await pool.write { db in try AuditLog.record(event, in: db) }
    }

    /// Which devices' approvals count for each request that waits, and how many they are by their keys.
    func approvals() async throws -> [RequestID: (devices: Set<String>, keys: Set<String>)] {
        try await pool.read { db in
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

    fileprivate func approve(
        _ id: RequestID, by device: PairedDevice, _ evidence: Evidence, needed: Int, at now: Date, timeout: Duration
    ) async throws -> ApprovalOutcome {
        let stamp = Timestamp(now)
        return try await pool.write { [clock, nextDeadline] db in
            guard let current = try PairedDevice.active(device.id, in: db) else { return .refused(.unauthorized) }
            guard
                try String.fetchOne(
                    db, sql: "SELECT status FROM pending_requests WHERE id = ?", arguments: [id.description])
                    == RequestStatus.pendingApproval.rawValue,
                try !Deadlines.overdue(at: now, clock, in: db).contains(where: { $0.id == id })
            else { return .refused(.conflict("the request does not wait for approval any more")) }
            try db.execute(
                sql: """
                    INSERT OR IGNORE INTO request_approvals
                        (request_id, device_id, approved_at, summary_json, signature) VALUES (?, ?, ?, ?, ?)
                    """,
                arguments: [
                    id.description, device.id.description, stamp.description,
                    String(decoding: try evidence.summary.json.canonicalBytes(), as: UTF8.self),
                    evidence.signature.description,
                ])
            guard db.changesCount == 1 else {
                return .refused(.conflict("this device has approved the request already"))
            }
            try AuditLog.record(
                AuditEvent(
                    "approval.signed", requestID: id.description,
                    details: [
                        "device": .string(device.id.description), "script": .string(evidence.summary.script),
                        "verified_by": .array(evidence.summary.verifiedBy.sorted().map { .string($0.rawValue) }),
                        "lease_seconds": .number(Double(evidence.summary.leaseSeconds)),
                    ], time: now), in: db)
            let count =
                try Int.fetchOne(
                    db,
                    sql: """
                        SELECT count(DISTINCT public_key) FROM request_approvals JOIN devices ON devices.id = device_id
                        WHERE request_id = ? AND voided_at IS NULL
                        """, arguments: [id.description]) ?? 0
            guard count >= needed else { return .counted(approvals: count, needed: needed) }
            guard
                try Self.move(
                    id, from: .pendingApproval, to: .approved, at: stamp, by: device.id.description, in: db)
            else {
                return .refused(.conflict("the request does not wait for approval any more"))
            }
            try db.execute(
                sql: "INSERT INTO request_executors (request_id, device_id, secret_sealed) VALUES (?, ?, ?)",
                arguments: [id.description, device.id.description, current.secretSealed])
            try Self.beginExecutionTime(of: id, at: now, timeout: timeout, clock, nextDeadline, in: db)
            return .approved
        }
    }

    /// Whether this caller is the one that runs the request; anybody is for one that nobody runs.
    func isRun(_ id: RequestID, by caller: CallingDevice) async throws -> Bool {
        try await pool.read { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT status, device_id FROM pending_requests
                    LEFT JOIN request_executors ON request_id = pending_requests.id WHERE pending_requests.id = ?
                    """, arguments: [id.description])
            guard let row, ["APPROVED", "EXECUTING"].contains(row["status"] as String) else { return true }
            return row["device_id"] as String? ?? CallingDevice.standardName == caller.name
        }
    }
}

extension PairedDevice {
    static func active(_ id: DeviceID, in db: Database) throws -> PairedDevice? {
        try fetchOne(
            db, sql: "SELECT \(columns) FROM devices WHERE id = ? AND removed_at IS NULL", arguments: [id.description])
    }
}
