import Foundation
import GRDB
import Messages
import Synchronization

/// A cache of the requests that were read since the database last changed: a poll is answered without a reader thread.
///
/// Budget: status polls at 0.6 of an empty route.
///
/// SQLite's `PRAGMA data_version` changes with every commit by another connection, in this process or another. Reading
/// it is a look at shared memory and never waits. A record is returned only at the version that it was read at.
final class RecentRequests: Sendable {
    private struct Kept {
        var version: Int64 = 0
        var records: [RequestID: RequestRecord] = [:]
    }

    /// Never writes, so that every commit changes its `data_version`.
    private let watch: DatabaseQueue
    private let most: Int
    private let kept = Mutex(Kept())

    /// - Parameter most: the number of records that are kept.
    init(of database: URL, most: Int = 1000) throws {
        self.most = most
        var configuration = Configuration()
        configuration.readonly = true
        watch = try DatabaseQueue(path: database.path, configuration: configuration)
    }

    /// The database's version now; nil when it cannot be read at once.
    var version: Int64? {
        try? watch.unsafeRead { db in try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA data_version")) }
    }

    func record(_ id: RequestID, at version: Int64) -> RequestRecord? {
        kept.withLock { $0.version == version ? $0.records[id] : nil }
    }

    /// - Parameter version: the version from before the record was read, so that the record is at least as new.
    func keep(_ record: RequestRecord, at version: Int64) {
        kept.withLock { kept in
            if kept.version != version || kept.records.count == most { kept = Kept(version: version) }
            kept.records[record.id] = record
        }
    }

    func close() { try? watch.close() }
}
