import BankScript
import Foundation
import GRDB

/// The end of a run, as far as it may say something about its script. It stays on the phone unless the owner tells a collection.
package struct StoredOutcome: Sendable, Hashable {
    package let scriptDigest: String
    package let endedAt: Date
    /// The name of the script's engine.
    package let engine: String
    /// Nil for a run that brought what was asked for.
    package let reason: FailureReason?
    /// The step that failed, from 1.
    package let step: Int?
}

extension PhoneDatabase {
    static let outcomesTable = """
        CREATE TABLE script_outcomes (
            script_digest TEXT NOT NULL,
            ended_at TEXT NOT NULL,
            engine TEXT NOT NULL,
            reason TEXT,
            step INTEGER
        );
        """

    /// Results of older weeks are not told to anyone.
    private static let kept: TimeInterval = 26 * 7 * 86_400

    package func keepOutcome(
        of digest: String, engine: String, reason: FailureReason?, step: Int?, at now: Date
    ) async throws {
        try await database.write { database in
            try database.execute(
                sql: "DELETE FROM script_outcomes WHERE ended_at < ?",
                arguments: [StoreTime.text(now.addingTimeInterval(-Self.kept))])
            try database.execute(
                sql: "INSERT INTO script_outcomes VALUES (?, ?, ?, ?, ?)",
                arguments: [digest, StoreTime.text(now), engine, reason?.rawValue, step])
        }
    }

    /// Returns the outcomes of the last 26 weeks, in the order of their times.
    package func outcomes() async throws -> [StoredOutcome] {
        try await database.read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM script_outcomes ORDER BY ended_at").compactMap { row in
                let reason = row["reason"] as String?
                let known = reason.flatMap(FailureReason.init(rawValue:))
                // A reason of a later version of the program must not read as a success.
                guard let ended = StoreTime.date(row["ended_at"]), (reason == nil) == (known == nil) else { return nil }
                return StoredOutcome(
                    scriptDigest: row["script_digest"], endedAt: ended, engine: row["engine"], reason: known,
                    step: row["step"])
            }
        }
    }
}
