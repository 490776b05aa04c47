import AuditLog
import Crypto
import Foundation
import GRDB
import JSON
import Signer

/// Why an envelope may not be shown for approval.
public struct Refusal: Sendable, Hashable {
    /// What it claims to be called.
    public let requestID: String?
    public let reason: String
    /// For the person, in words.
    public let message: String
    public let seenAt: Date
}

extension PhoneStore {
    /// The shortest time for which nonces and request ids are remembered (specification, section 7.2), in seconds.
    static let memory: TimeInterval = 24 * 3600

    enum Admission: Sendable, Hashable {
        case admitted
        /// The very same envelope is here already.
        case known
        /// The nonce or the id was used before, by another envelope.
        case replayed
    }

    /// Remembers a verified envelope as pending, once.
    func admit(_ verified: VerifiedEnvelope, at now: Date) async throws -> Admission {
        let envelope = verified.envelope
        let json = String(decoding: try verified.signed.json.canonicalBytes(), as: UTF8.self)
        let parameters = String(decoding: try envelope.parameters.canonicalBytes(), as: UTF8.self)
        return try await database.write { database in
            let id = envelope.requestID.description
            let nonce = envelope.nonce.description
            if let row = try Row.fetchOne(
                database, sql: "SELECT envelope_json FROM requests WHERE id = ? OR nonce = ?", arguments: [id, nonce])
            {
                return row["envelope_json"] == json ? .known : .replayed
            }
            let keepUntil = max(now, envelope.approvalExpiresAt.date).addingTimeInterval(Self.memory)
            try database.execute(
                sql: "INSERT OR IGNORE INTO admitted VALUES (?, ?, ?)",
                arguments: [nonce, id, StoreTime.text(keepUntil)])
            guard database.changesCount == 1 else { return .replayed }
            try database.execute(
                sql: """
                    INSERT INTO requests (id, nonce, signature, signature_valid, envelope_json, bank_id, request_type,
                        parameters_json, status, created_at, updated_at, issued_at, approval_expires_at)
                    VALUES (?, ?, ?, 1, ?, ?, 'statement', ?, 'PENDING_APPROVAL', ?, ?, ?, ?)
                    """,
                arguments: [
                    id, nonce, verified.signature, json, envelope.bankID, parameters, StoreTime.text(now),
                    StoreTime.text(now), StoreTime.text(envelope.issuedAt.date),
                    StoreTime.text(envelope.approvalExpiresAt.date),
                ])
            try AuditLog.record(
                AuditEvent(
                    "request.received", requestID: id,
                    details: ["bank_id": .string(envelope.bankID), "params": envelope.parameters], time: now),
                in: database)
            return .admitted
        }
    }

    /// The most refusals that are kept; a broker that lies must not fill the disk.
    static let refusalLimit = 500

    /// Remembers and audits a refusal, once for each envelope.
    func refuse(_ envelope: SignedEnvelope, reason: String, message: String, at now: Date) async throws -> Refusal {
        let fingerprint = SHA256.hash(data: (try? envelope.json.canonicalBytes()) ?? [])
            .map { String(format: "%02x", $0) }.joined()
        let claimed = envelope.claimedRequestID.map { String($0.prefix(64)) }
        let refusal = Refusal(requestID: claimed, reason: reason, message: message, seenAt: now)
        try await database.write { database in
            let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM refusals") ?? 0
            guard count < Self.refusalLimit else { return }
            try database.execute(
                sql: "INSERT OR IGNORE INTO refusals VALUES (?, ?, ?, ?, ?)",
                arguments: [fingerprint, claimed, reason, message, StoreTime.text(now)])
            guard database.changesCount == 1 else { return }
            try AuditLog.record(
                AuditEvent(
                    "request.refused", severity: .warning, requestID: claimed,
                    details: ["reason": .string(reason), "message": .string(message)], time: now), in: database)
        }
        return refusal
    }

    /// Newest first.
    public func refusals(limit: Int = 50) async throws -> [Refusal] {
        try await database.read { database in
            try Row.fetchAll(
                database, sql: "SELECT * FROM refusals ORDER BY created_at DESC LIMIT ?", arguments: [limit]
            )
            .map {
                Refusal(
                    requestID: $0["request_id"], reason: $0["reason"], message: $0["message"],
                    seenAt: StoreTime.date($0["created_at"]) ?? .distantPast)
            }
        }
    }

    /// Forgets nonces whose time is over, refusals older than that, and keeps the requests.
    func forget(at now: Date) async throws {
        try await database.write { database in
            try database.execute(sql: "DELETE FROM admitted WHERE keep_until < ?", arguments: [StoreTime.text(now)])
            let horizon = StoreTime.text(now.addingTimeInterval(-Self.memory))
            try database.execute(sql: "DELETE FROM refusals WHERE created_at < ?", arguments: [horizon])
        }
    }
}
