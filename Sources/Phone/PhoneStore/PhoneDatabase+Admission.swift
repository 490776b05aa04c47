import Crypto
import DeviceTrust
import Encodings
import Foundation
import GRDB
import Messages
import Secrets
import Signer
import Storage

/// The reason why an envelope may not be shown for approval.
package struct Refusal: Sendable, Hashable {
    /// The request id that the envelope claims.
    package let requestID: String?
    package let reason: String
    /// The reason in words, for the person.
    package let message: String
    package let seenAt: Date
}

extension PhoneDatabase {
    /// The shortest time, in seconds, for which the phone remembers nonces and request ids (specification, section
    /// 7.2).
    static let memory: TimeInterval = 24 * 3600

    package enum Admission: Sendable, Hashable {
        case admitted
        /// The phone already has this envelope.
        case known
        /// Another envelope used the nonce or the id before.
        case replayed
    }

    /// Stores a verified envelope as pending, once, with the requirement that the broker names now.
    package func admit(
        _ verified: VerifiedEnvelope, needs: RequestNeeds = RequestNeeds(), at now: Date
    ) async throws -> Admission {
        let envelope = verified.envelope
        let json = String(decoding: try verified.signed.json.canonicalBytes(), as: UTF8.self)
        let parameters = String(decoding: try envelope.parameters.canonicalBytes(), as: UTF8.self)
        let requirement = String(
            decoding: try needs.requirement.json(approvals: needs.approvals).canonicalBytes(), as: UTF8.self)
        return try await database.write { database in
            let id = envelope.requestID.description
            let nonce = envelope.nonce.description
            if let row = try Row.fetchOne(
                database, sql: "SELECT envelope_json FROM requests WHERE id = ? OR nonce = ?", arguments: [id, nonce])
            {
                let stored: String = row["envelope_json"]
                guard try stored == json || Self.isSame(stored, as: verified.signed) else { return .replayed }
                try database.execute(
                    sql: """
                        UPDATE requests SET envelope_json = ?, signature = ?, requirement_json = ?, approved_here = ?
                        WHERE id = ? AND status = 'PENDING_APPROVAL'
                            AND (envelope_json <> ? OR requirement_json IS NOT ? OR approved_here <> ?)
                        """,
                    arguments: [
                        json, verified.signature, requirement, needs.isApprovedHere, id, json, requirement,
                        needs.isApprovedHere,
                    ])
                return .known
            }
            let keepUntil = max(now, envelope.approvalExpiresAt.date).addingTimeInterval(Self.memory)
            try database.execute(
                sql: "INSERT OR IGNORE INTO admitted VALUES (?, ?, ?)",
                arguments: [nonce, id, StoreTime.text(keepUntil)])
            guard database.changesCount == 1 else { return .replayed }
            try database.execute(
                sql: """
                    INSERT INTO requests (id, nonce, signature, signature_valid, envelope_json, bank_id, request_type,
                        parameters_json, status, created_at, updated_at, issued_at, approval_expires_at,
                        requirement_json, approved_here)
                    VALUES (?, ?, ?, 1, ?, ?, ?, ?, 'PENDING_APPROVAL', ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    id, nonce, verified.signature, json, envelope.bankID, envelope.subject.type, parameters,
                    StoreTime.text(now),
                    StoreTime.text(now), StoreTime.text(envelope.issuedAt.date),
                    StoreTime.text(envelope.approvalExpiresAt.date), requirement, needs.isApprovedHere,
                ])
            try AuditLog.record(
                AuditEvent(
                    .requestReceived, requestID: id,
                    details: ["bank_id": .string(envelope.bankID), "params": envelope.parameters], time: now),
                in: database)
            return .admitted
        }
    }

    /// Returns whether two envelopes agree in everything but the signature, which changes when the broker and the phone
    /// agree on another secret.
    private static func isSame(_ stored: String, as signed: SignedEnvelope) throws -> Bool {
        func unsigned(_ json: JSONValue) -> [String: JSONValue]? {
            json.objectValue.map { members in members.filter { $0.key != "signature" } }
        }
        guard let json = try? JSONReader.read(Data(stored.utf8)), let members = unsigned(json) else { return false }
        return members == unsigned(signed.json)
    }

    /// Marks that this phone has approved and that the request waits for another device.
    package func markApprovedHere(_ id: RequestID, for needs: RequestNeeds, at now: Date) async throws {
        let json = try needs.requirement.json(approvals: needs.approvals).canonicalBytes()
        let requirement = String(decoding: json, as: UTF8.self)
        try await database.write { database in
            try database.execute(
                sql: """
                    UPDATE requests SET decision = NULL, approved_here = 1, requirement_json = ?, updated_at = ?
                    WHERE id = ? AND status = 'PENDING_APPROVAL'
                    """,
                arguments: [requirement, StoreTime.text(now), id.description])
            try AuditLog.record(
                AuditEvent(
                    .approvalWaiting, requestID: id.description,
                    details: [
                        "approvals": .number(Double(needs.approvals)),
                        "needed": .number(Double(needs.requirement.devices)),
                    ], time: now), in: database)
        }
    }

    /// Ends the requests that this phone has approved and that the broker no longer lists: another device carries them
    /// on.
    package func handOver(except listed: Set<RequestID>, at now: Date) async throws -> [RequestID] {
        var gone: [RequestID] = []
        let waiting = try await requests([.pendingApproval]).filter { $0.needs.isApprovedHere }
        for stored in waiting where !listed.contains(stored.id) {
            let change = Change(
                errorCode: .otherDevice, errorMessage: "approved here, and carried on by another device")
            if try await move(stored.id, from: .pendingApproval, to: .expired, at: now, change) {
                gone.append(stored.id)
            }
        }
        return gone
    }

    /// The most refusals that the store keeps; a lying broker must not fill the disk.
    static let refusalLimit = 500

    /// Stores and audits a refusal, once for each envelope.
    package func refuse(_ envelope: SignedEnvelope, reason: String, message: String, at now: Date) async throws
        -> Refusal
    {
        let fingerprint = Base16.encode(SHA256.hash(data: (try? envelope.json.canonicalBytes()) ?? []))
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
                    .requestRefused, severity: .warning, requestID: claimed,
                    details: ["reason": .string(reason), "message": .string(message)], time: now), in: database)
        }
        return refusal
    }

    /// Returns the refusals, the newest first.
    package func refusals(limit: Int = 50) async throws -> [Refusal] {
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

    /// Deletes nonces and refusals whose time is over. Requests stay.
    package func deleteOutdated(at now: Date) async throws {
        try await database.write { database in
            try database.execute(sql: "DELETE FROM admitted WHERE keep_until < ?", arguments: [StoreTime.text(now)])
            let horizon = StoreTime.text(now.addingTimeInterval(-Self.memory))
            try database.execute(sql: "DELETE FROM refusals WHERE created_at < ?", arguments: [horizon])
        }
    }
}
