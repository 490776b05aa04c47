import Automation
import BankScript
import DeviceTrust
import Foundation
import Inbox
import KeyVault
import Machine
import Messages
import PhoneStore
import Secrets
import Storage

/// The trusted side: pulls requests, verifies them, shows them, and runs what the person approves.
///
///     let runner = try PhoneRunner(home: home, connection: connection, services: services)
///     try await runner.recover()
///     let review = try await runner.refresh()
///     let outcome = try await runner.approve(
///         review.pending[0], with: PassphraseVerification(passphrase))
///
/// One process at a time holds a home; within it one request runs at a time.
package final class PhoneRunner: Sendable {
    package let home: PhoneHome
    package let store: PhoneDatabase
    let broker: BrokerConnection
    private let services: PhoneServices
    private let announcements = PhoneEvents()
    private let requests: PendingRequests
    private let banks: BankOffers
    private let waitingOffers: WaitingOffers
    private let ownerAsks: OwnerAsks
    let remoteClients: RemoteClients
    private let runs: Runs
    private let reconciliation: Reconciliation
    private let rotation: CredentialRotation
    private let decisions: Decisions
    private let lock: FileLock

    /// - Parameter publisher: delivers statements; nil for the connection's inbox.
    /// - Throws: ``PhoneError``; `homeBusy` when another process holds the home.
    package init(
        home: PhoneHome, connection: PhoneConnection, services: PhoneServices,
        publisher: (any StatementPublisher)? = nil
    ) throws {
        lock = try home.claim()
        self.home = home
        self.services = services
        store = try PhoneDatabase(home)
        if let key = connection.messageKey { store.useMessageKey(key) }
        try store.holdUnfinishedSignIns()
        broker = BrokerConnection(connection, services: services, audit: store.audit, publisher: publisher)
        banks = BankOffers(store: store, broker: broker, services: services)
        waitingOffers = WaitingOffers(store: store, broker: broker, services: services, events: announcements)
        ownerAsks = OwnerAsks(store: store, broker: broker, services: services)
        remoteClients = RemoteClients(home: home, store: store, broker: broker, services: services)
        let clock = services.clock
        let decisionQueue = SerialQueue()
        requests = PendingRequests(home: home, store: store, broker: broker, events: announcements, clock: clock)
        runs = Runs(home: home, store: store, broker: broker, services: services, events: announcements)
        reconciliation = Reconciliation(
            store: store, broker: broker, runs: runs, events: announcements, clock: clock, decisionQueue: decisionQueue)
        rotation = CredentialRotation(
            vault: home.vault, store: store, broker: broker, runQueue: runs.queue, clock: clock)
        decisions = Decisions(
            home: home, store: store, broker: broker, requests: requests, runs: runs, reconciliation: reconciliation,
            rotation: rotation, events: announcements, clock: clock, queue: decisionQueue, keys: services.deviceKeys)
    }

    /// An approved request is being performed, or waits for its turn.
    package var hasRunsUnderWay: Bool { !runs.underWay.isEmpty }
    package var now: Date { services.clock.now }
    /// This phone is a device of its broker's, with a key of its own.
    package var isPaired: Bool { broker.isPaired }
    package var inbox: URL { broker.settings.inbox }

    /// Returns the bank's name as its script has it; its id when this phone has no script for it.
    package func bankName(_ bankID: String) -> String { services.scripts.script(forBank: bankID)?.name ?? bankID }

    /// Returns the events from now on. Each call makes a stream of its own.
    package func events() -> AsyncStream<PhoneEvent> { announcements.stream() }

    /// Returns what the author of the script needs to know of a failed run, with secrets masked; nil without a report, or
    /// while its key is in the vault.
    ///
    /// - Throws: ``PhoneError`` when the report was changed.
    package func failureReport(of request: RequestID) throws -> String? {
        guard let key = store.openMessageKey else { return nil }
        return try FailureReports(of: home, key: key).text(.description, of: request)
    }

    // MARK: Copies of documents

    /// The encrypted copies of documents, once the vault was open while the owner wanted copies.
    package var copies: DocumentCopies? { runs.copies.withLock { $0 } }

    /// Takes the key of the copies from an open vault, so that they can be opened while the phone is unlocked.
    package func takeCopies(from secrets: VaultSecretStore) async throws { try await runs.takeCopies(secrets) }

    /// Forgets the key, which another one replaces or which is not needed any more.
    package func forgetCopies() { runs.copies.withLock { $0 = nil } }

    /// The scripts of this phone, and the files that it refuses.
    package var scripts: ScriptRegistry { services.scripts }

    // MARK: Looking

    /// Ends what was under way when the process last stopped: a run happens in the foreground or not at all.
    package func recover() async throws {
        home.sweepDownloads()
        try await store.sealPlainMessages()
        try await reconciliation.settleDecisions()
        try await reconciliation.settleRuns()
    }

    /// Asks the broker for requests, verifies them, and remembers those that may be shown.
    package func refresh() async throws -> Review {
        // Told first: the broker shows a phone the requests for the banks that it has.
        try await banks.tell()
        let list = try await broker.call { (client) async throws(PhoneError) in try await client.pending() }
        broker.isRotationRequested = list.asksForRotation
        await waitingOffers.refresh()
        try await runs.reportOwedFailures()
        try await reconciliation.settleDecisions(with: list)
        try await reconciliation.settleRuns()
        try await requests.expire()
        try await store.deleteOutdated(at: now)
        let (refused, unread) = try await requests.admit(list)
        broker.mark = list.mark
        return Review(pending: try await requests.all(), refused: refused, unread: unread)
    }

    /// Tells the broker the banks that this phone has, if they have changed.
    ///
    /// - Throws: ``PhoneError`` with the code `pinMismatch`.
    package func tellOfBanks() async throws(PhoneError) { try await banks.tell() }

    /// Waits until the broker has something new, which ``refresh()`` fetches.
    ///
    /// - Parameter wait: the longest wait in seconds, from 0 to 30.
    /// - Returns: false, at once, if the broker has no `/phone/changes`.
    package func waitForChange(atMost wait: Int) async throws(PhoneError) -> Bool {
        guard let mark = broker.mark else { return false }
        try await broker.change(after: mark, wait: wait)
        return true
    }

    /// Returns the requests that wait for a decision, as far as the phone knows them; the soonest to expire first.
    package func pending() async throws -> [PendingRequest] { try await requests.all() }

    // MARK: Offers

    /// The documents that the owner can ask for, as the broker last listed them, the newest first.
    package var offers: [WaitingOffer] { waitingOffers.all }

    /// Makes a request of an offer, and fetches it.
    ///
    /// - Returns: the request, which waits for approval now unless everything is there already.
    /// - Throws: ``PhoneError``.
    package func open(_ offer: OfferID) async throws -> RequestID {
        let request = try await waitingOffers.open(offer)
        _ = try await refresh()
        return request
    }

    /// Ends an offer that the owner does not want.
    ///
    /// - Throws: ``PhoneError``.
    package func dismiss(_ offer: OfferID) async throws {
        try await waitingOffers.dismiss(offer)
        await waitingOffers.refresh()
    }

    // MARK: Asking

    /// Asks for documents in the owner's name. The request waits for an approval like an agent's.
    ///
    /// - Parameter bankID: a bank with stored credentials.
    /// - Throws: ``PhoneError``, also for what the bank's script cannot fetch.
    package func ask(_ wanted: DocumentsRequest, ofBank bankID: String) async throws -> AskOutcome {
        // Told first: the broker takes requests for the banks that it knows this phone has.
        try await banks.tell()
        let outcome = try await ownerAsks.ask(wanted, ofBank: bankID)
        _ = try await refresh()
        return outcome
    }

    /// Asks again for what a request did not bring, for the agent that asked then.
    ///
    /// - Throws: ``PhoneError``.
    package func repeatRequest(_ id: RequestID) async throws -> AskOutcome {
        let outcome = try await ownerAsks.repeatRequest(id)
        _ = try await refresh()
        return outcome
    }

    // MARK: Deciding

    /// Denies a request.
    package func deny(_ id: RequestID) async throws { try await decisions.deny(id) }

    /// Approves a request and runs exactly the script that was shown; returns when the statement is delivered or the
    /// run has failed.
    ///
    /// - Parameters:
    ///   - request: as it was shown; its script digest is what runs.
    ///   - verifications: each opens the vault for this one run; more than one where the request needs them.
    ///   - tryingAgain: signs in although the request's ``PendingRequest/hold`` says that the bank refused these
    ///     credentials. Ask the person separately: another refusal can lock the account.
    /// - Throws: when the person could not be verified or the decision could not be made; the request stays as it is.
    package func approve(
        _ request: PendingRequest, with verifications: any UserVerification..., tryingAgain: Bool = false
    ) async throws -> RunOutcome {
        switch try await accept(request, with: verifications, tryingAgain: tryingAgain) {
        case .run(let run): await perform(run)
        case .waiting(let approvals, let needed): .waiting(approvals: approvals, needed: needed)
        }
    }

    /// Makes the approval, the first half of ``approve(_:with:)``. The caller then has to perform the run.
    package func accept(
        _ request: PendingRequest, with verifications: [any UserVerification], tryingAgain: Bool = false
    ) async throws -> Acceptance {
        try await decisions.accept(request, with: verifications, tryingAgain: tryingAgain)
    }

    /// Runs the script when its turn has come and closes the vault, the second half of ``approve(_:with:)``.
    package func perform(_ run: ApprovedRun) async -> RunOutcome { await runs.perform(run) }

    // MARK: Rotation

    /// Opens the vault and agrees on new credentials, if the broker asks for it.
    package func rotateIfAsked(_ verification: any UserVerification) async throws {
        try await rotation.rotateIfAsked(verification)
    }

    /// Agrees on new credentials with an open vault, if the broker asks for it and nothing runs.
    package func rotateIfAsked(_ secrets: VaultSecretStore) async throws {
        try await rotation.rotateIfAsked(secrets)
    }

    // MARK: The end

    /// Deletes everything that this program keeps in the home, which this runner has claimed, for the process that serves its page.
    /// Nothing else uses the runner any more, and the caller has closed its own database.
    ///
    /// The files of the locks go, too, while this process holds them: a phone that is set up here next has its own.
    ///
    /// - Returns: the names that are left in the folder; an empty folder is removed.
    package func forgetHome() throws(PhoneError) -> [String] {
        // Closed first: SQLite deletes the files beside a database by their names, which may be another phone's by then.
        store.close()
        return try home.deleteOwnFiles()
    }
}
