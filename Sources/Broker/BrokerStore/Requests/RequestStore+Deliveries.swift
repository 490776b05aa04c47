import Clocks
import Foundation
import GRDB
import Inbox
import Messages
import Signer

extension RequestStore {
    /// Judges a manifest against the database as it is now, and changes nothing.
    package func verdict(on manifest: VerifiedManifest) async throws -> DeliveryVerdict {
        try await database.read { db in try Self.verdict(on: manifest.manifest, in: db) }
    }

    private static func verdict(on manifest: CompletionManifest, in db: Database) throws -> DeliveryVerdict {
        if let document = manifest.document { return try verdict(on: manifest, document, in: db) }
        let id = manifest.requestID
        guard let record = try request(id, in: db) else { return .refused("request \(id.short) is unknown") }
        let nonces = try CompletionNonces(of: id, in: db)
        guard case .statement = try record.subject else { return .refused("the request is for several documents") }
        if record.status == .completed, try nonces.own(in: db) == manifest.nonce.description { return .duplicate }
        guard record.status == .approved || record.status == .executing else {
            return .refused("the request is \(record.status.rawValue)")
        }
        return try nonces.isUsed(manifest.nonce, in: db)
            ? .refused("the completion nonce was used before") : .accepted
    }

    /// Completes the request and keeps the manifest in one transaction. A request that was approved and never started
    /// passes through EXECUTING.
    package func complete(_ manifest: VerifiedManifest, file: URL, at now: Date) async throws -> DeliveryVerdict {
        try await database.write { db in
            let verdict = try Self.verdict(on: manifest.manifest, in: db)
            guard verdict == .accepted else { return verdict }
            let claim = manifest.manifest
            let id = claim.requestID
            if let document = claim.document {
                try Self.keep(manifest, document, file: file, at: now, in: db)
                return .accepted
            }
            _ = try Self.move(id, from: .approved, to: .executing, at: Timestamp(now), in: db)
            guard try Self.move(id, from: .executing, to: .completed, at: Timestamp(now), in: db) else {
                return .refused("the request ended meanwhile")
            }
            try db.execute(
                sql: "UPDATE pending_requests SET result_file_path = ?, result_sha256 = ? WHERE id = ?",
                arguments: [file.path, claim.sha256, id.description])
            try CompletionNonces(of: id, in: db).keep(manifest, verifiedAt: Timestamp(now), in: db)
            try Self.noteAccepted(id, nil, at: now, in: db)
            return .accepted
        }
    }

    /// Records a refused delivery in the audit log and with its request, so that the agent learns of it: at once when the
    /// refusal is final, and otherwise when no good delivery came in time.
    ///
    /// - Returns: the request, when it failed now.
    package func note(_ rejection: DeliveryRejection, at time: Date) async throws -> RequestID? {
        try await database.write { db in
            try RequestAudit.record(rejection, at: time, in: db)
            if let id = rejection.requestID ?? rejection.claimedRequestID {
                try db.execute(
                    sql: "UPDATE pending_requests SET refused_delivery = ? WHERE id = ?",
                    arguments: [rejection.reason, id.description])
            }
            // Of several documents, the others may still come.
            guard rejection.isFinal, let id = rejection.requestID, try Self.documents(of: id, in: db).isEmpty else {
                return nil
            }
            let error = (ErrorCode.manifestVerificationFailed, "the delivery was refused: \(rejection.reason)")
            for state in [RequestStatus.executing, .approved]
            where try Self.move(id, from: state, to: .failed, at: Timestamp(time), error: error, in: db) { return id }
            return nil
        }
    }

    /// Returns whether no delivery of a file for a request can be accepted any more.
    ///
    /// - Parameter document: the one of several documents that the file is by its name; nil for a statement.
    /// - Returns: false for a request that is not known.
    package func hasEnded(_ id: RequestID, document: DocumentID?) async throws -> Bool {
        try await database.read { db in
            guard let record = try Self.request(id, in: db), record.status.isTerminal else { return false }
            guard record.status == .completed, let document else { return true }
            // A further document of a place may come after the request is complete, and is not known before.
            return try Self.documents(of: id, in: db).contains { $0.id == document }
        }
    }

    /// Records that a file went from the inbox that was left of a delivery.
    ///
    /// - Returns: true when the delivery was taken: a broker that is killed may have removed one of its two files only.
    package func note(_ remains: DeliveryRemains, at time: Date) async throws -> Bool {
        try await database.write { db in
            let wasTaken = try Self.hasTaken(remains.document, for: remains.requestID, in: db)
            try RequestAudit.record(remains, ofTaken: wasTaken, at: time, in: db)
            return wasTaken
        }
    }

    /// - Parameter document: the one of several documents; nil for a statement.
    private static func hasTaken(_ document: DocumentID?, for id: RequestID, in db: Database) throws -> Bool {
        guard let document else { return try request(id, in: db)?.status == .completed }
        return try documents(of: id, in: db).contains { $0.id == document && $0.sha256 != nil }
    }

    /// Returns the error of a request whose execution ran out of time.
    static func executionTimeoutError(of id: RequestID, in db: Database) throws -> (code: ErrorCode, message: String?) {
        let refused = try String.fetchOne(
            db, sql: "SELECT refused_delivery FROM pending_requests WHERE id = ?", arguments: [id.description])
        guard let refused else { return (.executionTimeout, "the phone did not deliver the statement in time") }
        return (
            .manifestVerificationFailed, "a delivery was refused, and no good one came in time: \(refused)"
        )
    }
}

/// The manifests among which the nonce of one request has to be new: those of the device that runs it.
private struct CompletionNonces {
    let request: RequestID
    /// Nil for the default device.
    let device: String?

    init(of request: RequestID, in db: Database) throws {
        self.request = request
        device = try String.fetchOne(
            db, sql: "SELECT device_id FROM request_executors WHERE request_id = ?", arguments: [request.description])
    }

    private var table: String { device == nil ? "completion_manifests" : "device_manifests" }

    /// Returns the nonce that the request was completed with.
    func own(in db: Database) throws -> String? {
        try String.fetchOne(
            db, sql: "SELECT nonce FROM \(table) WHERE request_id = ?", arguments: [request.description])
    }

    func isUsed(_ nonce: Nonce, in db: Database) throws -> Bool {
        var condition = "nonce = ?"
        var arguments: StatementArguments = [nonce.description]
        if let device {
            condition += " AND device_id = ?"
            arguments += [device]
        }
        return try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM \(table) WHERE \(condition))", arguments: arguments) ?? false
    }

    func keep(_ manifest: VerifiedManifest, verifiedAt time: Timestamp, in db: Database) throws {
        let claim = manifest.manifest
        var columns = "request_id, filename, sha256, bytes, completed_at, nonce, signature, manifest_json, verified_at"
        var arguments: StatementArguments = [
            request.description, claim.filename, claim.sha256, claim.bytes, claim.completedAt.description,
            claim.nonce.description, manifest.signature, manifest.signed.json.compactText(), time.description,
        ]
        if let device {
            columns += ", device_id"
            arguments += [device]
        } else {
            try db.execute(
                sql: "UPDATE pending_requests SET completion_nonce = ? WHERE id = ?",
                arguments: [claim.nonce.description, request.description])
        }
        let marks = columns.split(separator: ",").map { _ in "?" }.joined(separator: ", ")
        try db.execute(sql: "INSERT INTO \(table) (\(columns)) VALUES (\(marks))", arguments: arguments)
    }
}
