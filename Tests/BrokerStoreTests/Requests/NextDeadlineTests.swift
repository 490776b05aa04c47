import Foundation
import GRDB
import LoopbackBroker
import Testing

@testable import BrokerStore

@Suite("The earliest deadline in memory")
struct NextDeadlineTests {
    private struct Refused: Error {}

    @Test(
        "is forgotten only once its end is committed, for a reader sees the old state until then",
        arguments: [true, false])
    func committed(isCommitted: Bool) async throws {
        let stage = try BrokerStage()
        let pool = try BrokerDatabase(stage.database).pool
        let deadline = NextDeadline()
        let past = Date(timeIntervalSince1970: 0)
        deadline.notLater(than: past, 0)
        try? await pool.write { db in
            deadline.findAnew(afterCommitOf: db)
            #expect(deadline.mayBeOver(at: past, 0))
            if !isCommitted { throw Refused() }
        }
        #expect(deadline.mayBeOver(at: past, 0) == !isCommitted)
    }

    @Test("takes a deadline into account that came later in the same transaction")
    func sameTransaction() async throws {
        let stage = try BrokerStage()
        _ = try BrokerDatabase(stage.database)
        var withoutRequests = Configuration()
        withoutRequests.foreignKeysEnabled = false
        let pool = try DatabasePool(path: stage.database.path, configuration: withoutRequests)
        let deadline = NextDeadline()
        try await pool.write { db in
            deadline.findAnew(afterCommitOf: db)
            try db.execute(sql: "INSERT INTO request_deadlines (request_id, due_milliseconds) VALUES ('req_1', 5)")
            deadline.notLater(than: .distantFuture, 5)
        }
        #expect(deadline.mayBeOver(at: Date(timeIntervalSince1970: 0), 5))
    }
}
