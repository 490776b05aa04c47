import AuditLog
import Automation
import BankScript
import Foundation
import GRDB
import Secrets
import Signer
import SyncedFolder

/// What was approved, with the vault open for it.
public struct ApprovedRun: Sendable {
    let envelope: RequestEnvelope
    let script: BankScript
    let secrets: VaultSecretStore
    let given = GivenCredentials()

    public var id: RequestID { envelope.requestID }
}

extension PhoneRunner {
    /// Takes an approved request to its end. The vault is closed as soon as the script has ended.
    func execute(_ run: ApprovedRun) async -> RunOutcome {
        defer { run.given.wipe() }
        do {
            try await begin(run)
            let document = try await fetch(run)
            let filename = try await deliver(document, of: run)
            return .completed(filename: filename)
        } catch {
            run.secrets.close()
            return await fail(run, error)
        }
    }

    private func begin(_ run: ApprovedRun) async throws {
        do {
            try await publisher.check()
        } catch {
            throw RunFailure(.inboxWriteFailed, message: "the inbox cannot be written to: \(error)")
        }
        do {
            let (id, now) = (run.id, now)
            try await ask { (broker) async throws(PhoneError) in try await broker.started(id, at: now) }
        } catch  where error.brokerCode == "OTHER_DEVICE" {
            throw RunFailure(.navigationFailed, message: error.message)
        } catch {
            // The run can do without: the broker passes through EXECUTING when it accepts the manifest. One that lacks
            // this route answers 404; one that has given up answers again at the failure.
            let event = error.code == .brokerConflict ? "broker.started_refused" : "broker.started_unheard"
            try await store.audit.record(
                AuditEvent(
                    event, severity: .warning, requestID: run.id.description,
                    details: ["message": .string(error.message)], time: now))
        }
        guard try await store.move(run.id, from: .approved, to: .executing, at: now) else {
            throw PhoneError(.notPending, "request \(run.id.short) is not approved any more")
        }
        announcements.send(.changed(run.id, .executing))
    }

    private func fetch(_ run: ApprovedRun) async throws -> FetchedDocument {
        defer { run.secrets.close() }
        try await store.usedCredentials(forBank: run.script.id, at: now)
        let host = HostServices(
            credentials: CredentialVault(run.secrets, store: store).provider(
                forBank: run.script.id, keeping: run.given),
            secondFactor: LinkedTokenProvider(
                links: TokenLinks(run.secrets, store: store), tokens: try await home.tokens(run.secrets),
                clock: services.clock, otherwise: services.secondFactor),
            person: services.person, downloads: FolderSink(home.downloads),
            observer: EventObserver(id: run.id, events: announcements), clock: services.clock)
        let runner = ScriptRunner(services: host, limit: services.executionLimit, engine: services.engine)
        return try await runner.run(run.script, parameters: EnvelopeReview.parameters(of: run.envelope))
    }

    private func deliver(_ document: FetchedDocument, of run: ApprovedRun) async throws -> String {
        defer { try? FileManager.default.removeItem(at: document.file) }
        let filename: String
        do {
            filename = try await publisher.publish(
                pdf: document.file, for: run.id, period: run.envelope.period, at: now)
        } catch {
            throw RunFailure(.inboxWriteFailed, message: "the statement could not be written to the inbox: \(error)")
        }
        let change = PhoneStore.Change(resultFilename: filename)
        do {
            guard try await store.move(run.id, from: .executing, to: .completed, at: now, change) else {
                throw PhoneError(.notPending, "request \(run.id.short) is not executing any more")
            }
        } catch is DatabaseError {
            // The delivery is made, whatever can be written down of it now: the next refresh finds it.
            return filename
        }
        announcements.send(.changed(run.id, .completed))
        return filename
    }

    private func fail(_ run: ApprovedRun, _ error: any Error) async -> RunOutcome {
        let failure = FailureReport(error)
        keep(failure, of: run)
        if (error as? RunFailure)?.reason == .keyMismatch {
            _ = try? await store.audit.record(
                AuditEvent(
                    "pin.mismatch", severity: .critical, requestID: run.id.description,
                    details: ["bank_id": .string(run.script.id), "message": .string(failure.message)], time: now))
        }
        await fail(run.id, failure)
        return .failed(code: failure.code, message: failure.message)
    }

    /// Marks a request as failed here, and tells the broker now or at the next refresh.
    private func fail(_ id: RequestID, _ failure: FailureReport) async {
        let change = PhoneStore.Change(errorCode: failure.code, errorMessage: failure.message, owesReport: true)
        for status in [RequestStatus.executing, .approved] {
            if (try? await store.move(id, from: status, to: .failed, at: now, change)) == true {
                announcements.send(.changed(id, .failed))
            }
        }
        try? await reportWhatIsOwed()
    }

    /// Keeps what the page was like, for whoever mends the script.
    private func keep(_ failure: FailureReport, of run: ApprovedRun) {
        guard let details = failure.details else { return }
        let file = home.failures.appending(path: "\(run.id).txt")
        try? AtomicFile.write(details.utf8, to: file)
        guard let page = failure.page else { return }
        try? AtomicFile.write(page.utf8, to: home.failures.appending(path: "\(run.id).html"))
    }

    // MARK: After a stop

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
        for stored in try await store.interruptedDecisions(.deny) {
            try await denyAgain(stored.id)
        }
        let failure = FailureReport.interrupted
        for stored in try await store.interruptedDecisions(.approve) {
            // If the broker has it, it has to hear that nothing will come of it.
            let now = now
            let refusal = await refusal { (broker) async throws(PhoneError) in
                try await broker.failed(stored.id, code: failure.code, message: failure.message, at: now)
            }
            if let refusal, refusal.code != .brokerConflict { throw refusal }
            if let refusal, refusal.requestStatus != .failed {
                try await store.unclaim(stored.id)
                continue
            }
            // It has heard both now, or at a time before this one.
            _ = try await store.move(stored.id, from: .pendingApproval, to: .approved, at: now)
            _ = try await store.move(
                stored.id, from: .approved, to: .failed, at: now,
                PhoneStore.Change(errorCode: failure.code, errorMessage: failure.message))
        }
    }

    /// Sends a denial once more, which the broker may have heard.
    private func denyAgain(_ id: RequestID) async throws {
        let now = now
        let refusal = await refusal { (broker) async throws(PhoneError) in
            _ = try await broker.decide(id, .deny, approval: nil, at: now)
        }
        if refusal?.code == .expired { return }
        if let refusal, refusal.code != .brokerConflict { throw refusal }
        let change = PhoneStore.Change(errorCode: "DENIED_BY_USER")
        _ = try await store.move(id, from: .pendingApproval, to: .denied, at: now, change)
    }

    /// Ends a run that was cut short and has left nothing in the inbox: it has failed, unless the broker took the
    /// statement already.
    private func end(_ stored: StoredRequest) async throws {
        let failure = FailureReport.interrupted
        let now = now
        let refusal = await refusal { (broker) async throws(PhoneError) in
            try await broker.failed(stored.id, code: failure.code, message: failure.message, at: now)
        }
        // Whether it has the statement only the broker knows: until it answers nothing is said of the run.
        if let refusal, [.brokerUnreachable, .brokerMalformed].contains(refusal.code) { return }
        if refusal?.requestStatus == .completed, stored.status == .executing {
            try await complete(stored.id, stored.period.fileStem(for: stored.id) + ".pdf")
        } else if refusal != nil {
            await fail(stored.id, failure)
        } else {
            let change = PhoneStore.Change(errorCode: failure.code, errorMessage: failure.message)
            _ = try await store.move(stored.id, from: stored.status, to: .failed, at: now, change)
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

    /// Tells the broker of failures that it could not be told of.
    func reportWhatIsOwed() async throws {
        for stored in try await store.owedReports() {
            do {
                try await ask { (broker) async throws(PhoneError) in
                    try await broker.failed(
                        stored.id, code: stored.errorCode ?? ErrorCode.navigationFailed.rawValue,
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

private struct EventObserver: RunObserver {
    let id: RequestID
    let events: PhoneEvents

    func observe(_ event: RunEvent) { events.send(.run(id, event)) }
}
