import Foundation
import GRDB
import TestParties
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

    @Test("is the earliest by each clock, in whichever order they come", arguments: [false, true])
    func earliest(isReversed: Bool) {
        // The first ends sooner by the wall clock, the second by the clock that only goes forward.
        let ends: [(wall: TimeInterval, elapsed: Int64)] = [(100, 9000), (200, 5)]
        let deadline = NextDeadline()
        for end in isReversed ? ends.reversed() : ends {
            deadline.notLater(than: Date(timeIntervalSince1970: end.wall), end.elapsed)
        }
        #expect(!deadline.mayBeOver(at: Date(timeIntervalSince1970: 99), 4))
        #expect(deadline.mayBeOver(at: Date(timeIntervalSince1970: 100), 4))
        #expect(deadline.mayBeOver(at: Date(timeIntervalSince1970: 99), 5))
    }

    @Test("is found anew among the requests that wait and those that run")
    func foundAnew() async throws {
        let stage = try HandStage()
        let first = try await stage.stored(stage.envelope(month: 1, until: 300))
        let second = try await stage.stored(stage.envelope(month: 2, until: 400))
        let run = try await stage.stored(stage.envelope(month: 3, until: 500))
        #expect(try await stage.store.approve(run, at: HandStage.time(0), timeout: .seconds(450)))
        let next = stage.database.nextDeadline

        #expect(try await stage.store.endOverdue(at: HandStage.time(300)) == [first: .expired])
        #expect(!next.mayBeOver(at: HandStage.time(399), 0))
        #expect(next.mayBeOver(at: HandStage.time(400), 0))

        #expect(try await stage.store.move(second, from: .pendingApproval, to: .denied, at: HandStage.time(301)))
        #expect(try await stage.store.endOverdue(at: HandStage.time(400)) == [:])
        #expect(!next.mayBeOver(at: HandStage.time(449), 1_449_999))
        #expect(next.mayBeOver(at: HandStage.time(450), 0))
        #expect(next.mayBeOver(at: HandStage.time(0), 1_450_000))

        #expect(try await stage.store.endOverdue(at: HandStage.time(450)) == [run: .failed])
        #expect(!next.mayBeOver(at: .distantFuture.addingTimeInterval(-1), .max - 1))
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
