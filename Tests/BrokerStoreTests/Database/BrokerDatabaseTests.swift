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
}
