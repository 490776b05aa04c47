import Clocks
import DeviceTrust
import Encodings
import Foundation
import GRDB
import Messages
import Storage

/// The paired devices, the times of their calls, and the nonces under which they receive requests.
///
/// The public methods are what the broker's owner does to devices. They take effect at a device's next call.
package struct DeviceStore: Sendable {
    let database: BrokerDatabase

    /// The name of the device of `PHONE_API_TOKEN` in the tables.
    package static let defaultDeviceName = "default"

    private static let columns =
        "devices.*, (SELECT last_seen_at FROM device_sightings WHERE device_id = devices.id) AS seen"

    // MARK: Finding

    /// Returns the devices that are not removed, the oldest first.
    package func devices() async throws -> [PairedDevice] {
        try await database.read { db in
            try Row.fetchAll(
                db, sql: "SELECT \(Self.columns) FROM devices WHERE removed_at IS NULL ORDER BY created_at, id"
            ).map { try PairedDevice(row: $0) }
        }
    }

    /// Returns the device with this name or id.
    ///
    /// - Parameter text: its id, at least the first four characters of the id, or its name.
    /// - Throws: ``DeviceNameError`` unless exactly one device matches.
    package func device(called text: String) async throws -> PairedDevice {
        let all = try await devices()
        let found = all.filter { device in
            device.name == text || (text.count >= 4 && device.id.description.hasPrefix(text.lowercased()))
        }
        guard let device = found.first else {
            throw DeviceNameError(
                message: all.isEmpty
                    ? "no device is paired; begin with: countersign pair"
                    : "no device is called “\(text)”; countersign devices list shows the paired devices")
        }
        guard found.count == 1 else {
            throw DeviceNameError(message: "“\(text)” matches \(found.count) devices; give the whole id of one")
        }
        return device
    }

    /// Returns the device with this token.
    ///
    /// - Parameter digest: the SHA-256 of its token, or of the token that a rotation agreed on.
    /// - Returns: the device, and whether the token is the current one; nil when no device has it.
    package func device(withToken digest: String) async throws -> (device: PairedDevice, isCurrent: Bool)? {
        try await database.read { db in
            try Row.fetchOne(
                db,
                sql: """
                    SELECT \(Self.columns) FROM devices
                    WHERE token_sha256 = :digest OR (pending_token_sha256 = :digest AND removed_at IS NULL)
                    """, arguments: ["digest": digest]
            ).map { row in (try PairedDevice(row: row), row["token_sha256"] as String? == digest) }
        }
    }

    /// Returns the SHA-256 of each device's token, in Base16, and of those that a rotation agreed on.
    package func tokenDigests() async throws -> [String] {
        try await database.read { db in
            try String.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT token_sha256 FROM devices WHERE removed_at IS NULL
                        UNION ALL SELECT pending_token_sha256 FROM devices
                        WHERE removed_at IS NULL AND pending_token_sha256 IS NOT NULL
                        """))
        }
    }

    /// Returns the device unless it was removed.
    static func active(_ id: DeviceID, in db: Database) throws -> PairedDevice? {
        try Row.fetchOne(
            db, sql: "SELECT \(columns) FROM devices WHERE id = ? AND removed_at IS NULL", arguments: [id.description]
        ).map { try PairedDevice(row: $0) }
    }

    /// Returns whether a device with this id was ever paired.
    static func isKnown(_ id: DeviceID, in db: Database) throws -> Bool {
        try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM devices WHERE id = ?)", arguments: [id.description]) ?? false
    }

    // MARK: Calls

    /// Returns the time of the default device's last call.
    package func defaultDeviceSeen() async throws -> Timestamp? { try await lastCall(of: Self.defaultDeviceName) }

    /// - Parameter name: the device's id, or `default`.
    package func lastCall(of name: String) async throws -> Timestamp? {
        try await database.read { db in
            try String.fetchOne(
                db, sql: "SELECT last_seen_at FROM device_sightings WHERE device_id = ?", arguments: [name]
            ).flatMap { Timestamp($0) }
        }
    }

    /// - Parameter connects: true to record a connection in the audit log.
    package func noteCall(of name: String, at time: Timestamp, connects: Bool) async throws {
        try await database.write { db in
            if connects {
                try AuditLog.record(
                    AuditEvent(.deviceConnected, details: ["device": .string(name)], time: time.date), in: db)
            }
            try db.execute(
                sql: "INSERT OR REPLACE INTO device_sightings (device_id, last_seen_at) VALUES (?, ?)",
                arguments: [name, time.description])
        }
    }

    // MARK: The default device

    /// Returns whether the device of `PHONE_API_TOKEN` may call.
    package func isDefaultDeviceOn() async throws -> Bool {
        try await database.read { db in try Self.isDefaultDeviceOn(in: db) }
    }

    private static func isDefaultDeviceOn(in db: Database) throws -> Bool {
        try Bool.fetchOne(db.cachedStatement(sql: "SELECT is_on FROM default_device")) ?? true
    }

    /// Switches the device of `PHONE_API_TOKEN` on or off. It takes effect at its next call.
    package func switchDefaultDevice(on isOn: Bool) async throws {
        let now = database.clock.now
        try await database.write { db in try Self.switchDefaultDevice(on: isOn, at: now, in: db) }
    }

    static func switchDefaultDevice(on isOn: Bool, at now: Date, in db: Database) throws {
        guard try isDefaultDeviceOn(in: db) != isOn else { return }
        try db.execute(sql: "UPDATE default_device SET is_on = ?", arguments: [isOn])
        try AuditLog.record(
            AuditEvent(.deviceDefaultSwitched, severity: .warning, details: ["on": .bool(isOn)], time: now), in: db)
    }

    /// Returns whether any device is paired now.
    static func isAnyPaired(in db: Database) throws -> Bool {
        try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM devices WHERE removed_at IS NULL)") ?? false
    }

    // MARK: Changing

    /// Stores a newly paired device.
    static func insert(
        _ hello: PairingHello, name: String, token: String, secret: Data, at now: Date, in db: Database
    ) throws {
        try db.execute(
            sql: """
                INSERT INTO devices (id, name, public_key, token_sha256, secret_sealed, created_at)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                hello.deviceID.description, name, hello.publicKey.description, token, secret,
                Timestamp(now).description,
            ])
    }

    /// Gives the device another name.
    ///
    /// - Throws: ``DeviceNameError`` when the name cannot be shown, or the device was removed.
    package func rename(_ id: DeviceID, to name: String) async throws {
        guard let name = DeviceName.checked(name) else {
            throw DeviceNameError(message: "a device's name has 1 to 64 visible characters")
        }
        try await change(id, .deviceRenamed, ["name": .string(name)]) { db in
            try db.execute(
                sql: "UPDATE devices SET name = ? WHERE id = ? AND removed_at IS NULL",
                arguments: [name, id.description])
        }
    }

    /// Asks the device to exchange its token and its secret for new ones.
    ///
    /// - Throws: ``DeviceNameError`` when the device was removed.
    package func requestRotation(of id: DeviceID) async throws {
        try await change(id, .deviceRotationRequested, [:]) { db in
            try db.execute(
                sql: "UPDATE devices SET rotation_requested = 1 WHERE id = ? AND removed_at IS NULL",
                arguments: [id.description])
        }
    }

    private func change(
        _ id: DeviceID, _ kind: AuditKind, _ details: [String: JSONValue],
        _ update: @escaping @Sendable (Database) throws -> Void
    ) async throws {
        let time = database.clock.now
        try await database.write { db in
            try update(db)
            guard db.changesCount == 1 else { throw DeviceNameError(message: "the device was removed meanwhile") }
            let details = details.merging(["device": .string(id.description)]) { $1 }
            try AuditLog.record(AuditEvent(kind, details: .object(details), time: time), in: db)
        }
    }

    /// Removes a device: deletes its token and secret, voids its approvals of open requests, and fails the requests that
    /// it was about to run with DEVICE_REMOVED.
    ///
    /// - Parameter remover: the device that asked for it; nil for the owner at the broker's machine.
    /// - Returns: the requests that failed.
    /// - Throws: ``DeviceNameError`` when the device was removed before.
    @discardableResult
    package func remove(_ id: DeviceID, by remover: DeviceID? = nil) async throws -> [RequestID] {
        let now = Timestamp(database.clock.now)
        return try await database.write { db in
            try db.execute(
                sql: """
                    UPDATE devices SET removed_at = ?, token_sha256 = NULL, secret_sealed = NULL,
                        pending_token_sha256 = NULL, pending_secret_sealed = NULL, rotation_requested = 0
                    WHERE id = ? AND removed_at IS NULL
                    """, arguments: [now.description, id.description])
            guard db.changesCount == 1 else { throw DeviceNameError(message: "the device was removed meanwhile") }
            let failed = try ApprovalStore.failRequests(approvedBy: id, at: now, in: db)
            let voided = try ApprovalStore.voidPendingApprovals(by: id, at: now, in: db)
            try ApprovalStore.forgetSecrets(of: id, in: db)
            try OwnerStore.forgetPhone(id.description, in: db)
            try AuditLog.record(
                AuditEvent(
                    .deviceRemoved, severity: .warning,
                    details: [
                        "device": .string(id.description), "by": .string(remover?.description ?? "owner"),
                        "approvals_voided": .number(Double(voided)),
                        "requests_failed": .number(Double(failed.count)),
                    ], time: now.date), in: db)
            return failed
        }
    }

    /// Records that a device asked for a removal that it had not signed.
    package func recordRefusedRemoval(of id: DeviceID, by device: DeviceID, _ reason: String, at now: Date) async throws
    {
        _ = try await database.write { db in
            try AuditLog.record(
                AuditEvent(
                    .deviceRemovalRefused, severity: .critical,
                    details: [
                        "device": .string(id.description), "by": .string(device.description), "reason": .string(reason),
                    ], time: now), in: db)
        }
    }

    // MARK: Rotation

    /// Stores the token and secret that a rotation agreed on, beside those that hold until the new token is used.
    ///
    /// - Parameters:
    ///   - token: the SHA-256 of the new token.
    ///   - secret: the new secret, sealed.
    /// - Returns: false when the device was removed, or another rotation was finished meanwhile.
    package func agreeOnRotation(of device: PairedDevice, token: String, secret: Data, at now: Date) async throws
        -> Bool
    {
        try await database.write { db in
            try db.execute(
                sql: """
                    UPDATE devices SET pending_token_sha256 = ?, pending_secret_sealed = ?
                    WHERE id = ? AND removed_at IS NULL AND generation = ?
                    """, arguments: [token, secret, device.id.description, device.generation])
            guard db.changesCount == 1 else { return false }
            try AuditLog.record(
                AuditEvent(.deviceRotationAgreed, details: ["device": .string(device.id.description)], time: now),
                in: db)
            return true
        }
    }

    /// Makes the pending token and secret the current ones.
    ///
    /// - Returns: the device; nil when it was removed, or does not have this token.
    package func finishRotation(of id: DeviceID, token: String, at now: Date) async throws -> PairedDevice? {
        try await database.write { db in
            try db.execute(
                sql: """
                    UPDATE devices SET token_sha256 = pending_token_sha256, secret_sealed = pending_secret_sealed,
                        pending_token_sha256 = NULL, pending_secret_sealed = NULL, rotation_requested = 0,
                        generation = generation + 1
                    WHERE id = ? AND pending_token_sha256 = ? AND removed_at IS NULL
                    """, arguments: [id.description, token])
            if db.changesCount == 1 {
                try AuditLog.record(
                    AuditEvent(
                        .deviceRotated, severity: .warning, details: ["device": .string(id.description)], time: now),
                    in: db)
            }
            return try Row.fetchOne(
                db, sql: "SELECT \(Self.columns) FROM devices WHERE id = ? AND token_sha256 = ?",
                arguments: [id.description, token]
            ).map { try PairedDevice(row: $0) }
        }
    }

    // MARK: Envelopes

    /// Returns the nonce under which the device received this request; nil when it never did.
    package func nonce(of device: DeviceID, for id: RequestID) async throws -> Nonce? {
        try await database.read { db in
            try String.fetchOne(
                db, sql: "SELECT nonce FROM device_envelopes WHERE device_id = ? AND request_id = ?",
                arguments: [device.description, id.description]
            ).flatMap { Nonce($0) }
        }
    }

    /// Returns the device's nonce for each of these pending requests, and makes those that are missing.
    package func nonces(of device: DeviceID, for ids: [RequestID]) async throws -> [RequestID: Nonce] {
        let known = try await database.read { db in try Self.nonces(of: device, in: db) }
        let missing = ids.filter { known[$0] == nil }
        guard !missing.isEmpty else { return known }
        return try await database.write { db in
            for id in missing {
                try db.execute(
                    sql: "INSERT OR IGNORE INTO device_envelopes (device_id, request_id, nonce) VALUES (?, ?, ?)",
                    arguments: [device.description, id.description, Nonce().description])
            }
            return try Self.nonces(of: device, in: db)
        }
    }

    private static func nonces(of device: DeviceID, in db: Database) throws -> [RequestID: Nonce] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT request_id, device_envelopes.nonce FROM device_envelopes
                JOIN pending_requests ON pending_requests.id = request_id
                WHERE device_id = ? AND status = 'PENDING_APPROVAL'
                """, arguments: [device.description])
        return Dictionary(
            rows.compactMap { row in
                guard let id = RequestID(row["request_id"] as String), let nonce = Nonce(row["nonce"] as String) else {
                    return nil
                }
                return (id, nonce)
            }, uniquingKeysWith: { $1 })
    }
}

extension PairedDevice {
    /// Reads a row of `devices` with the device's last call as `seen`.
    fileprivate init(row: Row) throws {
        guard let id = DeviceID(row["id"] as String), let key = DevicePublicKey(row["public_key"] as String),
            let createdAt = Timestamp(row["created_at"] as String)
        else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a device's row cannot be read") }
        self.init(
            id: id, name: row["name"], publicKey: key, createdAt: createdAt,
            lastSeenAt: (row["seen"] as String?).flatMap { Timestamp($0) },
            isRotationRequested: row["rotation_requested"], generation: row["generation"],
            secretSealed: row["secret_sealed"])
    }
}
