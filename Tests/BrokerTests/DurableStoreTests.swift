import Foundation
import GRDB
import Testing

@testable import Broker

@Suite("The broker’s database")
struct DurableStoreTests {
    @Test("waits for the disk at every commit, also beside the broker")
    func synchronous() throws {
        let stage = try BrokerStage()
        let store = try RequestStore(stage.database)
        for store in [store, try RequestStore(beside: stage.database)] {
            let level = try store.pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
            // FULL, as SQLite numbers them.
            #expect(level == 2)
        }
    }
}
