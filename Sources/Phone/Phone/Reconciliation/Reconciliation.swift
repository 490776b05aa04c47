import Automation
import BankScript
import Clocks
import Foundation
import Messages
import PhoneStore

/// The phone's agreement with the broker about requests: after every attempt whose answer was a refusal or got lost, it
/// brings the request to the state that ``ReconciliationTable`` names.
struct Reconciliation: Sendable {
    let store: PhoneDatabase
    let broker: BrokerConnection
    let runs: Runs
    let events: PhoneEvents
    let clock: any RunClock
    /// Shared with ``Decisions``: one decision at a time is on its way, or looked into.
    let decisionQueue: SerialQueue

    private var now: Date { clock.now }

    // MARK: Decisions

    /// Finds out what became of decisions that were on their way when the process, its disk or the connection failed.
    ///
    /// - Parameter list: the broker's list, to find approvals that reached it late.
    func settleDecisions(with list: PendingList? = nil) async throws {
        try await decisionQueue.run {
            for stored in try await self.store.interruptedDecisions(.deny) { try await self.denyAgain(stored.id) }
            for stored in try await self.store.interruptedDecisions(.approve) {
                try await self.withdraw(stored.id, .interrupted)
            }
            if let list { try await self.withdrawLateApprovals(list) }
        }
    }

    /// Settles a decision of the person's that the broker refused. The caller has the turn in the decisions' queue.
    ///
    /// - Returns: true when the decision counts all the same, because the broker heard it before.
    func settle(_ decision: Decision, of id: RequestID, refusedWith refusal: PhoneError) async throws -> Bool {
        let attempt: Attempt = decision == .approve ? .approve : .deny
        let step = try await step(after: attempt, refusal, of: id)
        if step == .takeDecision { return true }
        try await apply(step, to: id, .late, refusal)
        return false
    }

    /// Withdraws approvals that reached the broker after it had said that it knew of none: the broker no longer lists
    /// their requests, and no device runs them.
    private func withdrawLateApprovals(_ list: PendingList) async throws {
        guard list.entries.count < PendingRequests.envelopeLimit else { return }
        let listed = list.requestIDs
        for id in try await store.unansweredApprovals() where !listed.contains(id) {
            try await withdraw(id, .late)
        }
    }

    /// Sends a denial once more, which the broker may have heard.
    private func denyAgain(_ id: RequestID) async throws {
        let now = now
        let decisionID = try await store.decisionID(of: id)
        let refusal = await broker.refusal { (client) async throws(PhoneError) in
            _ = try await client.decide(id, .deny, approval: nil, decisionID: decisionID, at: now)
        }
        try await apply(try await step(after: .denyAgain, refusal, of: id), to: id, .late, refusal)
    }

    /// Withdraws an approval, whether or not the broker has received it.
    private func withdraw(_ id: RequestID, _ failure: FailureReport) async throws {
        let refusal = await report(failure, of: id)
        try await apply(try await step(after: .withdraw, refusal, of: id), to: id, failure, refusal)
    }

    // MARK: Runs

    /// Ends abandoned runs: the process stopped, or it could not record their end.
    func settleRuns() async throws {
        let before = runs.underWay
        for stored in try await store.requests([.approved, .executing]) {
            // Compared before and after the reading, because a run may begin or end meanwhile.
            guard !before.contains(stored.id), !runs.underWay.contains(stored.id) else { continue }
            if case .documents(let selection) = stored.subject {
                if try await !runs.closeInterrupted(stored, selection) { try await end(stored) }
            } else if let filename = await broker.publisher.removeLeftovers(of: stored.id) {
                try await complete(stored.id, filename)
            } else {
                try await end(stored)
            }
        }
    }

    /// Ends a run that was cut short and left nothing in the inbox: it has failed, unless the broker already took the
    /// statement. Only the broker knows that, so the run stays as it is until the broker answers.
    private func end(_ stored: StoredRequest) async throws {
        let failure = FailureReport.interrupted
        let refusal = await report(failure, of: stored.id)
        let attempt: Attempt = stored.status == .executing ? .endExecuting : .endApproved
        switch try await step(after: attempt, refusal, of: stored.id) {
        case .completeRun: try await complete(stored.id, stored.period.fileStem(for: stored.id) + ".pdf")
        case .failRunAndReport: await runs.fail(stored.id, failure)
        case .failRun:
            guard
                try await store.move(
                    stored.id, from: stored.status, to: .failed, at: now, failure.change(owesReport: false))
            else { return }
            events.send(.changed(stored.id, .failed))
        default: break
        }
    }

    private func complete(_ id: RequestID, _ filename: String) async throws {
        let change = PhoneDatabase.Change(resultFilename: filename)
        guard try await store.move(id, from: .executing, to: .completed, at: now, change) else { return }
        events.send(.changed(id, .completed))
    }

    // MARK: Steps

    private func step(
        after attempt: Attempt, _ refusal: PhoneError?, of id: RequestID
    ) async throws -> ReconciliationStep {
        guard let rule = ReconciliationTable.standard[attempt, BrokerAnswer(refusal: refusal)] else { return .raise }
        guard rule.step != rule.stepIfUnanswered else { return rule.step }
        return try await mayBeOwn(id, refusal) ? rule.stepIfUnanswered : rule.step
    }

    /// Returns whether the approval that the broker has can be this phone's, whose answer got lost. A broker that names
    /// the approval that counts leaves no doubt.
    private func mayBeOwn(_ id: RequestID, _ refusal: PhoneError?) async throws -> Bool {
        if let counting = refusal?.decisionID { return try await store.decisionID(of: id) == counting }
        return try await store.isUnanswered(id)
    }

    /// Takes a step with a request that is undecided here.
    ///
    /// - Parameters:
    ///   - failure: what a request that fails is told to have failed of.
    ///   - refusal: the broker's, which ``ReconciliationStep/raise`` throws.
    private func apply(
        _ step: ReconciliationStep, to id: RequestID, _ failure: FailureReport, _ refusal: PhoneError?
    ) async throws {
        switch step {
        case .endDenied: try await end(pending: id, as: .denied, .deniedByUser)
        case .endExpired: try await end(pending: id, as: .expired, .approvalExpired)
        case .endOtherDevice:
            try await end(pending: id, as: .expired, .otherDevice, "carried on by another device")
        case .endFailed: try await fail(pending: id, failure)
        case .withdraw: try await withdraw(id, .late)
        case .release: try await store.releaseClaim(id)
        case .releaseUnanswered: try await store.releaseClaim(id, isUnanswered: true)
        case .raise: if let refusal { throw refusal }
        case .takeDecision, .wait, .completeRun, .failRun, .failRunAndReport: break
        }
    }

    private func fail(pending id: RequestID, _ failure: FailureReport) async throws {
        _ = try await store.move(id, from: .pendingApproval, to: .approved, at: now)
        guard try await store.move(id, from: .approved, to: .failed, at: now, failure.change(owesReport: false)) else {
            return
        }
        events.send(.changed(id, .failed))
    }

    private func end(
        pending id: RequestID, as status: RequestStatus, _ code: ErrorCode, _ message: String? = nil
    ) async throws {
        let change = PhoneDatabase.Change(errorCode: code, errorMessage: message)
        guard try await store.move(id, from: .pendingApproval, to: status, at: now, change) else { return }
        events.send(.changed(id, status))
    }

    /// Reports a failure to the broker.
    ///
    /// - Returns: why the broker did not take it; nil when it did.
    private func report(_ failure: FailureReport, of id: RequestID) async -> PhoneError? {
        let now = now
        // A report without the name still ends the run; with it, it cannot end another machine's.
        let decisionID = try? await store.decisionID(of: id)
        return await broker.refusal { (client) async throws(PhoneError) in
            try await client.failed(
                id, code: failure.code, message: failure.message, decisionID: decisionID, at: now)
        }
    }
}
