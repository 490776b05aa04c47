import Automation
import BankScript
import Foundation
import Messages

extension PhoneRunner {
    /// Ends what was under way when the process last stopped: a run happens in the foreground or not at all.
    public func recover() async throws {
        home.sweepDownloads()
        try await decisions.run { try await self.settleDecisions() }
        try await settleRuns()
    }

    /// Ends runs that nobody performs any more: the process stopped, or their end could not be written down.
    func settleRuns() async throws {
        let before = underWay.withLock { $0 }
        for stored in try await store.requests([.approved, .executing]) {
            // Looked at on both sides of the reading, as a run may begin or end meanwhile.
            guard !before.contains(stored.id), !underWay.withLock({ $0.contains(stored.id) }) else { continue }
            if let filename = await publisher.removeLeftovers(of: stored.id) {
                try await complete(stored.id, filename)
            } else {
                try await end(stored)
            }
        }
    }

    /// Finds out what became of decisions that were on their way when the process, its disk or the connection failed.
    func settleDecisions() async throws {
        for stored in try await store.interruptedDecisions(.deny) { try await denyAgain(stored.id) }
        for stored in try await store.interruptedDecisions(.approve) { try await withdraw(stored.id, .interrupted) }
    }

    /// Withdraws approvals that reached the broker after it had said that it knew of none: it does not list their
    /// requests any more, and nobody runs them.
    func settleLateApprovals(_ list: PendingList) async throws {
        guard list.entries.count < Self.mostEnvelopes else { return }
        let listed = list.requestIDs
        for id in try await store.unansweredApprovals() where !listed.contains(id) {
            try await withdraw(id, .late)
        }
    }

    /// Sends a denial once more, which the broker may have heard.
    private func denyAgain(_ id: RequestID) async throws {
        let now = now
        let refusal = await refusal { (broker) async throws(PhoneError) in
            _ = try await broker.decide(id, .deny, approval: nil, at: now)
        }
        if let refusal, refusal.requestStatus != nil || refusal.code != .brokerConflict {
            try await follow(refusal, of: id)
        } else {
            try await end(pending: id, as: .denied, .deniedByUser)
        }
    }

    /// Tells the broker that nothing will come of an approval, whether it has heard of it or will.
    private func withdraw(_ id: RequestID, _ failure: FailureReport) async throws {
        guard let refusal = await report(failure, of: id) else { return try await fail(pending: id, failure) }
        switch refusal.requestStatus {
        case .failed: try await fail(pending: id, failure)
        case .approved, .executing: throw refusal
        // The approval may still be on its way.
        case .pendingApproval: try await store.unclaim(id, isUnanswered: true)
        case nil where refusal.isConflict: try await store.unclaim(id, isUnanswered: true)
        default: try await follow(refusal, of: id)
        }
    }

    /// Brings a request that is undecided here to where the broker says that it stands.
    ///
    /// - Parameter refusal: the broker's, of what it was told.
    /// - Throws: `refusal`, when it does not say where the request stands.
    func follow(_ refusal: PhoneError, of id: RequestID) async throws {
        guard refusal.code == .brokerConflict || refusal.code == .expired else { throw refusal }
        let isUnanswered = try await store.isUnanswered(id)
        switch refusal.requestStatus {
        case .denied: try await end(pending: id, as: .denied, .deniedByUser)
        case .expired: try await end(pending: id, as: .expired, .approvalExpired)
        // An approval of this phone's own that was given up on, and came late.
        case .approved where isUnanswered, .executing where isUnanswered: try await withdraw(id, .late)
        case .failed where isUnanswered: try await fail(pending: id, .late)
        case .approved, .executing, .completed, .failed: try await leave(id)
        case .sent, .pendingApproval, nil:
            if refusal.isConflict { try await store.unclaim(id) } else { try await leave(id) }
        }
    }

    private func leave(_ id: RequestID) async throws {
        try await end(pending: id, as: .expired, .otherDevice, "carried on by another device")
    }

    private func fail(pending id: RequestID, _ failure: FailureReport) async throws {
        _ = try await store.move(id, from: .pendingApproval, to: .approved, at: now)
        guard try await store.move(id, from: .approved, to: .failed, at: now, failure.change()) else { return }
        announcements.send(.changed(id, .failed))
    }

    private func end(
        pending id: RequestID, as status: RequestStatus, _ code: ErrorCode, _ message: String? = nil
    ) async throws {
        let change = PhoneStore.Change(errorCode: code, errorMessage: message)
        guard try await store.move(id, from: .pendingApproval, to: status, at: now, change) else { return }
        announcements.send(.changed(id, status))
    }

    /// Ends a run that was cut short and has left nothing in the inbox: it has failed, unless the broker took the
    /// statement already.
    private func end(_ stored: StoredRequest) async throws {
        let failure = FailureReport.interrupted
        let refusal = await report(failure, of: stored.id)
        // Whether it has the statement only the broker knows: until it answers nothing is said of the run.
        if let refusal, [.brokerUnreachable, .brokerMalformed].contains(refusal.code) { return }
        if refusal?.requestStatus == .completed, stored.status == .executing {
            try await complete(stored.id, stored.period.fileStem(for: stored.id) + ".pdf")
        } else if refusal != nil {
            await fail(stored.id, failure)
        } else {
            _ = try await store.move(stored.id, from: stored.status, to: .failed, at: now, failure.change())
        }
    }

    /// - Returns: why the broker did not take it; nil when it did.
    private func report(_ failure: FailureReport, of id: RequestID) async -> PhoneError? {
        let now = now
        return await refusal { (broker) async throws(PhoneError) in
            try await broker.failed(id, code: failure.code, message: failure.message, at: now)
        }
    }

    private func refusal(
        of exchange: @Sendable (PhoneBrokerClient) async throws(PhoneError) -> Void
    ) async -> PhoneError? {
        do throws(PhoneError) {
            try await ask(exchange)
            return nil
        } catch {
            return error
        }
    }

    private func complete(_ id: RequestID, _ filename: String) async throws {
        let change = PhoneStore.Change(resultFilename: filename)
        _ = try await store.move(id, from: .executing, to: .completed, at: now, change)
    }

    // MARK: What the broker has not heard

    /// Tells the broker of failures that it could not be told of.
    func reportWhatIsOwed() async throws {
        for stored in try await store.owedReports() {
            do {
                try await ask { (broker) async throws(PhoneError) in
                    try await broker.failed(
                        stored.id, code: stored.errorCode.flatMap(ErrorCode.init(rawValue:)) ?? .navigationFailed,
                        message: stored.errorMessage, at: stored.updatedAt)
                }
                try await store.reported(stored.id)
            } catch let error as PhoneError where error.code == .brokerConflict || error.code == .expired {
                // It has found an end of its own, a timeout say.
                try await store.reported(stored.id)
            } catch let error as PhoneError
                where error.code == .brokerUnreachable || error.code == .brokerMalformed || error.code == .pinMismatch
            {
                return
            }
        }
    }
}

extension PhoneError {
    /// The request stands where what was asked for does not lead, and not because another device runs it.
    fileprivate var isConflict: Bool { code == .brokerConflict && brokerCode != .otherDevice }
}
