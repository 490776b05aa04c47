import GRDB
import Synchronization

/// Commits writes in groups: those that arrive while a commit waits for the disk share the next transaction.
///
/// Budget: POST /request at 0.4 of two bare inserts.
///
/// Each write succeeds or fails alone, in a savepoint of its own, and none returns before it is durable.
final class GroupCommit: Sendable {
    private struct Write: Sendable {
        /// Makes the change, and returns a function that resumes the caller: with an error when the commit failed.
        let make: @Sendable (Database) -> @Sendable ((any Error)?) -> Void
        /// Resumes the caller with an error: the change was not tried.
        let fail: @Sendable (any Error) -> Void
    }

    private let pool: DatabasePool
    private let waiting = Mutex<[Write]>([])

    /// The number of writes that wait for the next transaction.
    var count: Int { waiting.withLock { $0.count } }

    init(_ pool: DatabasePool) {
        self.pool = pool
    }

    /// Makes a change durably.
    ///
    /// - Throws: what `change` throws, after undoing it; `DatabaseError` when the transaction fails.
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

    /// Runs on the writer's thread once the previous group is durable.
    private func commit(in db: Database) {
        let writes = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        var resumptions: [@Sendable ((any Error)?) -> Void] = []
        do {
            try db.inTransaction {
                resumptions = writes.map { $0.make(db) }
                return .commit
            }
        } catch {
            // BEGIN failed, and no change was tried; or COMMIT failed, after all of them.
            if resumptions.isEmpty {
                for write in writes { write.fail(error) }
            } else {
                for resume in resumptions { resume(error) }
            }
            return
        }
        for resume in resumptions { resume(nil) }
    }
}
