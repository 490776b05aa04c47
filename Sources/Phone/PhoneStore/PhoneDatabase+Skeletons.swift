import Foundation
import GRDB

/// A page of a bank as the first whole run of a script found it, and as the latest run did. Both are skeletons in JSON, without
/// anything of the person's.
package struct StoredSkeleton: Sendable, Hashable {
    package let bankID: String
    package let scriptDigest: String
    /// The first step on the page, from 1.
    package let step: Int
    package let first: String
    package let firstAt: Date?
    package let latest: String
    package let latestAt: Date?
    /// When a run found the page different from the first time, after it had been the same.
    package let changedAt: Date?
}

extension PhoneDatabase {
    static let skeletonsTable = """
        CREATE TABLE page_skeletons (
            bank_id TEXT NOT NULL,
            script_digest TEXT NOT NULL,
            step INTEGER NOT NULL,
            first_json TEXT NOT NULL,
            first_at TEXT NOT NULL,
            latest_json TEXT NOT NULL,
            latest_at TEXT NOT NULL,
            changed_at TEXT,
            PRIMARY KEY (bank_id, script_digest, step)
        );
        """

    /// Keeps the skeletons of a run's pages. Those of a bank's other scripts go: an edited script starts anew.
    ///
    /// - Parameters:
    ///   - pages: by the number of the first step on each.
    ///   - isWhole: the run came to its end, so that it may be the first.
    package func keepSkeletons(
        _ pages: [Int: String], ofBank bankID: String, digest: String, isWhole: Bool, at now: Date
    ) async throws {
        guard !pages.isEmpty else { return }
        try await database.write { database in
            let time = StoreTime.text(now)
            try database.execute(
                sql: "DELETE FROM page_skeletons WHERE bank_id = ? AND script_digest <> ?", arguments: [bankID, digest])
            for (step, page) in pages {
                try database.execute(
                    sql: """
                        UPDATE page_skeletons SET latest_json = :page, latest_at = :time,
                            changed_at = CASE WHEN first_json = :page THEN NULL
                                WHEN changed_at IS NULL THEN :time ELSE changed_at END
                        WHERE bank_id = :bank AND script_digest = :digest AND step = :step
                        """,
                    arguments: ["page": page, "time": time, "bank": bankID, "digest": digest, "step": step])
                guard isWhole else { continue }
                try database.execute(
                    sql: "INSERT OR IGNORE INTO page_skeletons VALUES (?, ?, ?, ?, ?, ?, ?, NULL)",
                    arguments: [bankID, digest, step, page, time, page, time])
            }
        }
    }

    /// Returns the pages, sorted by bank and step.
    package func skeletons() async throws -> [StoredSkeleton] {
        try await database.read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM page_skeletons ORDER BY bank_id, step").map { row in
                StoredSkeleton(
                    bankID: row["bank_id"], scriptDigest: row["script_digest"], step: row["step"],
                    first: row["first_json"], firstAt: StoreTime.date(row["first_at"]), latest: row["latest_json"],
                    latestAt: StoreTime.date(row["latest_at"]),
                    changedAt: (row["changed_at"] as String?).flatMap { StoreTime.date($0) })
            }
        }
    }
}
