import AuditLog
import Clocks
import DeviceTrust
import Foundation
import GRDB
import JSON
import Messages

/// A device that cannot be found by what it was called.
public struct DeviceNameError: Error, Sendable, CustomStringConvertible {
    public let message: String

    public var description: String { message }
}

/// What the owner of the broker does to its devices; effective with the devices' next call.
extension RequestStore {
    /// Those that are not removed, the oldest first.
    public func devices() async throws -> [PairedDevice] {
        try await pool.read { db in
            try PairedDevice.fetchAll(
                db,
                sql: "SELECT \(PairedDevice.columns) FROM devices WHERE removed_at IS NULL ORDER BY created_at, id")
        }
    }

    /// One that was paired twice with the same key is one.
    func pairedDeviceCount() async throws -> Int {
        try await pool.read { db in
            try Int.fetchOne(db, sql: "SELECT count(DISTINCT public_key) FROM devices WHERE removed_at IS NULL") ?? 0
        }
    }

    /// When the default device last called.
    public func defaultDeviceSeen() async throws -> Timestamp? {
        try await pool.read { db in
            try String.fetchOne(
                db, sql: "SELECT last_seen_at FROM device_sightings WHERE device_id = ?",
                arguments: [CallingDevice.standardName]
            ).flatMap { Timestamp($0) }
        }
    }

    /// The device that is called so: its id, the beginning of it (four characters at least), or its name.
    ///
    /// - Throws: ``DeviceNameError`` when there is none, or more than one.
    public func device(called text: String) async throws -> PairedDevice {
        let all = try await devices()
        let found = all.filter { device in
            device.name == text || (text.count >= 4 && device.id.description.hasPrefix(text.lowercased()))
        }
        guard let device = found.first else {
            throw DeviceNameError(
                message: all.isEmpty
                    ? "no device is paired; begin with: countersign pair"
                    : "no device is called “\(text)”; countersign devices list shows those that there are")
        }
        guard found.count == 1 else {
            throw DeviceNameError(message: "“\(text)” are \(found.count) devices; give the whole id of one")
        }
        return device
    }

    /// - Throws: ``DeviceNameError`` when the name cannot be shown.
    public func rename(_ id: DeviceID, to name: String) async throws {
        guard let name = DeviceName.checked(name) else {
            throw DeviceNameError(message: "a device’s name has 1 to 64 characters that can be seen")
        }
        try await change(id, "device.renamed", ["name": .string(name)]) { db in
            try db.execute(
                sql: "UPDATE devices SET name = ? WHERE id = ? AND removed_at IS NULL",
                arguments: [name, id.description])
        }
    }

    /// Asks the device to exchange its token and its secret for new ones.
    public func requestRotation(of id: DeviceID) async throws {
        try await change(id, "device.rotation_requested", [:]) { db in
            try db.execute(
                sql: "UPDATE devices SET rotation_requested = 1 WHERE id = ? AND removed_at IS NULL",
                arguments: [id.description])
        }
    }

    private func change(
        _ id: DeviceID, _ type: String, _ details: [String: JSONValue],
        _ update: @escaping @Sendable (Database) throws -> Void
    ) async throws {
        let time = clock.now
        try await pool.write { db in
            try update(db)
            guard db.changesCount == 1 else { throw DeviceNameError(message: "the device was removed meanwhile") }
            let details = details.merging(["device": .string(id.description)]) { $1 }
            try AuditLog.record(AuditEvent(type, details: .object(details), time: time), in: db)
        }
    }

    /// Throws a device out: its token and its secret are gone, its approvals of requests that are still open are void,
    /// and what it was about to run has failed with DEVICE_REMOVED.
    ///
    /// - Returns: the requests that failed.
    @discardableResult
    public func remove(_ id: DeviceID) async throws -> [RequestID] {
        let now = Timestamp(clock.now)
        return try await pool.write { db in
            try db.execute(
                sql: """
                    UPDATE devices SET removed_at = ?, token_sha256 = NULL, secret_sealed = NULL,
                        pending_token_sha256 = NULL, pending_secret_sealed = NULL, rotation_requested = 0
                    WHERE id = ? AND removed_at IS NULL
                    """, arguments: [now.description, id.description])
            guard db.changesCount == 1 else { throw DeviceNameError(message: "the device was removed meanwhile") }
            let failed = try Self.failRequests(approvedBy: id, at: now, in: db)
            try db.execute(
                sql: """
                    UPDATE request_approvals SET voided_at = ? WHERE device_id = ? AND request_id IN (
                        SELECT id FROM pending_requests WHERE status = 'PENDING_APPROVAL')
                    """, arguments: [now.description, id.description])
            let voided = db.changesCount
            try db.execute(
                sql: "UPDATE request_executors SET secret_sealed = NULL WHERE device_id = ?",
                arguments: [id.description])
            try AuditLog.record(
                AuditEvent(
                    "device.removed", severity: .warning,
                    details: [
                        "device": .string(id.description), "approvals_voided": .number(Double(voided)),
                        "requests_failed": .number(Double(failed.count)),
                    ], time: now.date), in: db)
            return failed
        }
    }

    /// Ends what runs, or is about to, on this device's word, alone or with others'.
    private static func failRequests(approvedBy id: DeviceID, at now: Timestamp, in db: Database) throws -> [RequestID]
    {
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
                try move(
                    request, from: status, to: .failed, at: now,
                    error: (.deviceRemoved, "a device that had approved the request was removed"), in: db)
            else { continue }
            failed.append(request)
            try db.execute(
                sql: "UPDATE request_approvals SET voided_at = ? WHERE device_id = ? AND request_id = ?",
                arguments: [now.description, id.description, request.description])
            try db.execute(sql: "INSERT INTO changes_beside (request_id) VALUES (?)", arguments: [request.description])
        }
        return failed
    }

    /// The requests that were changed beside the broker since the last look.
    func takeChangesBeside() async throws -> [RequestID] {
        let ids = try await pool.read { db in
            try String.fetchAll(db, sql: "SELECT request_id FROM changes_beside ORDER BY id")
        }
        guard !ids.isEmpty else { return [] }
        try await pool.write { db in
            try db.execute(
                sql: "DELETE FROM changes_beside WHERE request_id IN (\(ids.map { _ in "?" }.joined(separator: ", ")))",
                arguments: StatementArguments(ids))
        }
        return ids.compactMap { RequestID($0) }
    }
}
