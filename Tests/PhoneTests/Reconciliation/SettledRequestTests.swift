import Clocks
import Foundation
import HTTPTypes
import Messages
import PhoneStore
import Signer
import TestParties
import Testing

@testable import Phone

@Suite("A request that follows the broker's answer")
struct SettledRequestTests {
    // MARK: Undecided requests

    /// A request that the broker has ended as `there`, and its end here.
    static let ends: [(there: RequestStatus, here: RequestStatus, code: String)] = [
        (.denied, .denied, "DENIED_BY_USER"), (.expired, .expired, "APPROVAL_EXPIRED"),
        (.completed, .expired, "OTHER_DEVICE"), (.failed, .failed, "NAVIGATION_FAILED"),
    ]

    /// Settles an approval that the broker refuses because the request stands at `there`, by the phone's own approval.
    ///
    /// - Returns: the changes that were announced.
    private func changes(
        settling id: RequestID, at there: RequestStatus, _ phone: TestPhone, _ runner: PhoneRunner
    ) async throws -> [RequestStatus] {
        let refusal = PhoneError(
            .brokerConflict, "ended", status: 409, requestStatus: there,
            decisionID: try await runner.store.decisionID(of: id))
        return try await changes(of: id, phone, runner) { reconciliation async throws in
            #expect(try await !reconciliation.settle(.approve, of: id, refusedWith: refusal))
        }
    }

    /// Returns the changes of a request that are announced while `work` runs.
    private func changes(
        of id: RequestID, _ phone: TestPhone, _ runner: PhoneRunner, _ work: (Reconciliation) async throws -> Void
    ) async throws -> [RequestStatus] {
        let (store, events) = (runner.store, PhoneEvents())
        let runs = Runs(
            home: phone.home, store: store, broker: runner.broker, services: phone.services(), events: events)
        let reconciliation = Reconciliation(
            store: store, broker: runner.broker, runs: runs, events: events, clock: phone.clock,
            decisionQueue: SerialQueue())
        let stream = events.stream()
        try await work(reconciliation)
        let last = RequestID()
        events.send(.changed(last, .denied))
        var changes: [RequestStatus] = []
        for await case .changed(let changed, let status) in stream {
            guard changed == id else { break }
            changes.append(status)
        }
        return changes
    }

    @Test("ends as the broker says, is announced once, and owes no report", arguments: ends)
    func ended(end: (there: RequestStatus, here: RequestStatus, code: String)) async throws {
        try await TestPhone.withRequest { phone, runner, request in
            #expect(try await runner.store.claim(request.id, decision: .approve, at: phone.clock.now))
            #expect(try await changes(settling: request.id, at: end.there, phone, runner) == [end.here])
            let stored = try #require(try await runner.store.request(request.id))
            #expect(stored.status == end.here && stored.errorCode == end.code)
            #expect(try await runner.store.owedReports().isEmpty)
        }
    }

    @Test("stays as it is, and nothing is announced, if it has ended meanwhile", arguments: ends)
    func endedBefore(end: (there: RequestStatus, here: RequestStatus, code: String)) async throws {
        try await TestPhone.withRequest { phone, runner, request async throws in
            #expect(try await runner.store.claim(request.id, decision: .approve, at: phone.clock.now))
            #expect(
                try await runner.store.move(request.id, from: .pendingApproval, to: .denied, at: phone.clock.now))
            #expect(try await changes(settling: request.id, at: end.there, phone, runner) == [])
            #expect(try await runner.store.request(request.id)?.status == .denied)
        }
    }

    // MARK: Runs that were cut short

    @Test(
        "fails, and the broker that took the report owes the phone nothing more",
        arguments: [.approved, .executing]
            as [RequestStatus])
    func reported(status: RequestStatus) async throws {
        try await TestPhone.withRequest { phone, runner, request in
            try await runner.store.interrupt(request.id, at: status, now: phone.clock.now)
            let announced = try await changes(of: request.id, phone, runner) { try await $0.settleRuns() }
            #expect(announced == [.failed])
            #expect(try await runner.store.request(request.id)?.status == .failed)
            #expect(try await runner.store.owedReports().isEmpty)
            #expect(await phone.broker.actions() == ["failure"])
        }
    }

    @Test("is completed, and announced, if the broker already took the statement")
    func taken() async throws {
        try await TestPhone.withRequest { phone, runner, request in
            try await runner.store.interrupt(request.id, now: phone.clock.now)
            await phone.broker.answer("failure", with: [.conflict], standing: .completed)
            let announced = try await changes(of: request.id, phone, runner) { try await $0.settleRuns() }
            #expect(announced == [.completed])
            #expect(try await runner.store.request(request.id)?.status == .completed)
        }
    }

    @Test(
        "fails, and is reported until the broker takes it, if the broker says that the request has another state",
        arguments: [.approved, .executing] as [RequestStatus])
    func owed(status: RequestStatus) async throws {
        try await TestPhone.withRequest { phone, runner, request in
            try await runner.store.interrupt(request.id, at: status, now: phone.clock.now)
            await phone.broker.answer("failure", with: [.conflict, .internalServerError], standing: .pendingApproval)
            try await runner.recover()
            #expect(try await runner.store.request(request.id)?.status == .failed)
            #expect(try await runner.store.owedReports().map(\.id) == [request.id])
            _ = try await runner.refresh()
            #expect(try await runner.store.owedReports().isEmpty)
            #expect(await phone.broker.actions() == ["failure", "failure", "failure"])
        }
    }

    @Test(
        "for several documents is closed with those that were delivered, and fails if none that it asked for was",
        arguments: [1, 2, nil] as [Int?])
    func documents(delivered part: Int?) async throws {
        let isAnyDelivered = part == 1
        try await TestPhone.with { phone in
            let (id, now) = (try await phone.offered(months: 2), phone.clock.now)
            let runner = try PhoneRunner(
                home: phone.home, connection: try phone.connection(), services: phone.services(TestPhone.severalMonths))
            #expect(try await runner.refresh().pending.map(\.id) == [id])
            try await runner.store.interrupt(id, now: phone.clock.now)
            if let part {
                let place = DocumentPlace(period: try #require(MonthYear("2026-01"))).numbered(part)
                try await runner.store.rememberDocument(
                    DocumentID(bankID: "default", place), of: id, sha256: String(repeating: "ab", count: 32), at: now)
            }
            try await runner.recover()
            let ended = try #require(try await runner.store.request(id))
            #expect(ended.status == (isAnyDelivered ? .completed : .failed))
            #expect(ended.failureReason == (isAnyDelivered ? nil : .cancelled), "the bank is not to blame")
            #expect(ended.delivered?.count == (isAnyDelivered ? 1 : nil))
            #expect(ended.delivered?.all == (isAnyDelivered ? 2 : nil))
            #expect(await phone.broker.actions() == (isAnyDelivered ? [] : ["failure"]))
            #expect(phone.inboxFiles().count == (isAnyDelivered ? 1 : 0))
        }
    }
}
