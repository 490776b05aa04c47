import Foundation
import GRDB
import Messages
import Synchronization

/// The requests that were asked for last, for as long as the database is as it was: an agent that polls is answered
/// without waking a reader's thread and without a disk.
///
/// SQLite's `data_version` changes with every commit of any other connection, in this process or another; to ask for it
/// is a look at shared memory, which does not wait. A record is given out only at the version that it was kept at.
final class RecentRequests: Sendable {
    private struct Kept {
        var version: Int64 = 0
        var records: [RequestID: RequestRecord] = [:]
    }

    /// Never writes, so that every commit is another connection's.
    private let watch: DatabaseQueue
    private let most: Int
    private let kept = Mutex(Kept())

    /// - Parameter most: how many are kept.
    init(of database: URL, most: Int = 1000) throws {
        self.most = most
        var configuration = Configuration()
        configuration.readonly = true
        watch = try DatabaseQueue(path: database.path, configuration: configuration)
    }

    /// What the database is like now; nil where that cannot be told at once.
    var version: Int64? {
        try? watch.unsafeRead { db in try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA data_version")) }
    }

    func record(_ id: RequestID, at version: Int64) -> RequestRecord? {
        kept.withLock { $0.version == version ? $0.records[id] : nil }
    }

    /// - Parameter version: of before the record was read, so that it is as new at least.
    func keep(_ record: RequestRecord, at version: Int64) {
        kept.withLock { kept in
            if kept.version != version || kept.records.count == most { kept = Kept(version: version) }
            kept.records[record.id] = record
        }
    }

    func close() { try? watch.close() }
}
