import Automation
import BankScript
import Encodings
import Foundation
import KeyVault
import Languages
import Messages
import Notifications
import Phone
import PhoneStore
import Secrets
import Storage
import WebServing

/// The state of the approval page: whether the phone is unlocked, who has signed in, the open questions and the
/// progress of the run.
///
/// An unlocked phone has the tokens for the broker in memory, but not the vault's key. Each approval opens the vault
/// anew.
actor PageState {
    let home: PhoneHome
    let store: PhoneDatabase
    let prompt = PagePrompt()
    nonisolated let changes = PageChanges()
    /// Tells browsers that a request waits; nil without a contact for push services.
    private(set) var announcements: RequestAnnouncements?
    let services: PhoneServices
    private let configuration: PageServerConfiguration
    private var site: RelyingParty?
    private var sessions: PageSessions
    private var signIns = SignInLimit()
    private(set) var notify: @Sendable (String) -> Void = { _ in }
    private var tellOfRequest: @Sendable (AgentName?) -> Void = { _ in }
    private var challenges = Challenges()
    private(set) var runner: PhoneRunner?
    private(set) var progress = RunProgress()
    private(set) var trouble: String?
    /// The language that the owner has chosen; nil for the one that each browser asks for.
    var language: Language?
    /// The tokens whose codes a browser may see now.
    var shownTokens: ShownTokens?
    /// The latest pairing of another device that a browser has begun.
    var begunPairing: BegunPairing?
    private var tasks: [Task<Void, Never>] = []
    private var keeping: Task<Void, any Error>?

    /// The database for what the page shows of past requests. The runner's has the key for the messages of failed runs.
    var history: PhoneDatabase { runner?.store ?? store }

    init(home: PhoneHome, services: PhoneServices, configuration: PageServerConfiguration) throws {
        self.home = home
        self.configuration = configuration
        sessions = PageSessions(lifetime: configuration.sessionLifetime, idleLifetime: configuration.idleLifetime)
        let store = try PhoneDatabase(home)
        self.store = store
        announcements = try configuration.notifications.map {
            try RequestAnnouncements($0, keyFile: home.pushKeyFile, store: store)
        }
        var services = services
        services.person = prompt
        self.services = services
    }

    // MARK: Connections

    /// The latest attempt to connect each bank.
    private var connections: [String: PageConnection] = [:]
    private var connecting: [String: Task<Void, Never>] = [:]

    func connection(ofBank bankID: String) -> PageConnection? { connections[bankID] }

    /// Starts an attempt in place of the one before.
    func begin(_ connection: PageConnection, forBank bankID: String, _ work: @escaping @Sendable () async -> Void) {
        connecting[bankID]?.cancel()
        connections[bankID] = connection
        connecting[bankID] = Task { await work() }
    }

    // MARK: Added banks

    private var readScripts = ReadScripts()
    /// The latest attempt to add each bank.
    private var additions: [String: BankAddition] = [:]

    func keep(_ script: ReadScript, for session: PageSession) { readScripts.keep(script, for: session) }

    func readScript(_ digest: String, of session: PageSession) -> ReadScript? {
        readScripts.script(digest, of: session)
    }

    func forgetReadScripts(ofBank id: String) { readScripts.forget(ofBank: id) }

    /// Returns the latest attempt with a script.
    ///
    /// - Parameter digest: in hexadecimal digits.
    func addition(_ digest: String) -> BankAddition? { additions.values.first { $0.script.digest.hex == digest } }

    /// The attempt that is under way. There is one at a time.
    var openAddition: BankAddition? { additions.values.first { $0.end == nil } }
    /// The digest of the script for which the vault is being opened, before its attempt begins.
    var addingNext: ScriptDigest?
    var isAdding: Bool { addingNext != nil || openAddition != nil }

    func begin(_ addition: BankAddition, _ work: @escaping @Sendable () async -> Void) {
        additions[addition.script.id] = addition
        tasks.append(Task { await work() })
    }

    func checkNothingIsAdded() throws(PhoneError) {
        guard !isAdding else { throw PhoneError(.homeBusy, "a bank is being added; try again when that has ended") }
    }

    // MARK: One at a time

    /// The approvals that have not become runs yet, and the attempts to connect. Each may ask the owner, and the page has one
    /// question at a time. An actor does other things while it waits, so each is counted before it waits for anything.
    var approvalsUnderWay = 0
    var connectionsUnderWay = 0
    /// The changes under way that give the vault another key, or delete it.
    var vaultReplacements = 0

    // MARK: The site

    func opened(port: Int) -> RelyingParty {
        let site = RelyingParty(id: configuration.hostName, origin: configuration.origin(port: port))
        self.site = site
        return site
    }

    func relyingParty() throws(WebAuthnError) -> RelyingParty {
        guard let site else { throw WebAuthnError(.malformed, "the page is not open yet") }
        return site
    }

    /// Notes that a page in a visible window has shown how these requests ended.
    func showed(_ ended: [RequestID], at moment: Date) { progress.showed(ended, at: moment) }

    // MARK: Notices

    /// Sets a function that is called with what the owner should hear about at once.
    func onNotice(_ body: @escaping @Sendable (String) -> Void) { notify = body }

    /// Sets a function that is called for each new request.
    func onRequest(_ body: @escaping @Sendable (AgentName?) -> Void) { tellOfRequest = body }

    /// Records something that the owner should hear about: in the audit log, at the terminal, and on the page.
    func notice(_ event: AuditEvent, _ words: String) async throws {
        try await store.audit.record(event)
        notify(words)
        changes.send()
    }

    private var told = ToldChanges()

    /// Notes a change of which the page tells once the browser is led back; see ``ToldChanges/note(_:)``.
    func note(_ change: ToldChange) -> Int { told.note(change) }

    func change(numbered text: String) -> ToldChange? { told.change(numbered: text) }

    // MARK: Sessions

    func session(cookie: String?, at place: String?, isUse: Bool) -> PageSession? {
        guard !isForgotten, let cookie, let place else { return nil }
        return sessions.session(cookie: cookie, at: place, isUse: isUse)
    }

    func isSignedIn(_ session: PageSession) -> Bool { sessions.isSignedIn(session.id) }

    /// Admits the browser that shows a code from the terminal.
    ///
    /// - Returns: nil if the code was used, is too old, or never was one.
    func admit(_ code: Secret, _ browser: KnownBrowser) async throws -> (session: PageSession, cookie: String)? {
        guard try await store.use(code, for: .openPage) else { return nil }
        try await store.audit.record(AuditEvent(.pageOpened, details: ["browser": .string(browser.name)]))
        try await dropForgottenBrowsers()
        let admitted = sessions.admit(browser)
        try await keepBrowsers()
        return admitted
    }

    /// Knows the browsers of an earlier run again, if they were used while their cookies lived.
    func recallBrowsers() async throws {
        let time = Date().addingTimeInterval(-PageCookie.lifetime)
        sessions.recall(try await store.knownBrowsers(usedSince: time))
    }

    /// Forgets every browser but this one, and their notifications.
    func forgetOtherBrowsers(than session: PageSession) async throws {
        try await forget(sessions.all.filter { $0.browser.id != session.browser.id })
    }

    /// Forgets the browsers that a program beside this page has forgotten, such as a change of the passphrase at the terminal:
    /// the page's own list would else bring them back.
    private func dropForgottenBrowsers() async throws {
        // A browser is in the list that goes to the database as soon as it is among the sessions.
        let (known, stored) = (Set(sessions.all.map(\.browser.id)), keeping)
        _ = await stored?.result
        let left = Set(try await store.knownBrowsers(usedSince: .distantPast).map(\.id))
        try await forget(sessions.all.filter { known.contains($0.browser.id) && !left.contains($0.browser.id) })
    }

    /// Stores the known browsers. A list that cannot be stored costs a code after the next restart, but no sign-in now.
    private func tryToKeepBrowsers() async {
        do { try await keepBrowsers() } catch { notify("the list of browsers cannot be kept: \(error)") }
    }

    /// Stores the known browsers, one list after the other: an older one must not replace a newer one.
    private func keepBrowsers() async throws {
        let keeping = Task { [store, before = keeping, browsers = sessions.stored] in
            _ = await before?.result
            try await store.keep(browsers)
        }
        self.keeping = keeping
        try await keeping.value
    }

    /// The browsers that the page knows, the latest used first.
    var browsers: [PageSession] { sessions.all }

    /// Forgets a browser, and its notifications.
    ///
    /// - Returns: false when the page knows no such browser.
    func forget(browser id: String) async throws -> Bool {
        try await dropForgottenBrowsers()
        let found = sessions.all.filter { $0.browser.id == id }
        try await forget(found)
        return !found.isEmpty
    }

    /// Forgets browsers that the page knows, with their notifications, and stores those that are left.
    private func forget(_ forgotten: [PageSession]) async throws {
        guard !forgotten.isEmpty else { return }
        // Before anything that takes time: from now on none of them signs in.
        for session in forgotten {
            _ = sessions.forget(browser: session.browser.id)
            hideTokens(from: session)
        }
        try await keepBrowsers()
        for session in forgotten { await endPairing(of: session, because: .cancelled) }
        let places = Set(forgotten.map(\.place))
        for subscription in try await store.pushSubscriptions() where places.contains(subscription.place) {
            try await store.forgetSubscription(subscription.endpoint)
        }
        for browser in forgotten.map(\.browser) {
            try await store.audit.record(
                AuditEvent(
                    .pageBrowserForgotten, severity: .warning,
                    details: ["browser": .string(browser.name), "id": .string(browser.id)]))
        }
        changes.send()
    }

    /// - Returns: nil when the browser was forgotten meanwhile.
    func signOut(_ session: PageSession) async -> (session: PageSession, cookie: String)? {
        hideTokens(from: session)
        configuration.banks?.forgetRefusedCredentials()
        do { try await dropForgottenBrowsers() } catch { notify("the list of browsers cannot be read: \(error)") }
        guard let signedOut = sessions.signOut(session) else { return nil }
        await tryToKeepBrowsers()
        await endPairing(of: session, because: .cancelled)
        return signedOut
    }

    /// Takes one of the passphrases that an address may try: each costs the machine memory and time.
    ///
    /// - Returns: nil if it may be tried now; otherwise the time until the next.
    func takeTry(from address: String) -> Duration? { signIns.take(from: OpenConnections.origin(of: address)) }

    /// Unlocks the phone and signs a browser in.
    ///
    /// - Returns: nil when the browser was forgotten meanwhile.
    func signIn(
        _ session: PageSession, from address: String, _ verification: any UserVerification
    ) async throws -> (session: PageSession, cookie: String)? {
        try await unlock(verification)
        signIns.forgive(OpenConnections.origin(of: address))
        try await dropForgottenBrowsers()
        // Before the record, which takes time: without it the cookie is not given out.
        guard let signedIn = sessions.signIn(session) else { return nil }
        hideTokens(from: session)
        await tryToKeepBrowsers()
        try await store.audit.record(
            AuditEvent(.pageSignedIn, details: ["means": .string(verification.means.rawValue)]))
        return signedIn
    }

    /// Takes the broker's address and tokens out of the vault and starts to refresh. An unlocked phone only checks the
    /// verification.
    func unlock(_ verification: any UserVerification) async throws {
        let secrets = try await home.open(verification, reason: "Unlock the phone")
        defer { secrets.close() }
        // A runner would make the home anew.
        guard !isForgotten else { throw PhoneError(.notSetUp, "the phone was deleted on its page") }
        if let runner {
            try await runner.takeCopies(from: secrets)
            try await runner.rotateIfAsked(secrets)
            return
        }
        let (connection, _) = try await BrokerTrust.connection(from: secrets, store: store, http: services.brokerHTTP)
        // Another unlocking may have finished meanwhile.
        guard runner == nil, !isForgotten else { return }
        let runner = try PhoneRunner(home: home, connection: connection, services: services)
        self.runner = runner
        try await runner.takeCopies(from: secrets)
        let changes = changes
        await prompt.onChange { changes.send() }
        let events = runner.events()
        tasks.append(Task { for await event in events { self.take(event) } })
        tasks.append(Task { await self.watch(runner) })
    }

    func stop() async {
        for task in tasks { task.cancel() }
        for task in connecting.values { task.cancel() }
        await endPairing(because: .cancelled)
        configuration.banks?.forgetRefusedCredentials()
        tasks = []
        runner = nil
        shownTokens = nil
        changes.finish()
        let closing = announcements
        announcements = nil
        await closing?.close()
    }

    // MARK: Forgetting

    /// True once the phone is being deleted: nothing is answered for it any more.
    private(set) var isForgotten = false
    /// Nil until the phone has been deleted.
    private(set) var deletion: PhoneDeletion?
    /// Ends when the page that tells of the deletion has been sent, or its browser has gone.
    nonisolated let lastAnswer = AsyncStream<Void>.makeStream()
    /// The time that the last answer has. A browser that has gone takes none.
    private static let patience: Duration = .seconds(10)

    /// Ends everything that the page does, and deletes the phone. The server ends when that is told.
    func deletePhone(of runner: PhoneRunner) async -> PhoneDeletion {
        isForgotten = true
        let underWay = tasks + connecting.values
        await stop()
        // A bank that has answered may still be giving the vault a credential.
        for task in underWay { await task.value }
        _ = await keeping?.result
        store.close()
        let deletion = PhoneDeletion(of: runner)
        self.deletion = deletion
        Task { [lastAnswer] in
            try? await Task.sleep(for: Self.patience)
            lastAnswer.continuation.finish()
        }
        return deletion
    }

    private func watch(_ runner: PhoneRunner) async {
        do { try await runner.recover() } catch { trouble = ReportText.cleaned("\(error)") }
        // A broker that always has something new does not keep the phone busy.
        var wakes = TokenBucket(capacity: 10, perSecond: 0.5)
        while !Task.isCancelled {
            await tellOfConsents(runner)
            if await refresh(runner), await waitForChange(runner), wakes.take() == nil { continue }
            do { try await Task.sleep(for: configuration.refreshInterval) } catch { return }
        }
    }

    /// Tells the owner a week and a day before the end of a consent, and after it, once each.
    private func tellOfConsents(_ runner: PhoneRunner) async {
        guard let due = try? await store.consentsToTell(at: runner.now), !due.isEmpty else { return }
        for consent in due {
            if let words = consent.offer(at: runner.now, bankName: runner.bankName(consent.bankID)) { notify(words) }
        }
        changes.send()
        await announcements?.announceConsents(places: sessions.places)
    }

    /// - Returns: whether it succeeded.
    private func refresh(_ runner: PhoneRunner) async -> Bool {
        do {
            _ = try await runner.refresh()
            show(nil)
            return true
        } catch {
            show(ReportText.cleaned("\(error)"))
            return false
        }
    }

    /// Waits until the broker has something new, or the next refresh is due.
    ///
    /// - Returns: false if the phone could not wait: the pause is shorter than a second, the broker has no
    ///   `/phone/changes`, or it did not answer.
    private func waitForChange(_ runner: PhoneRunner) async -> Bool {
        let seconds = min(Int(configuration.refreshInterval.components.seconds), 30)
        guard seconds > 0 else { return false }
        do throws(PhoneError) {
            return try await runner.waitForChange(atMost: seconds)
        } catch  where error.code == .pinMismatch {
            // The list comes over a connection that is still open, so another certificate shows here first.
            show(ReportText.cleaned("\(error)"))
            return false
        } catch {
            return false
        }
    }

    private func show(_ trouble: String?) {
        guard trouble != self.trouble else { return }
        self.trouble = trouble
        changes.send()
    }

    /// Follows an event of the phone.
    func take(_ event: PhoneEvent) {
        switch event {
        case .run(let id, let event): progress.observe(id, event)
        case .changed(let id, let status): return observe(id, status)
        case .delivered(let id, let count, let all): progress.delivered(count, of: all, for: id)
        case .arrived(let request): announce(request)
        case .offers(let new): announce(new)
        case .refused: break
        }
        changes.send()
    }

    /// Follows a request's state.
    func observe(_ id: RequestID, _ status: RequestStatus) {
        progress.changed(id, to: status)
        changes.send()
    }

    private func announce(_ request: PendingRequest) {
        // The owner has just asked, and needs no notice of it.
        guard request.client != .owner else { return }
        tellOfRequest(request.client)
        guard let announcements, let runner else { return }
        let (lifetime, places) = (Int(request.timeLeft(at: runner.now)), sessions.places)
        let (id, agent) = (request.id, request.client)
        tasks.append(Task { await announcements.announce(id, from: agent, lifetime: lifetime, places: places) })
    }

    /// Tells of new offers, each once. A browser that is away gets the message for a day.
    private func announce(_ offers: [WaitingOffer]) {
        guard let announcements else { return }
        let places = sessions.places
        for offer in offers {
            let (id, agent) = (offer.id, offer.offer.agent)
            tasks.append(Task { await announcements.announce(id, from: agent, lifetime: 86_400, places: places) })
        }
    }

    // MARK: Keeping

    /// Stores a bank's credentials, with a vault that is open for this only.
    func store(
        _ credentials: [String: Secret], of bankID: String, with verification: any UserVerification
    ) async throws {
        let secrets = try await home.open(verification, reason: "Store the credentials of a bank")
        defer { secrets.close() }
        try await VouchedFiles.check(scriptOf: bankID, in: services.scripts, of: home, secrets)
        try await CredentialVault(secrets, store: store).replace(credentials, forBank: bankID)
        changes.send()
    }

    /// Keeps encrypted copies of documents from now on.
    func keepCopies() async throws {
        try await store.setKeepsCopies(true)
        try await store.audit.record(AuditEvent(.copiesKept))
    }

    /// Deletes the copies of documents, and keeps none from now on.
    ///
    /// - Returns: how many there were.
    func deleteCopies() async throws -> Int {
        try await store.setKeepsCopies(false)
        runner?.forgetCopies()
        let count = try await store.receivedDocuments(limit: .max).count(where: \.isKept)
        try await DocumentCopies.deleteAll(of: home, store: store)
        try await store.audit.record(AuditEvent(.copiesDeleted))
        return count
    }

    // MARK: Devices

    /// Returns the devices that are paired with the broker.
    func devices(with verification: any UserVerification) async throws -> [PairedDevices.Device] {
        try await PairedDevices(of: home, keys: services.deviceKeys, http: services.brokerHTTP).list(with: verification)
    }

    /// Removes a device at the broker.
    ///
    /// - Returns: its name.
    func remove(device id: String, with verification: any UserVerification) async throws -> String {
        try await PairedDevices(of: home, keys: services.deviceKeys, http: services.brokerHTTP).remove(
            id, with: verification
        ).name
    }

    // MARK: The household

    /// Changes the settings of the household.
    ///
    /// - Returns: the number of the change; nil where nothing was to be changed.
    /// - Throws: `VaultError`; ``HouseholdRefusal``.
    func change(
        _ household: any PageHousehold, by change: HouseholdChange, with verification: any UserVerification
    ) async throws -> Int? {
        let secrets = try await home.open(verification, reason: "Change the settings of the household")
        secrets.close()
        guard !change.isEmpty else { return nil }
        try await household.make(change)
        let names = Set(change.values.keys).union(change.credentials.keys).union(change.unset).map(\.rawValue).sorted()
        try await store.audit.record(
            AuditEvent(
                .settingsChanged, severity: .warning, details: ["settings": .string(names.joined(separator: ", "))]))
        if let contact = change.values[.contact] {
            try await announce(from: VAPIDSubject(contact))
        } else if change.unset.contains(.contact) {
            try await announce(from: nil)
        }
        return note(.household)
    }

    /// Announces requests with another contact from now on.
    private func announce(from subject: VAPIDSubject?) async throws {
        await announcements?.close()
        announcements = try subject.map { subject in
            var notifications = configuration.notifications ?? NotificationsConfiguration(subject: subject)
            notifications.subject = subject
            return try RequestAnnouncements(notifications, keyFile: home.pushKeyFile, store: store)
        }
    }

    // MARK: Deciding

    func unlocked() throws(PhoneError) -> PhoneRunner {
        guard let runner else { throw PhoneError(.notSetUp, "the phone is locked; sign in first") }
        return runner
    }

    /// Approves a request, and lets the run go on by itself.
    ///
    /// - Parameter holdID: the hold that the person has seen and wants to try against.
    func approve(
        _ id: RequestID, script: String, with verifications: [any UserVerification], confirmingHold holdID: String?
    ) async throws {
        let runner = try unlocked()
        // The page has one question at a time, and a run would lose its own to that of a test login.
        try checkNothingIsAdded()
        approvalsUnderWay += 1
        defer { approvalsUnderWay -= 1 }
        guard let request = try await runner.pending().first(where: { $0.id == id }) else {
            throw PhoneError(.notPending, "request \(id.short) does not wait for a decision any more")
        }
        guard request.script.hex == script else {
            throw PhoneError(.scriptChanged, "the script has changed since it was shown; look at the request again")
        }
        guard
            case .run(let run) = try await runner.accept(
                request, with: verifications, tryingAgain: holdID != nil && holdID == request.hold?.id)
        else { return }
        tasks.append(Task { _ = await runner.perform(run) })
    }

    // MARK: Passkeys

    func challenge(for purpose: ChallengePurpose) -> [UInt8] { challenges.make(for: purpose) }

    /// Returns the purpose of the challenge that an answer names, and closes the challenge.
    func purpose(of clientDataJSON: [UInt8]) -> (purpose: ChallengePurpose, challenge: [UInt8])? {
        guard let json = try? JSONReader.read(Data(clientDataJSON)),
            let challenge = Base64URL.decode(json["challenge"]), let purpose = challenges.take(challenge)
        else { return nil }
        return (purpose, challenge)
    }
}
