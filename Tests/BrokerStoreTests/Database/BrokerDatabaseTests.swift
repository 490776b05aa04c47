import Foundation
import GRDB
import TestParties
import Testing

@testable import BrokerStore

@Suite("The broker's database")
struct BrokerDatabaseTests {
    @Test("waits for the disk at every commit, also for an administrator")
    func synchronous() throws {
        let stage = try BrokerStage()
        let database = try BrokerDatabase(stage.database)
        for database in [database, try BrokerDatabase(administering: stage.database)] {
            let level = try database.pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
            // FULL
            #expect(level == 2)
        }
    }

    @Test("tells a full disk from other errors, keeps what it had, and goes on when there is space again")
    func fullDisk() throws {
        let stage = try BrokerStage()
        let database = try BrokerDatabase(stage.database)
        func limit(toPagesMore more: Int) throws {
            try database.pool.writeWithoutTransaction { db in
                let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
                _ = try Int.fetchOne(db, sql: "PRAGMA max_page_count = \(pages + more)")
            }
        }
        func fill() throws {
            try database.pool.write { try $0.execute(sql: "CREATE TABLE filler AS SELECT randomblob(100000) AS bytes") }
        }
        // SQLite answers as on a full disk.
        try limit(toPagesMore: 0)
        let error = #expect(throws: DatabaseError.self) { try fill() }
        #expect(error.map { BrokerDatabase.isFullDisk($0) } == true, "\(String(describing: error))")
        #expect(!BrokerDatabase.isFullDisk(DatabaseError(resultCode: .SQLITE_BUSY)))
        #expect(!BrokerDatabase.isFullDisk(StoreError(message: "the disk is full")))
        try limit(toPagesMore: 1000)
        try fill()
        #expect(try database.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM filler") } == 1)
    }
}
