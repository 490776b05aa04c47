import AuditLog
import Automation
import BankScript
import Files
import Foundation
import GRDB
import KeyVault
import Messages
import Secrets

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
        } catch  where error.brokerCode == .otherDevice {
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
        return .failed(code: failure.code.rawValue, message: failure.message)
    }

    /// Marks a request as failed here, and tells the broker now or at the next refresh.
    func fail(_ id: RequestID, _ failure: FailureReport) async {
        let change = failure.change(owesReport: true)
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
}

private struct EventObserver: RunObserver {
    let id: RequestID
    let events: PhoneEvents

    func observe(_ event: RunEvent) { events.send(.run(id, event)) }
}
