import Clocks
import Foundation
import GRDB
import LoopbackBroker
import Messages
import Signer
import Synchronization
import Testing

@testable import BrokerStore

/// Clocks that stand until the test moves them.
private final class HandClock: Sendable {
    private let times = Mutex((wall: start, elapsed: 1000.0))
    static let start = Date(timeIntervalSince1970: 1_770_000_000)

    func advance(wall: TimeInterval = 0, elapsed: TimeInterval = 0) {
        times.withLock { $0 = ($0.wall.addingTimeInterval(wall), $0.elapsed + elapsed) }
    }

    func clock(ofBoot boot: String) -> BrokerClock {
        BrokerClock(
            wall: { self.times.withLock { $0.wall } }, elapsed: { .seconds(self.times.withLock { $0.elapsed }) },
            boot: boot)
    }
}

/// A database of its own, with clocks that stand.
private struct Stage {
    let broker: BrokerStage
    let hand = HandClock()
    let database: BrokerDatabase
    var store: RequestStore { database.requests }

    init() throws {
        broker = try BrokerStage()
        database = try BrokerDatabase(broker.database, clock: hand.clock(ofBoot: "one"))
    }

    /// The time this long after the start.
    static func time(_ seconds: TimeInterval) -> Date { HandClock.start.addingTimeInterval(seconds) }

    func envelope(
        month: Int = 1, bank: String = "default", agent: String? = nil, issued: TimeInterval = 0,
        until end: TimeInterval = 300
    ) -> RequestEnvelope {
        RequestEnvelope(
            bankID: bank, period: MonthYear(month: month, year: 2026)!, issuedAt: Timestamp(Self.time(issued)),
            approvalExpiresAt: Timestamp(Self.time(end)), client: agent.flatMap(AgentName.init))
    }

    func insert(
        _ envelope: RequestEnvelope, key: String? = nil, atMost most: Int = .max, names: Int = .max
    ) async throws -> RequestStore.Insertion {
        try await store.insert(
            envelope, signed: envelope.signed(with: broker.secret), agentRequestID: key, atMost: most,
            namesAtMost: names)
    }

    func stored(_ envelope: RequestEnvelope) async throws -> RequestID {
        #expect(try await insert(envelope) == .inserted)
        return envelope.requestID
    }

    func column<Value: DatabaseValueConvertible & Sendable>(_ name: String, of id: RequestID) async throws -> Value? {
        try await database.pool.read { db in
            try Value.fetchOne(
                db, sql: "SELECT \(name) FROM pending_requests WHERE id = ?", arguments: [id.description])
        }
    }

    /// The request's deadline on the clock that only goes forward, in milliseconds.
    func due(_ id: RequestID) async throws -> Int64? {
        try await database.pool.read { db in
            try Int64.fetchOne(
                db, sql: "SELECT due_milliseconds FROM request_deadlines WHERE request_id = ?",
                arguments: [id.description])
        }
    }
}

@Suite("A stored request")
struct TransitionTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    @Test("is what the agent asked for, and waits until its approval's time is over")
    func inserted() async throws {
        let envelope = stage.envelope()
        #expect(try await stage.insert(envelope, key: "key-1") == .inserted)
        let record = try #require(try await stage.store.request(envelope.requestID))
        #expect(record.status == .pendingApproval && record.agent == .standard && record.agentRequestID == "key-1")
        #expect(record.type == "statement" && record.createdAt == envelope.issuedAt.description)
        #expect(record.updatedAt == record.createdAt && record.approvalExpiresAt == envelope.approvalExpiresAt)
        #expect(try record.parameters == envelope.parameters && record.bankID == "default")
        #expect(try await stage.due(envelope.requestID) == 1_300_000)
        #expect(try await stage.store.counts() == [.pendingApproval: 1])
    }

    @Test("is found again by the agent's own name for it, which is another's for another agent")
    func repeated() async throws {
        let envelope = stage.envelope()
        #expect(try await stage.insert(envelope, key: "key-1") == .inserted)
        let record = try #require(try await stage.store.request(envelope.requestID))
        #expect(try await stage.insert(stage.envelope(month: 2), key: "key-1") == .repeated(record))
        #expect(try await stage.insert(stage.envelope(month: 3, agent: "books"), key: "key-1") == .inserted)
        #expect(try await stage.store.request(of: .standard, named: "key-1") == record)
        let books = try #require(AgentName("books"))
        let other = try #require(try await stage.store.request(of: books, named: "key-1"))
        #expect(try other.subject.periods == [MonthYear(month: 3, year: 2026)!] && other.agentRequestID == nil)
        #expect(try await stage.store.request(of: books, named: "key-2") == nil)
    }

    @Test("is folded into one for the same bank and month that waits, under a limited number of names")
    func folded() async throws {
        let first = stage.envelope()
        #expect(try await stage.insert(first, key: "key-1") == .inserted)
        let record = try #require(try await stage.store.request(first.requestID))
        #expect(try await stage.insert(stage.envelope()) == .folded(record))
        #expect(try await stage.insert(stage.envelope(), key: "key-2", names: 2) == .folded(record))
        #expect(
            try await stage.insert(stage.envelope(), key: "key-3", names: 2)
                == .tooManyNames(until: first.approvalExpiresAt))
        #expect(try await stage.store.request(of: .standard, named: "key-2") == record)
        #expect(try await stage.store.request(of: .standard, named: "key-3") == nil)
        // Another agent has names of its own.
        #expect(try await stage.insert(stage.envelope(agent: "books"), key: "key-1", names: 1) == .folded(record))
        #expect(try await stage.insert(stage.envelope(month: 2)) == .inserted)
        #expect(try await stage.insert(stage.envelope(bank: "other")) == .inserted)
        #expect(try await stage.store.move(first.requestID, from: .pendingApproval, to: .denied, at: Stage.time(1)))
        #expect(try await stage.insert(stage.envelope()) == .inserted)
    }

    @Test("is one of a limited number of an agent that wait; the first of them to end is named")
    func tooMany() async throws {
        #expect(try await stage.insert(stage.envelope(month: 1, until: 300), atMost: 2) == .inserted)
        #expect(try await stage.insert(stage.envelope(month: 2, until: 200), atMost: 2) == .inserted)
        #expect(
            try await stage.insert(stage.envelope(month: 3), atMost: 2) == .tooMany(until: Timestamp(Stage.time(200))))
        #expect(try await stage.insert(stage.envelope(month: 3, agent: "books"), atMost: 1) == .inserted)
        #expect(
            try await stage.insert(stage.envelope(month: 4, agent: "books"), atMost: 1)
                == .tooMany(until: Timestamp(Stage.time(300))))
        #expect(
            try await stage.insert(stage.envelope(month: 5, until: 250), atMost: 0)
                == .tooMany(until: Timestamp(Stage.time(200))))
    }

    @Test("is listed newest first, in pages, each request once")
    func pages() async throws {
        var ids: [RequestID] = []
        for (month, issued) in [(1, 0.0), (2, 10), (3, 10), (4, 20)] {
            ids.append(try await stage.stored(stage.envelope(month: month, issued: issued)))
        }
        let middle = ids[1...2].sorted { $0.description < $1.description }
        let order = [ids[3]] + middle + [ids[0]]
        #expect(try await stage.store.requests(nil, limit: 9).map(\.id) == order)
        for size in 1...4 {
            var seen: [RequestID] = []
            var place: RequestStore.Place?
            while true {
                let page = try await stage.store.requests(nil, after: place, limit: size)
                #expect(page.count <= size)
                seen += page.map(\.id)
                guard let last = page.last else { break }
                place = RequestStore.Place("\(last.createdAt)~\(last.id)")
                #expect(place != nil)
            }
            #expect(seen == order, "pages of \(size)")
        }
        #expect(try await stage.store.move(ids[2], from: .pendingApproval, to: .denied, at: Stage.time(30)))
        #expect(try await stage.store.requests(.denied, limit: 9).map(\.id) == [ids[2]])
        #expect(try await stage.store.requests(.pendingApproval, limit: 9).count == 3)
        #expect(try await stage.store.counts() == [.pendingApproval: 3, .denied: 1])
    }

    @Test("changes its state from the one that it has, with time and reason, and no other request's")
    func moved() async throws {
        let id = try await stage.stored(stage.envelope())
        let other = try await stage.stored(stage.envelope(month: 2))
        let error = (code: ErrorCode.deniedByUser, message: "no" as String?)
        #expect(try await !stage.store.move(id, from: .approved, to: .failed, at: Stage.time(5), error: error))
        #expect(try await !stage.store.move(id, from: .pendingApproval, to: .completed, at: Stage.time(5)))
        #expect(try await !stage.store.move(RequestID(), from: .pendingApproval, to: .denied, at: Stage.time(5)))
        #expect(try await stage.store.request(id)?.updatedAt == Timestamp(Stage.time(0)).description)
        #expect(try await stage.store.move(id, from: .pendingApproval, to: .denied, at: Stage.time(5), error: error))
        let record = try #require(try await stage.store.request(id))
        #expect(record.status == .denied && record.errorCode == "DENIED_BY_USER" && record.errorMessage == "no")
        #expect(record.updatedAt == Timestamp(Stage.time(5)).description && record.completedAt == nil)
        #expect(try await stage.due(id) == nil)
        #expect(try await stage.due(other) != nil)
        #expect(try await stage.store.request(other)?.status == .pendingApproval)
    }

    @Test(
        "is approved before its end by both clocks, and not at it",
        arguments: [(299.5, 299.5, true), (300, 0, false), (0, 300, false), (300.001, 300.001, false)])
    func approval(wall: TimeInterval, elapsed: TimeInterval, isInTime: Bool) async throws {
        let id = try await stage.stored(stage.envelope())
        stage.hand.advance(wall: wall, elapsed: elapsed)
        let name = Nonce()
        #expect(
            try await stage.store.approve(id, at: Stage.time(wall), timeout: .seconds(600), decisionID: name)
                == isInTime)
        let record = try #require(try await stage.store.request(id))
        #expect(record.status == (isInTime ? .approved : .pendingApproval))
        #expect(record.decisionID == (isInTime ? name : nil))
        let end: String? = try await stage.column("execution_timeout_at", of: id)
        #expect(end == (isInTime ? Timestamp(Stage.time(wall + 600)).description : nil))
        #expect(try await stage.due(id) == (isInTime ? Int64((1000 + elapsed + 600) * 1000) : 1_300_000))
        #expect(try await !stage.store.approve(id, at: Stage.time(wall), timeout: .seconds(600)))
    }

    @Test("begins once, when it is approved")
    func started() async throws {
        let id = try await stage.stored(stage.envelope())
        #expect(try await !stage.store.start(id, at: Stage.time(1)))
        #expect(try await stage.store.approve(id, at: Stage.time(1), timeout: .seconds(600)))
        #expect(try await stage.store.request(id)?.decisionID == nil)
        #expect(try await stage.store.start(id, at: Stage.time(2)))
        #expect(try await !stage.store.start(id, at: Stage.time(3)))
        #expect(try await stage.store.request(id)?.status == .executing)
        let began: String? = try await stage.column("execution_started_at", of: id)
        #expect(began == Timestamp(Stage.time(2)).description)
    }

    @Test("fails with the broker's words, and keeps the phone's apart")
    func failed() async throws {
        let id = try await stage.stored(stage.envelope())
        let error = (code: ErrorCode.navigationFailed, message: "the run failed")
        #expect(
            try await !stage.store.fail(id, from: .executing, at: Stage.time(1), error, phoneSays: "row is missing"))
        #expect(try await stage.store.request(id)?.phoneSays == nil)
        #expect(try await stage.store.approve(id, at: Stage.time(1), timeout: .seconds(600)))
        #expect(try await stage.store.fail(id, from: .approved, at: Stage.time(2), error, phoneSays: "row is missing"))
        let record = try #require(try await stage.store.request(id))
        #expect(
            record.status == .failed && record.errorMessage == "the run failed" && record.phoneSays == "row is missing")
        #expect(record.errorCode == "NAVIGATION_FAILED")
    }

    @Test("ends when its time is over by either clock, with the reason, and the others go on")
    func overdue() async throws {
        let pending = try await stage.stored(stage.envelope(month: 1))
        let approved = try await stage.stored(stage.envelope(month: 2))
        let running = try await stage.stored(stage.envelope(month: 3))
        let long = try await stage.stored(stage.envelope(month: 4, until: 3600))
        for id in [approved, running] {
            #expect(try await stage.store.approve(id, at: Stage.time(0), timeout: .seconds(600)))
        }
        #expect(try await stage.store.start(running, at: Stage.time(0)))
        stage.hand.advance(wall: 299.5, elapsed: 299.5)
        #expect(try await stage.store.endOverdue(at: Stage.time(299.5)) == [:])
        stage.hand.advance(wall: 0.5)
        #expect(try await stage.store.endOverdue(at: Stage.time(300)) == [pending: .expired])
        #expect(try await stage.store.request(pending)?.errorCode == "APPROVAL_EXPIRED")
        #expect(try await stage.store.endOverdue(at: Stage.time(300)) == [:])
        stage.hand.advance(elapsed: 300.5)
        #expect(try await stage.store.endOverdue(at: Stage.time(300)) == [approved: .failed, running: .failed])
        for id in [approved, running] {
            #expect(try await stage.store.request(id)?.errorCode == "EXECUTION_TIMEOUT")
            #expect(try await stage.due(id) == nil)
        }
        #expect(try await stage.store.request(long)?.status == .pendingApproval)
        #expect(try await stage.store.endOverdue(at: Stage.time(3600)) == [long: .expired])
        #expect(try await stage.store.counts() == [.expired: 2, .failed: 2])
    }

    @Test("ends by the clock that only goes forward alone, and not before")
    func elapsed() async throws {
        let pending = try await stage.stored(stage.envelope(month: 1))
        stage.hand.advance(elapsed: 299.5)
        #expect(try await stage.store.endOverdue(at: Stage.time(0)) == [:])
        stage.hand.advance(elapsed: 0.5)
        #expect(try await stage.store.endOverdue(at: Stage.time(0)) == [pending: .expired])
        // A run's time may be shorter than the time for its approval.
        let running = try await stage.stored(stage.envelope(month: 2))
        #expect(try await stage.store.approve(running, at: Stage.time(0), timeout: .seconds(60)))
        stage.hand.advance(elapsed: 59.5)
        #expect(try await stage.store.endOverdue(at: Stage.time(0)) == [:])
        stage.hand.advance(elapsed: 0.5)
        #expect(try await stage.store.endOverdue(at: Stage.time(0)) == [running: .failed])
    }

    @Test("for several documents has them, and takes in another one for the same documents only")
    func documents() async throws {
        let months = [MonthYear(month: 1, year: 2026)!, MonthYear(month: 2, year: 2026)!]
        let selection = try #require(DocumentSelection(periods: months))
        let documents = selection.items(ofBank: "default").map { WantedDocument($0, earlier: nil) }
        func insert(_ documents: [WantedDocument]) async throws -> (RequestID, RequestStore.Insertion) {
            let envelope = RequestEnvelope(
                bankID: "default", subject: .documents(selection), issuedAt: Timestamp(Stage.time(0)),
                approvalExpiresAt: Timestamp(Stage.time(300)))
            let insertion = try await stage.store.insert(
                envelope, signed: envelope.signed(with: stage.broker.secret), agentRequestID: nil,
                documents: documents)
            return (envelope.requestID, insertion)
        }
        let (id, first) = try await insert(documents)
        #expect(first == .inserted)
        #expect(try await stage.store.documents(of: id).map(\.id) == documents.map(\.item.id))
        let record = try #require(try await stage.store.request(id))
        #expect(try await insert(documents).1 == .folded(record))
        #expect(try await insert(documents.dropLast()).1 == .inserted)
    }

    @Test("keeps the name of the message that announced it")
    func telegram() async throws {
        let id = try await stage.stored(stage.envelope())
        let other = try await stage.stored(stage.envelope(month: 2))
        #expect(try await stage.store.telegramMessage(of: id) == nil)
        try await stage.store.remember(telegramMessage: "77", for: id)
        #expect(try await stage.store.telegramMessage(of: id) == "77")
        #expect(try await stage.store.telegramMessage(of: other) == nil)
    }

    @Test("is announced once when an administrator changed it")
    func administration() async throws {
        #expect(try await stage.store.takeAdministrativeChanges() == [])
        let ids = [
            try await stage.stored(stage.envelope(month: 1)), try await stage.stored(stage.envelope(month: 2)),
        ]
        try await stage.database.pool.write { db in
            for id in ids { try RequestStore.noteAdministrativeChange(of: id, in: db) }
        }
        #expect(try await stage.store.takeAdministrativeChanges() == ids)
        #expect(try await stage.store.takeAdministrativeChanges() == [])
    }

    @Test("marks the clock while it is open")
    func mark() async throws {
        func marked() async throws -> String? {
            try await stage.database.pool.read { db in try String.fetchOne(db, sql: "SELECT wall FROM clock_mark") }
        }
        try await stage.store.markClock()
        #expect(try await marked() == nil)
        let id = try await stage.stored(stage.envelope())
        #expect(try await marked() == Timestamp(Stage.time(0)).description)
        stage.hand.advance(wall: 7)
        try await stage.store.markClock()
        #expect(try await marked() == Timestamp(Stage.time(7)).description)
        #expect(try await stage.store.move(id, from: .pendingApproval, to: .denied, at: Stage.time(8)))
        stage.hand.advance(wall: 7)
        try await stage.store.markClock()
        #expect(try await marked() == Timestamp(Stage.time(7)).description)
    }
}

@Suite("The deadlines of a broker that starts again")
struct ResumedDeadlineTests {
    @Test(
        "stay as they are within a boot, and count anew after one, from the wall clock or from the mark",
        arguments: [("one", 0.0, 1_300_000), ("two", 100, 5_200_000), ("two", -100, 5_300_000)]
            as [(String, Double, Int64)])
    func resumed(boot: String, wall: TimeInterval, due: Int64) async throws {
        let stage = try BrokerStage()
        let hand = HandClock()
        let end = Timestamp(HandClock.start.addingTimeInterval(300))
        let envelope = RequestEnvelope(
            bankID: "default", period: MonthYear(month: 1, year: 2026)!, issuedAt: Timestamp(HandClock.start),
            approvalExpiresAt: end)
        func dues(_ database: BrokerDatabase) async throws -> [Int64] {
            try await database.pool.read { db in
                try Int64.fetchAll(db, sql: "SELECT due_milliseconds FROM request_deadlines")
            }
        }
        do {
            let database = try BrokerDatabase(stage.database, clock: hand.clock(ofBoot: "one"))
            _ = try await database.requests.insert(
                envelope, signed: envelope.signed(with: stage.secret), agentRequestID: nil)
            #expect(try await dues(database) == [1_300_000])
        }
        hand.advance(wall: wall, elapsed: 4000)
        let database = try BrokerDatabase(stage.database, clock: hand.clock(ofBoot: boot))
        #expect(try await dues(database) == [due])
        // What waits no longer has no deadline.
        #expect(
            try await database.requests.move(
                envelope.requestID, from: .pendingApproval, to: .denied, at: hand.clock(ofBoot: boot).now))
        #expect(try await dues(database) == [])
    }
}
