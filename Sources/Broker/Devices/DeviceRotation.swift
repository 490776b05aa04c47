import AuditLog
import DeviceTrust
import Foundation
import GRDB
import JSON
import Secrets

extension DeviceRegistry {
    /// Agrees with a device on its next token and secret. Those that it has go on until the new token is first used.
    ///
    /// - Returns: the broker's answer to the device.
    /// - Throws: `TrustError` when the message is none.
    func rotate(_ device: PairedDevice, message: JSONValue, at now: Date) async throws -> JSONValue {
        guard let sealed = device.secretSealed else { throw StoreError(message: "the device was removed") }
        let rotation = try BrokerRotation(
            message: message, deviceID: device.id, secret: try sealing.open(sealed, as: device.purpose))
        let token = rotation.credentials.token.withUnsafeBytes { Self.digest(of: $0) }
        let secret = try sealing.seal(rotation.credentials.sharedSecret, as: device.purpose)
        try await store.pool.write { db in
            try db.execute(
                sql: """
                    UPDATE devices SET pending_token_sha256 = ?, pending_secret_sealed = ?
                    WHERE id = ? AND removed_at IS NULL AND generation = ?
                    """, arguments: [token, secret, device.id.description, device.generation])
            guard db.changesCount == 1 else { throw APIError.unauthorized }
            try AuditLog.record(
                AuditEvent("device.rotation_agreed", details: ["device": .string(device.id.description)], time: now),
                in: db)
        }
        return rotation.answer
    }
}

extension RequestStore {
    /// What was agreed on becomes what holds.
    ///
    /// - Returns: the device, or nil when another call came first or the device was removed.
    func finishRotation(of id: DeviceID, token: String, at now: Date) async throws -> PairedDevice? {
        try await pool.write { db in
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
                        "device.rotated", severity: .warning, details: ["device": .string(id.description)], time: now),
                    in: db)
            }
            return try PairedDevice.fetchOne(
                db, sql: "SELECT \(PairedDevice.columns) FROM devices WHERE id = ? AND token_sha256 = ?",
                arguments: [id.description, token])
        }
    }
}
