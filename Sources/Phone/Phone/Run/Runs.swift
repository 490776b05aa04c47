import Automation
import BankScript
import Foundation
import KeyVault
import Machine
import Messages
import PhoneStore
import Secrets
import Storage
import Synchronization

/// The runs of approved requests: one at a time fetches a statement, delivers it, or reports why it failed.
final class Runs: Sendable {
    let queue = SerialQueue()
    let home: PhoneHome
    let store: PhoneDatabase
    let broker: BrokerConnection
    private let services: PhoneServices
    let events: PhoneEvents
    /// Counts the approvals and runs of each request, because several approvals of one can be on their way at once.
    private let approved = Mutex<[RequestID: Int]>([:])
    /// The copies with their key, from the first time that the vault was open.
    let copies = Mutex<DocumentCopies?>(nil)

    init(
        home: PhoneHome, store: PhoneDatabase, broker: BrokerConnection, services: PhoneServices, events: PhoneEvents
    ) {
        self.home = home
        self.store = store
        self.broker = broker
        self.services = services
        self.events = events
    }

    var now: Date { services.clock.now }

    // MARK: Queue

    /// The requests that this process approves or performs now.
    var underWay: Set<RequestID> { approved.withLock { Set($0.keys) } }

    func markUnderWay(_ id: RequestID) { approved.withLock { $0[id, default: 0] += 1 } }

    /// Takes back one mark. A request stays under way as long as another approval or its run has one.
    func markEnded(_ id: RequestID) {
        approved.withLock { marks in
            guard let count = marks[id] else { return }
            marks[id] = count > 1 ? count - 1 : nil
        }
    }

    /// Takes an approved request to its end when its turn has come.
    func perform(_ run: ApprovedRun) async -> RunOutcome {
        defer {
            run.secrets.close()
            markEnded(run.id)
        }
        return await queue.run { await self.execute(run) }
    }

    // MARK: Execution

    /// Executes a run. The vault closes as soon as the script has ended.
    private func execute(_ run: ApprovedRun) async -> RunOutcome {
        defer { run.given.wipe() }
        // The key of the reports is taken while the vault is open. Without it nothing is kept.
        let reports = try? await FailureReports(of: home, in: run.secrets)
        if let reports { store.useMessageKey(reports.key) }
        let copies = try? await takeCopies(run.secrets)
        do {
            try await begin(run)
            if case .documents(let selection) = run.envelope.subject {
                return try await fetchAll(run, selection, reports, copies)
            }
            let document = try await fetch(run)
            do {
                try await confirm(run, .beforeDelivery)
            } catch {
                try? FileManager.default.removeItem(at: document.file)
                throw error
            }
            let filename = try await deliver(document, of: run, copies)
            return .completed(filename: filename)
        } catch {
            run.secrets.close()
            return await fail(run, error, reports)
        }
    }

    private func begin(_ run: ApprovedRun) async throws {
        do {
            try await broker.publisher.check()
        } catch {
            throw RunFailure(.inboxWriteFailed, message: "the inbox cannot be written to: \(error)")
        }
        try await checkHold(run)
        try await confirm(run, .beforeRun)
        guard try await store.move(run.id, from: .approved, to: .executing, at: now) else {
            throw PhoneError(.notPending, "request \(run.id.short) is not approved any more")
        }
        events.send(.changed(run.id, .executing))
    }

    /// Refuses a bank that has refused these credentials since the approval, or whose refusal the person has not seen.
    private func checkHold(_ run: ApprovedRun) async throws {
        guard let hold = try await store.hold(onBank: run.script.id), hold.id != run.confirmedHold else { return }
        throw RunFailure(
            .bankOnHold,
            message: "\(run.script.name) \(hold.words); the bank was not visited. The phone's owner has to store other "
                + "credentials, or to confirm another try")
    }

    /// Reports the run to the broker, or asks before the delivery whether the broker still waits for it.
    ///
    /// - Throws: ``RequestEnded`` when the broker says that it has ended the request, or that another machine runs it.
    func confirm(_ run: ApprovedRun, _ moment: RequestEnded.Moment) async throws {
        let (id, now) = (run.id, now)
        let decisionID = try await store.decisionID(of: id)
        do {
            try await broker.call { (client) async throws(PhoneError) in
                try await client.started(id, decisionID: decisionID, at: now)
            }
        } catch {
            if let ended = RequestEnded(error, moment) { throw ended }
            // The run goes on: the broker passes through EXECUTING when it accepts the manifest. A broker without
            // this route answers 404; one that cannot be reached finds the delivery in the folder.
            guard moment == .beforeRun else { return }
            let event: AuditKind = error.code == .brokerConflict ? .brokerStartedRefused : .brokerStartedUnheard
            try await store.audit.record(
                AuditEvent(
                    event, severity: .warning, requestID: id.description,
                    details: ["message": .string(error.message)], time: now))
        }
    }

    private func fetch(_ run: ApprovedRun) async throws -> FetchedDocument {
        // The request is for a PDF, and a broker takes nothing else for it.
        guard run.script.usualKind == .pdf else {
            let kinds = run.script.kinds.sorted().map(\.rawValue).joined(separator: ", ")
            throw RunFailure(
                .pdfDownloadFailed,
                message:
                    "\(run.script.name) gives no statement as PDF, so it was not visited; ask for documents of a kind that it "
                    + "offers: \(kinds)")
        }
        let parameters = EnvelopeReview.parameters(of: run.envelope.period)
        return try await visit(run) { (visit) async throws(RunFailure) in
            try await visit.run(run.script, parameters: parameters)
        }
    }

    /// Visits the bank once, and notes how it answered the sign-in. The vault closes at the end.
    ///
    /// - Parameter verdict: what a visit that came to its end says about the credentials; nil for nothing.
    func visit<Value: Sendable>(
        _ run: ApprovedRun, verdict: (Value) -> SignInVerdict? = { _ in .accepted },
        _ work: @Sendable (BankVisit) async throws(RunFailure) -> Value
    ) async throws -> Value {
        defer { run.secrets.close() }
        let bankID = run.script.id
        let version = try await store.credentialsVersion(forBank: bankID)
        do {
            let value = try await visit(run, credentials: version, work)
            // The statement is delivered even if the database cannot record this.
            try? await store.record(verdict(value), ofBank: bankID, credentials: version, request: run.id, at: now)
            return value
        } catch let failure as RunFailure {
            // A database that takes no hold takes no further approval either, so no other sign-in follows.
            try? await store.record(
                SignInVerdict(failure), ofBank: bankID, credentials: version, request: run.id, at: now)
            throw failure
        } catch let lost as LostVisit {
            // As after a phone that stopped itself during the sign-in.
            try? await store.record(
                lost.mayHaveSignedIn ? .refused(.cancelled) : nil, ofBank: bankID, credentials: version,
                request: run.id, at: now)
            throw lost.failure
        }
    }

    private func visit<Value: Sendable>(
        _ run: ApprovedRun, credentials version: String,
        _ work: @Sendable (BankVisit) async throws(RunFailure) -> Value
    ) async throws -> Value {
        let (store, bankID, id, clock) = (store, run.script.id, run.id, services.clock)
        try await store.recordCredentialUse(forBank: bankID, at: now)
        let watching = EventObserver(id: run.id, events: events)
        let mayHaveSignedIn = Mutex(false)
        let skeletons = SkeletonWatch(run.script)
        var host = HostServices(
            credentials: CredentialVault(run.secrets, store: store).provider(
                forBank: bankID, keeping: run.given, of: services.credentials,
                beforeUse: {
                    mayHaveSignedIn.withLock { $0 = true }
                    try await store.beginSignIn(ofBank: bankID, credentials: version, request: id, at: clock.now)
                }),
            secondFactor: LinkedTokenProvider(
                links: TokenLinks(run.secrets, store: store), tokens: try await home.tokens(run.secrets),
                clock: services.clock, otherwise: services.secondFactor),
            person: services.person, downloads: FolderSink(home.downloads),
            observer: watching, clock: services.clock)
        host.gate = skeletons
        host.codeSources = services.codeSources
        host.sources = services.sources
        host.memory = VaultSourceMemory(secrets: run.secrets, bankID: bankID)
        host.grants = VaultGrantStore(secrets: run.secrets, bankID: bankID, home: home, given: run.given)
        host.devices = VaultDeviceMemory(secrets: run.secrets, store: store, bankID: bankID, given: run.given)
        host.consents = store
        host.requests = store
        host.codesRefusedBefore = try await store.codesRefused(byBank: bankID, credentials: version)
        let visit = bankVisit(of: run.script, host, skeletons)
        // A run counts without its warnings, its pages and its list of accounts, too.
        func keepNotes(_ failure: RunFailure?) async {
            try? await store.keepWarnings(watching.warnings, of: id)
            try? await store.keep(skeletons.pages, of: run.script, isWhole: failure == nil, at: clock.now)
            await keepOutcome(of: run.script, failure)
            guard let accounts = watching.accounts else { return }
            try? await store.keep(accounts.map { ($0.name, $0.alias) }, ofBank: bankID)
        }
        do throws(RunFailure) {
            let value = try await work(visit)
            await keepNotes(nil)
            return value
        } catch {
            await keepNotes(error)
            guard visit.isLost else { throw error }
            throw LostVisit(failure: error, mayHaveSignedIn: mayHaveSignedIn.withLock(\.self))
        }
    }

    /// Returns the visit, in a process of its own where this program has one for it.
    private func bankVisit(of script: BankScript, _ host: HostServices, _ skeletons: SkeletonWatch) -> BankVisit {
        #if os(Linux)
            if let program = services.visits {
                return .inProcess(
                    ProcessVisit(
                        program, of: script, host: host, downloads: home.downloads, limit: services.executionLimit,
                        skeletons: skeletons))
            }
        #endif
        return .here(ScriptRunner(services: host, limit: services.executionLimit, engine: services.engine))
    }

    /// Keeps the outcome of a visit, which the owner may tell the script's collection. A failure without a reason tells nothing.
    private func keepOutcome(of script: BankScript, _ failure: RunFailure?) async {
        guard failure == nil || failure?.reason != nil else { return }
        let engine = script.documentSource == nil ? script.engine.rawValue : "source"
        try? await store.keepOutcome(
            of: script.digest.hex, engine: engine, reason: failure?.reason, step: failure?.place?.number, at: now)
    }

    private func deliver(
        _ document: FetchedDocument, of run: ApprovedRun, _ copies: DocumentCopies?
    ) async throws -> String {
        defer { try? FileManager.default.removeItem(at: document.file) }
        let name = ReceivedDocument.statement
        // The publisher moves the file.
        let isKept = keepCopy(of: document, as: name, of: run, copies)
        // The page shows only this statement, whatever else lies in the folder under its name.
        try await store.rememberStatement(of: run.id, sha256: document.sha256)
        let filename: String
        do {
            filename = try await broker.publisher.publish(
                pdf: document.file, for: run.id, period: run.envelope.period, at: now)
        } catch {
            throw RunFailure(.inboxWriteFailed, message: "the statement could not be written to the inbox: \(error)")
        }
        await note(document, as: name, of: run, DocumentPlace(period: run.envelope.period), isKept: isKept)
        // The statement is delivered even if the database cannot record it: the next refresh finds the delivery.
        if try await store.recordDelivery(of: run.id, as: filename, at: now) {
            events.send(.changed(run.id, .completed))
        }
        return filename
    }

    // MARK: Failure

    private func fail(_ run: ApprovedRun, _ error: any Error, _ reports: FailureReports?) async -> RunOutcome {
        let failure = FailureReport(error)
        keep(failure, of: run, reports)
        if (error as? RunFailure)?.reason == .keyMismatch {
            _ = try? await store.audit.record(
                AuditEvent(
                    .pinMismatch, severity: .critical, requestID: run.id.description,
                    details: ["bank_id": .string(run.script.id), "message": .string(failure.message)], time: now))
        }
        await fail(run.id, failure)
        return .failed(code: failure.code.rawValue, message: failure.message)
    }

    /// Marks a request as failed here, and reports it to the broker now or at the next refresh.
    func fail(_ id: RequestID, _ failure: FailureReport) async {
        let change = failure.change(owesReport: failure.owesReport)
        for status in [RequestStatus.executing, .approved] {
            if (try? await store.move(id, from: status, to: .failed, at: now, change)) == true {
                events.send(.changed(id, .failed))
            }
        }
        try? await reportOwedFailures()
    }

    /// Keeps the page that a run failed on, for the person who mends the script.
    func keep(_ failure: FailureReport, of run: ApprovedRun, _ reports: FailureReports?) {
        guard let reports, let details = failure.details else { return }
        try? reports.keep(details, as: .description, of: run.id)
        if let page = failure.page { try? reports.keep(page, as: .page, of: run.id) }
    }

    private func report(_ stored: StoredRequest) async throws {
        let code = stored.errorCode.flatMap(ErrorCode.init(rawValue:)) ?? .navigationFailed
        guard let refusal = await refusal(of: stored, code) else { return }
        // A broker of an earlier version knows only the specification's codes.
        guard [.bankOnHold, .consentEnded, .credentialUnavailable].contains(code), refusal.status == 400 else {
            throw refusal
        }
        if let refusal = await self.refusal(of: stored, .bankLoginFailed) { throw refusal }
    }

    /// The paths that no message to the broker has.
    var localPaths: LocalPaths { LocalPaths([broker.settings.inbox, home.downloads, home.folder]) }

    private func refusal(of stored: StoredRequest, _ code: ErrorCode) async -> PhoneError? {
        let message = stored.errorMessage.map(localPaths.removed)
        return await broker.refusal { (client) async throws(PhoneError) in
            try await client.failed(
                stored.id, code: code, message: message, decisionID: stored.decisionID, at: stored.updatedAt)
        }
    }

    /// Reports the failures that the broker has not heard of yet.
    func reportOwedFailures() async throws {
        for stored in try await store.owedReports() {
            do {
                try await report(stored)
                try await store.markReported(stored.id)
            } catch let error as PhoneError
                where error.code == .brokerConflict || error.code == .expired || error.status == 400
            {
                // The broker has ended the request itself, for example by a timeout, or will never take this report.
                try await store.markReported(stored.id)
            } catch let error as PhoneError where error.status.map({ $0 >= 500 }) ?? false {
                // A broker that fails at one report may take the next.
                continue
            } catch let error as PhoneError
                where error.code == .brokerUnreachable || error.code == .brokerMalformed || error.code == .pinMismatch
            {
                return
            }
        }
    }
}

/// Passes a run's events on, and collects its warnings and its list of accounts.
private final class EventObserver: RunObserver {
    private let id: RequestID
    private let events: PhoneEvents
    private let warned = Mutex<[RunWarning]>([])
    private let listed = Mutex<[ListedAccount]?>(nil)

    init(id: RequestID, events: PhoneEvents) {
        self.id = id
        self.events = events
    }

    var warnings: [RunWarning] { warned.withLock { $0 } }
    /// The accounts that the bank listed; nil when it listed none.
    var accounts: [ListedAccount]? { listed.withLock { $0 } }

    func observe(_ event: RunEvent) {
        if case .warned(let step, let message) = event {
            warned.withLock { $0.append(RunWarning(step: step, message: message)) }
        }
        if case .listedAccounts(let accounts) = event { listed.withLock { $0 = accounts } }
        events.send(.run(id, event))
    }
}
