import BankScript
import Encodings
import Foundation
import GRDB
import Messages
import Storage

extension PhoneDatabase {
    /// The refused one-time codes in a row after which a bank is on hold.
    static let wrongCodeLimit = 2

    /// Returns the hold on a bank; nil without one, or when other credentials have been stored since.
    package func hold(onBank bankID: String) async throws -> SignInHold? {
        try await database.read { database in
            let version = try Self.credentialsVersion(forBank: bankID, in: database)
            let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT hold_id, reason, held_at FROM refused_sign_ins
                    WHERE bank_id = ? AND credentials_version = ? AND hold_id IS NOT NULL
                    """, arguments: [bankID, version])
            guard let row else { return nil }
            return SignInHold(
                id: row["hold_id"], bankID: bankID,
                reason: (row["reason"] as String?).flatMap(FailureReason.init(rawValue:)),
                since: StoreTime.date(row["held_at"]) ?? .distantPast)
        }
    }

    /// Returns how many one-time codes in a row the bank has refused since it last accepted a sign-in.
    package func codesRefused(byBank bankID: String, credentials version: String) async throws -> Int {
        try await database.read { database in
            try Int.fetchOne(
                database,
                sql: "SELECT wrong_codes FROM refused_sign_ins WHERE bank_id = ? AND credentials_version = ?",
                arguments: [bankID, version])
        } ?? 0
    }

    /// Records the bank's verdict on the credentials of a run: a refusal puts the bank on hold, and a sign-in that the
    /// bank accepted ends a hold.
    ///
    /// - Parameters:
    ///   - verdict: nil when the run's end says nothing about the credentials.
    ///   - version: of the credentials that the run used.
    ///   - request: the one that the run was for; nil for a test login.
    package func record(
        _ verdict: SignInVerdict?, ofBank bankID: String, credentials version: String, request: RequestID?, at now: Date
    ) async throws {
        try await database.write { database in
            try Self.endSignIn(ofBank: bankID, in: database)
            switch verdict {
            case nil: break
            case .accepted:
                try database.execute(sql: "DELETE FROM refused_sign_ins WHERE bank_id = ?", arguments: [bankID])
            case .refused(let reason):
                try Self.hold(bankID, reason, credentials: version, request, at: now, in: database)
            case .wrongCode(let refused):
                try database.execute(
                    sql: """
                        INSERT INTO refused_sign_ins (bank_id, credentials_version, wrong_codes)
                        VALUES (:bank, :version, :refused)
                        ON CONFLICT (bank_id) DO UPDATE SET credentials_version = :version,
                            wrong_codes = CASE WHEN credentials_version = :version THEN wrong_codes + :refused ELSE :refused END,
                            hold_id = CASE WHEN credentials_version = :version THEN hold_id END
                        """, arguments: ["bank": bankID, "version": version, "refused": refused])
                let count =
                    try Int.fetchOne(
                        database, sql: "SELECT wrong_codes FROM refused_sign_ins WHERE bank_id = ?", arguments: [bankID]
                    )
                    ?? 0
                guard count >= Self.wrongCodeLimit else { return }
                try Self.hold(bankID, .wrongCode, credentials: version, request, at: now, in: database)
            }
        }
    }

    static func hold(
        _ bankID: String, _ reason: FailureReason?, credentials version: String, _ request: RequestID?, at now: Date,
        in database: Database
    ) throws {
        try database.execute(
            sql: """
                INSERT INTO refused_sign_ins (bank_id, credentials_version, hold_id, reason, held_at)
                VALUES (:bank, :version, :hold, :reason, :now)
                ON CONFLICT (bank_id) DO UPDATE SET credentials_version = :version, hold_id = :hold, reason = :reason,
                    held_at = :now
                """,
            arguments: [
                "bank": bankID, "version": version, "hold": UUID().uuidString.lowercased(), "reason": reason?.rawValue,
                "now": StoreTime.text(now),
            ])
        try AuditLog.record(
            AuditEvent(
                .holdSet, severity: .critical, requestID: request?.description,
                details: ["bank_id": .string(bankID), "reason": reason.map { .string($0.rawValue) } ?? .null], time: now
            ),
            in: database)
    }
}
