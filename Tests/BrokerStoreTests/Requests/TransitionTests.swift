import Clocks
import Foundation
import GRDB
import Messages
import Signer
import Storage
import TestParties
import Testing

@testable import BrokerStore

@Suite("A stored request")
struct TransitionTests {
    private let stage: HandStage

    init() throws { stage = try HandStage() }

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
        let events = try await stage.database.audit.records(AuditFilter()).map(\.event.type)
        #expect(events == ["request.created"], "a new request has one record")
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
        #expect(try await stage.store.move(first.requestID, from: .pendingApproval, to: .denied, at: HandStage.time(1)))
        #expect(try await stage.insert(stage.envelope()) == .inserted)
    }

    @Test("is one of a limited number of an agent that wait; the first of them to end is named")
    func tooMany() async throws {
        #expect(try await stage.insert(stage.envelope(month: 1, until: 300), atMost: 2) == .inserted)
        #expect(try await stage.insert(stage.envelope(month: 2, until: 200), atMost: 2) == .inserted)
        #expect(
            try await stage.insert(stage.envelope(month: 3), atMost: 2)
                == .tooMany(until: Timestamp(HandStage.time(200))))
        #expect(try await stage.insert(stage.envelope(month: 3, agent: "books"), atMost: 1) == .inserted)
        #expect(
            try await stage.insert(stage.envelope(month: 4, agent: "books"), atMost: 1)
                == .tooMany(until: Timestamp(HandStage.time(300))))
        #expect(
            try await stage.insert(stage.envelope(month: 5, until: 250), atMost: 0)
                == .tooMany(until: Timestamp(HandStage.time(200))))
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
        #expect(try await stage.store.move(ids[2], from: .pendingApproval, to: .denied, at: HandStage.time(30)))
        #expect(try await stage.store.requests(.denied, limit: 9).map(\.id) == [ids[2]])
        #expect(try await stage.store.requests(.pendingApproval, limit: 9).count == 3)
        #expect(try await stage.store.counts() == [.pendingApproval: 3, .denied: 1])
    }

    @Test("changes its state from the one that it has, with time and reason, and no other request's")
    func moved() async throws {
        let id = try await stage.stored(stage.envelope())
        let other = try await stage.stored(stage.envelope(month: 2))
        let error = (code: ErrorCode.deniedByUser, message: "no" as String?)
        #expect(try await !stage.store.move(id, from: .approved, to: .failed, at: HandStage.time(5), error: error))
        #expect(try await !stage.store.move(id, from: .pendingApproval, to: .completed, at: HandStage.time(5)))
        #expect(try await !stage.store.move(RequestID(), from: .pendingApproval, to: .denied, at: HandStage.time(5)))
        #expect(try await stage.store.request(id)?.updatedAt == Timestamp(HandStage.time(0)).description)
        #expect(
            try await stage.store.move(id, from: .pendingApproval, to: .denied, at: HandStage.time(5), error: error))
        let record = try #require(try await stage.store.request(id))
        #expect(record.status == .denied && record.errorCode == "DENIED_BY_USER" && record.errorMessage == "no")
        #expect(record.updatedAt == Timestamp(HandStage.time(5)).description && record.completedAt == nil)
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
            try await stage.store.approve(id, at: HandStage.time(wall), timeout: .seconds(600), decisionID: name)
                == isInTime)
        let record = try #require(try await stage.store.request(id))
        #expect(record.status == (isInTime ? .approved : .pendingApproval))
        #expect(record.decisionID == (isInTime ? name : nil))
        let end: String? = try await stage.column("execution_timeout_at", of: id)
        #expect(end == (isInTime ? Timestamp(HandStage.time(wall + 600)).description : nil))
        #expect(try await stage.due(id) == (isInTime ? Int64((1000 + elapsed + 600) * 1000) : 1_300_000))
        #expect(try await !stage.store.approve(id, at: HandStage.time(wall), timeout: .seconds(600)))
    }

    @Test("begins once, when it is approved")
    func started() async throws {
        let id = try await stage.stored(stage.envelope())
        #expect(try await !stage.store.start(id, at: HandStage.time(1)))
        #expect(try await stage.store.approve(id, at: HandStage.time(1), timeout: .seconds(600)))
        #expect(try await stage.store.request(id)?.decisionID == nil)
        #expect(try await stage.store.start(id, at: HandStage.time(2)))
        #expect(try await !stage.store.start(id, at: HandStage.time(3)))
        #expect(try await stage.store.request(id)?.status == .executing)
        let began: String? = try await stage.column("execution_started_at", of: id)
        #expect(began == Timestamp(HandStage.time(2)).description)
    }

    @Test("fails with the broker's words, and keeps the phone's apart")
    func failed() async throws {
        let id = try await stage.stored(stage.envelope())
        let error = (code: ErrorCode.navigationFailed, message: "the run failed")
        #expect(
            try await !stage.store.fail(id, from: .executing, at: HandStage.time(1), error, phoneSays: "row is missing")
        )
        #expect(try await stage.store.request(id)?.phoneSays == nil)
        #expect(try await stage.store.approve(id, at: HandStage.time(1), timeout: .seconds(600)))
        #expect(
            try await stage.store.fail(id, from: .approved, at: HandStage.time(2), error, phoneSays: "row is missing"))
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
            #expect(try await stage.store.approve(id, at: HandStage.time(0), timeout: .seconds(600)))
        }
        #expect(try await stage.store.start(running, at: HandStage.time(0)))
        stage.hand.advance(wall: 299.5, elapsed: 299.5)
        #expect(try await stage.store.endOverdue(at: HandStage.time(299.5)) == [:])
        stage.hand.advance(wall: 0.5)
        #expect(try await stage.store.endOverdue(at: HandStage.time(300)) == [pending: .expired])
        #expect(try await stage.store.request(pending)?.errorCode == "APPROVAL_EXPIRED")
        #expect(try await stage.store.endOverdue(at: HandStage.time(300)) == [:])
        stage.hand.advance(elapsed: 300.5)
        #expect(try await stage.store.endOverdue(at: HandStage.time(300)) == [approved: .failed, running: .failed])
        for id in [approved, running] {
            #expect(try await stage.store.request(id)?.errorCode == "EXECUTION_TIMEOUT")
            #expect(try await stage.due(id) == nil)
        }
        #expect(try await stage.store.request(long)?.status == .pendingApproval)
        #expect(try await stage.store.endOverdue(at: HandStage.time(3600)) == [long: .expired])
        #expect(try await stage.store.counts() == [.expired: 2, .failed: 2])
    }

    @Test("ends by the clock that only goes forward alone, and not before")
    func elapsed() async throws {
        let pending = try await stage.stored(stage.envelope(month: 1))
        stage.hand.advance(elapsed: 299.5)
        #expect(try await stage.store.endOverdue(at: HandStage.time(0)) == [:])
        stage.hand.advance(elapsed: 0.5)
        #expect(try await stage.store.endOverdue(at: HandStage.time(0)) == [pending: .expired])
        // A run's time may be shorter than the time for its approval.
        let running = try await stage.stored(stage.envelope(month: 2))
        #expect(try await stage.store.approve(running, at: HandStage.time(0), timeout: .seconds(60)))
        stage.hand.advance(elapsed: 59.5)
        #expect(try await stage.store.endOverdue(at: HandStage.time(0)) == [:])
        stage.hand.advance(elapsed: 0.5)
        #expect(try await stage.store.endOverdue(at: HandStage.time(0)) == [running: .failed])
    }

    @Test("ends its run by the wall clock alone, at the end of the run's time and not before")
    func runByWallClock() async throws {
        let id = try await stage.stored(stage.envelope())
        let ended = try await stage.stored(stage.envelope(month: 2))
        for id in [id, ended] {
            #expect(try await stage.store.approve(id, at: HandStage.time(0), timeout: .seconds(600)))
            #expect(try await stage.store.start(id, at: HandStage.time(0)))
        }
        #expect(try await stage.store.move(ended, from: .executing, to: .completed, at: HandStage.time(1)))
        stage.hand.advance(wall: 599.5)
        #expect(try await stage.store.endOverdue(at: HandStage.time(599.5)) == [:])
        stage.hand.advance(wall: 0.5)
        #expect(try await stage.store.endOverdue(at: HandStage.time(600)) == [id: .failed])
        #expect(try await stage.store.request(ended)?.status == .completed)
    }

    @Test("for several documents has them, and takes in another one for the same documents only")
    func documents() async throws {
        let months = [MonthYear(month: 1, year: 2026)!, MonthYear(month: 2, year: 2026)!]
        let selection = try #require(DocumentSelection(periods: months))
        let documents = selection.items(ofBank: "default").map { WantedDocument($0, earlier: nil) }
        func insert(_ documents: [WantedDocument]) async throws -> (RequestID, RequestStore.Insertion) {
            let envelope = RequestEnvelope(
                bankID: "default", subject: .documents(selection), issuedAt: Timestamp(HandStage.time(0)),
                approvalExpiresAt: Timestamp(HandStage.time(300)))
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
        for place in [MessagePlace.request, .channel("ntfy")] {
            #expect(try await stage.store.message(in: place, for: id) == nil)
            try await stage.store.remember("77 of \(place)", in: place, for: id)
            #expect(try await stage.store.message(in: place, for: id) == "77 of \(place)")
            try await stage.store.remember("78 of \(place)", in: place, for: id)
            #expect(try await stage.store.message(in: place, for: id) == "78 of \(place)")
            #expect(try await stage.store.message(in: place, for: other) == nil)
        }
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
        #expect(try await marked() == Timestamp(HandStage.time(0)).description)
        stage.hand.advance(wall: 7)
        try await stage.store.markClock()
        #expect(try await marked() == Timestamp(HandStage.time(7)).description)
        #expect(try await stage.store.move(id, from: .pendingApproval, to: .denied, at: HandStage.time(8)))
        stage.hand.advance(wall: 7)
        try await stage.store.markClock()
        #expect(try await marked() == Timestamp(HandStage.time(7)).description)
    }
}
