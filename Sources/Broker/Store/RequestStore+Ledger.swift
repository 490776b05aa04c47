import Foundation
import GRDB
import Inbox
import Signer

extension RequestStore {
    /// What would be said of this manifest now.
    func verdict(on manifest: VerifiedManifest) async throws -> DeliveryVerdict {
        try await pool.read { db in try Self.verdict(on: manifest.manifest, in: db) }
    }

    private static func verdict(on manifest: CompletionManifest, in db: Database) throws -> DeliveryVerdict {
        let id = manifest.requestID
        guard
            let record = try RequestRecord.fetchOne(
                db, sql: "SELECT * FROM pending_requests WHERE id = ?", arguments: [id.description])
        else { return .refused("no request \(id.short) is known") }
        if record.status == .completed, record.completionNonce == manifest.nonce.description { return .duplicate }
        guard record.status == .approved || record.status == .executing else {
            return .refused("the request is \(record.status.rawValue)")
        }
        let isUsed =
            try Bool.fetchOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM completion_manifests WHERE nonce = ?)",
                arguments: [manifest.nonce.description]) ?? false
        return isUsed ? .refused("the completion nonce was used before") : .accepted
    }

    /// Completes the request and keeps the manifest, in one transaction; a request that was approved and never started
    /// passes through EXECUTING.
    func complete(_ manifest: VerifiedManifest, file: URL, at now: Date) async throws -> DeliveryVerdict {
        try await pool.write { db in
            let verdict = try Self.verdict(on: manifest.manifest, in: db)
            guard verdict == .accepted else { return verdict }
            let claim = manifest.manifest
            let id = claim.requestID
            _ = try Self.move(id, from: .approved, to: .executing, at: Timestamp(now), in: db)
            guard try Self.move(id, from: .executing, to: .completed, at: Timestamp(now), in: db) else {
                return .refused("the request ended meanwhile")
            }
            try db.execute(
                sql: """
                    UPDATE pending_requests SET result_file_path = ?, result_sha256 = ?, completion_nonce = ?
                    WHERE id = ?
                    """, arguments: [file.path, claim.sha256, claim.nonce.description, id.description])
            try db.execute(
                sql: """
                    INSERT INTO completion_manifests (request_id, filename, sha256, bytes, completed_at, nonce,
                        signature, manifest_json, verified_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    id.description, claim.filename, claim.sha256, claim.bytes, claim.completedAt.description,
                    claim.nonce.description, manifest.signature, manifest.signed.json.compactText(),
                    Timestamp(now).description,
                ])
            return .accepted
        }
    }
}
