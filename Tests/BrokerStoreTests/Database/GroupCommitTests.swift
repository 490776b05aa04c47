import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import BrokerStore

@Suite("Group commit")
struct GroupCommitTests {
    private struct Refused: Error {}

    /// A pool with one table of numbers, and a count of its transactions.
    private final class Numbers: Sendable {
        private let folder: TemporaryFolder
        let pool: DatabasePool
        let group: GroupCommit
        private let commits = Commits()

        init() throws {
            folder = try TemporaryFolder()
            pool = try DatabasePool(path: folder.appending("numbers.sqlite").path)
            group = GroupCommit(pool)
            try pool.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE parents (id INTEGER PRIMARY KEY);
                        CREATE TABLE numbers (
                            id INTEGER PRIMARY KEY,
                            parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED);
                        """)
            }
            pool.add(transactionObserver: commits)
        }

        var transactions: Int { commits.count.withLock { $0 } }

        func all() async throws -> [Int] {
            try await pool.read { db in try Int.fetchAll(db, sql: "SELECT id FROM numbers ORDER BY id") }
        }

        /// Blocks the writer's thread until all the writes wait for it, and returns the result of each.
        func together(
            _ writes: [@Sendable (Database) throws -> Void]
        ) async throws -> [Result<Void, any Error>] {
            let (isHeld, hold) = AsyncStream<Void>.makeStream()
            let release = DispatchSemaphore(value: 0)
            pool.asyncWriteWithoutTransaction { _ in
                hold.finish()
                release.wait()
            }
            for await _ in isHeld {}
            return await withTaskGroup(of: (Int, Result<Void, any Error>).self) { tasks in
                for (place, write) in writes.enumerated() {
                    tasks.addTask { [group] in
                        do {
                            return (place, .success(try await group.write(write)))
                        } catch {
                            return (place, .failure(error))
                        }
                    }
                }
                while group.count < writes.count { await Task.yield() }
                release.signal()
                var results: [Int: Result<Void, any Error>] = [:]
                for await (place, result) in tasks { results[place] = result }
                return writes.indices.compactMap { results[$0] }
            }
        }
    }

    private final class Commits: TransactionObserver, Sendable {
        let count = Mutex(0)
        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ db: Database) { count.withLock { $0 += 1 } }
        func databaseDidRollback(_ db: Database) {}
    }

    private static func insertion(
        _ number: Int, parent: Int? = nil, fails: Bool = false
    ) -> @Sendable (Database) throws -> Void {
        { db in
            try db.execute(sql: "INSERT INTO numbers (id, parent) VALUES (?, ?)", arguments: [number, parent])
            if fails { throw Refused() }
        }
    }

    @Test("writes share one transaction, and each caller gets its own result")
    func shared() async throws {
        let numbers = try Numbers()
        let results = try await numbers.together((0..<20).map { Self.insertion($0) })
        #expect(results.allSatisfy { (try? $0.get()) != nil })
        #expect(try await numbers.all() == Array(0..<20))
        #expect(numbers.transactions == 1)
    }

    @Test("a write that fails leaves nothing behind and does not affect the others")
    func apart() async throws {
        let numbers = try Numbers()
        let results = try await numbers.together((0..<9).map { Self.insertion($0, fails: $0.isMultiple(of: 3)) })
        #expect(results.map { (try? $0.get()) == nil } == (0..<9).map { $0.isMultiple(of: 3) })
        #expect(
            results.indices.filter { $0.isMultiple(of: 3) }.allSatisfy { place in
                if case .failure(let error) = results[place] { error is Refused } else { false }
            })
        #expect(try await numbers.all() == [1, 2, 4, 5, 7, 8])
    }

    @Test("a write is acknowledged after its transaction commits; when the commit fails, every write fails")
    func refused() async throws {
        let numbers = try Numbers()
        // SQLite notices a missing parent only at COMMIT.
        let results = try await numbers.together((0..<5).map { Self.insertion($0, parent: $0 == 2 ? 7 : nil) })
        #expect(results.allSatisfy { (try? $0.get()) == nil })
        #expect(try await numbers.all() == [])
    }

    @Test("writes continue after a failed transaction")
    func after() async throws {
        let numbers = try Numbers()
        await #expect(throws: DatabaseError.self) {
            try await numbers.group.write { db in
                try db.execute(sql: "INSERT INTO numbers (id, parent) VALUES (1, 7)")
            }
        }
        let count = try await numbers.group.write { db in
            try db.execute(sql: "INSERT INTO numbers (id) VALUES (2)")
            return db.changesCount
        }
        #expect(count == 1)
        #expect(try await numbers.all() == [2])
    }

    @Test("a write to a closed database fails")
    func closed() async throws {
        let numbers = try Numbers()
        try numbers.pool.close()
        await #expect(throws: DatabaseError.self) {
            try await numbers.group.write { db in try db.execute(sql: "INSERT INTO numbers (id) VALUES (1)") }
        }
    }
}
