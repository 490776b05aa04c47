import Foundation
import GRDB
import TestSupport
import Testing

@testable import AuditLog

@Suite("A durable database")
struct DurablePoolTests {
    /// SQLite's number for `FULL`.
    private static let full = 2

    @Test("waits for the disk at every commit, also when it is opened again")
    func synchronous() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for _ in 0..<2 {
            let pool = try DatabasePool.durable(folder.appending("a.sqlite").path, Configuration())
            try pool.writeWithoutTransaction { (db: Database) throws -> Void in
                #expect(try Int.fetchOne(db, sql: "PRAGMA synchronous") == Self.full)
                #expect(try Bool.fetchOne(db, sql: "PRAGMA fullfsync") == true)
                #expect(try String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal")
            }
        }
    }
}
