import GRDB
import Synchronization

/// Writes that come while others are brought to the disk share the next transaction, and so one wait for the disk.
///
/// Each is whole or not at all, whatever becomes of those beside it, and none returns before it is durable.
final class GroupCommit: Sendable {
    private struct Write: Sendable {
        /// Makes the change; what it returns tells whoever waits, with an error where it was not durable after all.
        let make: @Sendable (Database) -> @Sendable ((any Error)?) -> Void
        /// Tells whoever waits that the change was not made.
        let fail: @Sendable (any Error) -> Void
    }

    private let pool: DatabasePool
    private let waiting = Mutex<[Write]>([])

    /// How many wait now.
    var count: Int { waiting.withLock { $0.count } }

    init(_ pool: DatabasePool) {
        self.pool = pool
    }

    /// - Throws: what `change` throws, with nothing of it kept; what the transaction has against it.
    func write<Value: Sendable>(
        _ change: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let write = Write(
                make: { db in
                    let result = Result { try Self.whole(change, in: db) }
                    return { error in continuation.resume(with: error.map { .failure($0) } ?? result) }
                },
                fail: { continuation.resume(throwing: $0) })
            let isFirst = waiting.withLock { waiting in
                waiting.append(write)
                return waiting.count == 1
            }
            if isFirst { pool.asyncWriteWithoutTransaction { [self] db in commit(in: db) } }
        }
    }

    private static func whole<Value>(_ change: (Database) throws -> Value, in db: Database) throws -> Value {
        var value: Value?
        try db.inSavepoint {
            value = try change(db)
            return .commit
        }
        guard let value else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
        return value
    }

    /// On the writer's thread, which comes here when it has brought to the disk what was before.
    private func commit(in db: Database) {
        let writes = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        var tell: [@Sendable ((any Error)?) -> Void] = []
        do {
            try db.inTransaction {
                tell = writes.map { $0.make(db) }
                return .commit
            }
        } catch {
            // Before the first change, or in spite of all of them.
            if tell.isEmpty {
                for write in writes { write.fail(error) }
            } else {
                for tellOne in tell { tellOne(error) }
            }
            return
        }
        for tellOne in tell { tellOne(nil) }
    }
}
