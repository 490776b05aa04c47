import AuditLog
import Clocks
import DeviceTrust
import Encodings
import Foundation
import GRDB
import JSON
import Messages
import Secrets
import Signer

import struct Crypto.SHA256

/// The devices as the running broker deals with them: who calls, with which secret.
struct DeviceRegistry: Sendable {
    let store: RequestStore
    let sealing: Sealing
    let standard: DefaultDevice?

    /// How exactly it is noted when a device called.
    private static let sightingInterval: TimeInterval = 10

    static func digest(of token: some Collection<UInt8>) -> String {
        Base16.encode(SHA256.hash(data: Data(token)))
    }

    /// The device whose token this is. The first call with the token of a rotation is what ends the one before.
    func device(showing token: Substring, at now: Date) async throws -> CallingDevice? {
        if let standard, standard.token.isEqual(toBytes: token.utf8) {
            try await see(CallingDevice.standardName, at: now)
            return .standard(standard)
        }
        let digest = Self.digest(of: token.utf8)
        let found = try await store.pool.read { db in
            try Row.fetchOne(
                db,
                sql: """
                    SELECT \(PairedDevice.columns) FROM devices
                    WHERE token_sha256 = :digest OR (pending_token_sha256 = :digest AND removed_at IS NULL)
                    """, arguments: ["digest": digest]
            ).map { row in (try PairedDevice(row: row), row["token_sha256"] as String? == digest) }
        }
        guard case (var device, let isCurrent)? = found else { return nil }
        if !isCurrent {
            guard let rotated = try await store.finishRotation(of: device.id, token: digest, at: now) else {
                return nil
            }
            device = rotated
        }
        try await see(device.id.description, at: now)
        return .paired(device)
    }

    private func see(_ name: String, at now: Date) async throws {
        let stamp = Timestamp(now)
        let last = try await store.pool.read { db in
            try String.fetchOne(
                db, sql: "SELECT last_seen_at FROM device_sightings WHERE device_id = ?", arguments: [name])
        }
        if let last = last.flatMap({ Timestamp($0) }),
            abs(stamp.date.timeIntervalSince(last.date)) < Self.sightingInterval
        {
            return
        }
        try await store.pool.write { db in
            try db.execute(
                sql: "INSERT OR REPLACE INTO device_sightings (device_id, last_seen_at) VALUES (?, ?)",
                arguments: [name, stamp.description])
        }
    }

    func secret(of device: PairedDevice) throws -> SharedSecret {
        guard let sealed = device.secretSealed else { throw StoreError(message: "the device was removed") }
        return try SharedSecret(try sealing.open(sealed, as: device.purpose))
    }

    func secret(of caller: CallingDevice) throws -> SharedSecret {
        switch caller {
        case .standard(let device): device.secret
        case .paired(let device): try secret(of: device)
        }
    }

    /// The secrets with which a manifest about this request may be signed: those of the device that runs it, and of no
    /// other. A device whose secret was rotated since it approved may have signed with either.
    func manifestSecrets(of id: RequestID) async throws -> [SharedSecret] {
        let executor = try await store.pool.read { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT devices.id, devices.removed_at, devices.secret_sealed AS now, request_executors.secret_sealed
                        AS earlier
                    FROM request_executors JOIN devices ON devices.id = request_executors.device_id
                    WHERE request_id = ?
                    """, arguments: [id.description])
            return row.map { row -> (device: String, sealed: Set<Data>) in
                let sealed = [row["now"] as Data?, row["earlier"] as Data?].compactMap(\.self)
                return (row["id"], row["removed_at"] as String? == nil ? Set(sealed) : [])
            }
        }
        guard let executor else { return standard.map { [$0.secret] } ?? [] }
        guard let device = DeviceID(executor.device) else { return [] }
        return try executor.sealed.map { try SharedSecret(try sealing.open($0, as: PairedDevice.purpose(device))) }
    }

    // MARK: Envelopes

    /// The requests as this device gets them: signed with its secret, each under a nonce of its own.
    func envelopes(of records: [RequestRecord], for device: PairedDevice) async throws -> [RequestID: JSONValue] {
        let secret = try secret(of: device)
        let nonces = try await store.nonces(of: device.id, for: records.map(\.id))
        return try records.reduce(into: [:]) { envelopes, record in
            guard let nonce = nonces[record.id] else { return }
            envelopes[record.id] = try record.envelope(nonce: nonce).signed(with: secret).json
        }
    }
}

extension RequestStore {
    /// A device's nonce for each request, made where there is none yet.
    func nonces(of device: DeviceID, for ids: [RequestID]) async throws -> [RequestID: Nonce] {
        let known = try await pool.read { db in try Self.nonces(of: device, in: db) }
        let missing = ids.filter { known[$0] == nil }
        guard !missing.isEmpty else { return known }
        return try await pool.write { db in
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
