import Automation
import BankScript
import CurlClient
import Encodings
import Foundation
import HTMLAutomation
import HTMLEngine
import Markup
import Secrets
import Selectors
import Synchronization
import WebURL

/// Chromium, driven over WebDriver BiDi, as a script's engine: for banks that need JavaScript.
///
/// It finds elements with the algorithm of the engine without JavaScript, on the page as the browser has rendered it; so
/// a locator means the same on both, and its errors are the same.
public actor BrowserNavigationEngine: NavigationEngine {
    /// The number of dialogs in one step that only a page in an endless loop opens.
    private static let mostDialogs = 20

    let script: BankScript
    let policy: EgressPolicy
    let activity: PageActivity
    private let submissions: SubmissionWatch
    let recorder: VisitRecorder
    /// Holds the cookies by which the bank knows this device, as secrets, to the end of the visit.
    private let guarded: GuardedCookies
    private let profile: PrivateProfile
    private let proxy: EgressProxy
    let driver: DriverProcess
    let session: WebDriverSession
    let connection: BiDiConnection
    /// The window or frame that the steps work on.
    var context: String
    /// The windows and frames that ``back()`` returns to.
    var outer: [String] = []
    /// The windows that there were when the last step acted.
    var knownWindows: Set<String> = []
    /// The fields that were filled on the open page, with what they have to hold until something is sent.
    var filled: [FilledField] = []
    private let usualPatience: Duration
    private let patienceOfStep = Mutex<Duration?>(nil)
    public nonisolated var patience: Duration { patienceOfStep.withLock { $0 } ?? usualPatience }
    /// The last page that was read; what is shown when the browser shows an error of its own.
    var lastPage: Page?
    /// The number of navigations that failed because the browser had just started.
    var passingFailures = 0
    /// The last reading of the page.
    var lastReading: Reading?
    /// True when the step before was not about a page: the browser's page only lends its origin to requests.
    var hasPage = false
    private(set) var isClosed = false
    let pictures: ChromiumConfiguration.Pictures

    var downloads: URL { profile.downloads }

    /// Starts a browser for one run.
    ///
    /// - Throws: ``BrowserError``, or ``EngineError`` when the script names an invalid origin.
    public static func start(
        for script: BankScript, configuration: ChromiumConfiguration = ChromiumConfiguration()
    ) async throws -> BrowserNavigationEngine {
        guard script.pins.isEmpty else {
            throw BrowserError(
                .unsupported,
                "the script pins public keys, and a browser cannot be held to them; remove `pins`, or use --engine html"
            )
        }
        let policy: EgressPolicy
        do {
            policy = EgressPolicy(
                origins: try script.origins.map(Origin.init(parsing:)), allowsLoopbackHTTP: script.isForTesting)
        } catch {
            throw EngineError(error)
        }
        let programs = try configuration.programs ?? BrowserPrograms.find()
        async let keys = verifiedKeys(of: policy, configuration)
        let profile = try PrivateProfile(
            in: configuration.temporaryFolder ?? PrivateProfile.base, for: BrowserUser.find())
        do {
            let driver = try await DriverProcess.prepare(
                programs.driver, profile: profile, sharesNetwork: configuration.sharesNetwork,
                isHeaded: configuration.isHeaded)
            do {
                let proxy = try await EgressProxy.start(policy, on: driver.sockets?.listener)
                do {
                    let options = BrowserOptions(
                        binary: programs.browser, profile: profile, proxyPort: proxy.port, locale: script.locale,
                        isHeaded: configuration.isHeaded, trustedKeys: try await keys)
                    return try await BrowserNavigationEngine(
                        script, policy, profile, proxy, driver, options, configuration)
                } catch {
                    await proxy.stop()
                    throw error
                }
            } catch {
                await driver.end()
                throw error
            }
        } catch {
            profile.remove()
            throw error
        }
    }

    private static func verifiedKeys(
        of policy: EgressPolicy, _ configuration: ChromiumConfiguration
    ) async throws -> [String] {
        guard let authority = configuration.certificateAuthority else { return [] }
        return try await VerifiedKeys.of(policy.origins, authority: authority)
    }

    func setPatience(_ limit: Duration?) { patienceOfStep.withLock { $0 = limit } }

    private init(
        _ script: BankScript, _ policy: EgressPolicy, _ profile: PrivateProfile, _ proxy: EgressProxy,
        _ driver: DriverProcess, _ options: BrowserOptions, _ configuration: ChromiumConfiguration
    ) async throws {
        self.script = script
        self.policy = policy
        self.profile = profile
        self.proxy = proxy
        self.driver = driver
        pictures = configuration.pictures
        usualPatience = configuration.patience
        let (observer, console) = (configuration.observer, configuration.console)
        let guarded = GuardedCookies(script.device)
        let activity = PageActivity(rules: script.dialogs) { exchange in
            guarded.see(exchange.responseHeaders)
            observer?(exchange)
        }
        self.guarded = guarded
        self.activity = activity
        let submissions = SubmissionWatch()
        self.submissions = submissions
        let recorder = VisitRecorder()
        self.recorder = recorder
        let connection = try await driver.connect(
            within: configuration.startLimit, answerLimit: configuration.answerLimit
        ) { event in
            activity.hear(event)
            submissions.hear(event)
            recorder.hear(event)
            if let console, let message = ConsoleMessage(event) { console(message) }
        }
        self.connection = connection
        do {
            session = try await WebDriverSession.begin(options, over: connection, limit: configuration.startLimit)
            let events = PageActivity.events + (console == nil ? [] : [.string(ConsoleMessage.event)])
            async let subscription = connection.call("session.subscribe", ["events": .array(events)])
            async let behaviour = connection.call(
                "browser.setDownloadBehavior",
                ["downloadBehavior": ["type": "allowed", "destinationFolder": .string(profile.downloads.path)]])
            async let tree = connection.call("browsingContext.getTree", ["maxDepth": 0])
            _ = try await (subscription, behaviour)
            guard let first = try await tree["contexts"]?.arrayValue?.first?["context"]?.stringValue else {
                throw BrowserError(.nonsense, "the browser opened no window")
            }
            context = first
        } catch {
            await connection.close()
            throw error
        }
        activity.answer.withLock {
            $0 = { dialog, count in
                // Such a page answers no command any more.
                guard count < Self.mostDialogs else {
                    connection.end(
                        BrowserError(
                            .refused,
                            "the page opens the dialog “\(EngineError.wordsTold(ofDialog: dialog.text))” again and again; "
                                + "the script cannot go on"
                        ))
                    return
                }
                Task { _ = try? await connection.call("browsingContext.handleUserPrompt", dialog.answer) }
            }
        }
    }

    public func watch(_ secret: Secret, before check: @escaping @Sendable () throws -> Void) async throws {
        try await engine { try await submissions.watch(secret, on: connection, before: check) }
    }

    /// Ends the browser, and returns when its processes and its profile are gone.
    public func close() async {
        guard !isClosed else { return }
        isClosed = true
        recorder.end()
        await connection.close()
        await driver.end()
        await proxy.stop()
        profile.remove()
    }

    /// The origins that pages asked for and the proxy refused. What the browser asks for by itself is not among them.
    public var refusedOrigins: [String] {
        OwnTraffic.leavingOut(
            of: proxy.refusals.map(\.asked), askedByPages: activity.read { $0.origins })
    }

    // MARK: Going somewhere

    public func open(_ reference: String) async throws {
        try await engine {
            let failures = passingFailures
            do {
                try await visit(reference)
            } catch {
                // Nothing was typed yet, so the first page may be asked for again.
                guard passingFailures > failures, lastPage == nil else { throw error }
                try await visit(reference)
            }
        }
    }

    public func follow(_ link: Locator) async throws {
        try await engine {
            try await click(on: link) { page in
                let element = try page.element(link)
                try checkLink(element, on: page)
                return element
            }
        }
    }

    public func press(_ button: Locator) async throws {
        try await engine {
            do {
                try await click(on: button, checkingForm: true) { page in
                    let element = try page.pressable(button)
                    try page.checkUsable(element)
                    try checkLink(element, on: page)
                    return element
                }
            } catch let error as LocatorError where error.kind == .none {
                // A person presses what reads like a button, whatever the page has made it of.
                guard case .button(let name) = button.target, let page = try? await render().page,
                    (try? page.wordsToPress(name, like: button)) != nil
                else { throw error }
                try await click(on: button) { try $0.wordsToPress(name, like: button) }
            }
        }
    }

    public func submit(formOf field: Locator) async throws {
        try await engine {
            try await checkFilled()
            try await whenReady(field, { try $0.element(field) }) { _, element in
                guard let index = try await call(PageScripts.select, element.number).intValue, index >= 0 else {
                    throw Obstacle(gone(element))
                }
            }
            try await act { try await type("\u{E007}") }
            filled = []
        }
    }

    public func enter(frame: Locator) async throws {
        try await engine {
            if frame.target == Locator.top.target { return leaveFrames() }
            let (_, element) = try await locate(frame) { try $0.element(frame) }
            guard element.name == "iframe" || element.name == "frame" else {
                throw EngineError(.other, "\(element.shortDescription) is not a frame; name the frame itself")
            }
            let window = try await value(
                PageScripts.anyWindow, element.number)
            guard let inner = window["value"]?["context"]?.stringValue else {
                throw EngineError(.other, "\(element.shortDescription) has no page in it")
            }
            await greet(inner)
            outer.append(context)
            context = inner
            try await settle()
        }
    }

    public func reload() async throws {
        try await engine {
            let page = try await openPage()
            guard arrival.method == "GET" else {
                throw EngineError(.other, "\(page.url) came from a submitted form, which is not sent twice")
            }
            try await act(navigates: true) {
                do {
                    _ = try await connection.call(
                        "browsingContext.reload", ["context": .string(context), "wait": "none"])
                } catch let error as BrowserError where error.isAboutOtherNavigation || error.hasAborted {
                    // The page is loading itself anew at this moment.
                }
            }
        }
    }

    public func back() async throws {
        try await engine {
            guard hasPage else { throw noPage }
            if let last = outer.popLast() {
                context = last
                return
            }
            try await act {
                _ = try await connection.call(
                    "browsingContext.traverseHistory", ["context": .string(context), "delta": -1])
            }
        }
    }

    var noPage: EngineError { EngineError(.other, "no page is open yet; open one first") }

    func visit(_ reference: String) async throws {
        let url: URLRecord
        if let page = lastPage, hasPage {
            url = try page.resolve(reference)
        } else {
            url = try URLRecord(parsing: reference)
        }
        try policy.check(url)
        leaveFrames()
        filled = []
        hasPage = true
        try await act(navigates: true) { try await navigate(to: url) }
    }

    /// Begins a navigation. Whether it arrives, the browser's events say. A page that goes somewhere else at the same moment is
    /// left once more.
    func navigate(to url: URLRecord) async throws {
        do {
            try await beginNavigation(to: url)
        } catch let error as BrowserError where error.isAboutOtherNavigation {
            try await beginNavigation(to: url)
        }
    }

    private func beginNavigation(to url: URLRecord) async throws {
        do {
            _ = try await connection.call(
                "browsingContext.navigate",
                ["context": .string(context), "url": .string(url.description), "wait": "none"])
        } catch let error as BrowserError where error.code == .refused && error.message.contains("net::") {
            // A download ends its navigation like this too.
            guard activity.window(context).failure == nil else { return }
            activity.fail(context, url.description, error.message)
        }
    }

    // MARK: Reading

    public func texts(_ locator: Locator) async throws -> [String] {
        try await engine {
            let (found, mayScroll) = try await elements(locator)
            return try await found.isEmpty && mayScroll ? textsWhileScrolling(locator) : found.map(\.text)
        }
    }

    public func shownTexts(_ locator: Locator) async throws -> [String] {
        try await engine {
            let (found, mayScroll) = try await elements(locator)
            return try await found.isEmpty && mayScroll
                ? textsWhileScrolling(locator) : found.filter(\.isShown).map(\.text)
        }
    }

    /// - Returns: what the page shows, and whether more of a list may come while it is scrolled.
    private func elements(_ locator: Locator) async throws -> (found: [Element], mayScroll: Bool) {
        guard hasPage else { throw noPage }
        let reading = try await render()
        let isRow = if case .row = locator.target { true } else { false }
        return (try reading.page.elements(locator), isRow && reading.isScripted)
    }

    public func rows() async throws -> [String] {
        try await engine { try await openPage().document.rows.map(\.text) }
    }

    public func text(of locator: Locator) async throws -> String {
        try await engine { try await locate(locator) { try $0.element(locator) }.element.text }
    }

    public func attribute(_ name: String, of locator: Locator) async throws -> String? {
        try await engine { try await locate(locator) { try $0.element(locator) }.element[attribute: name] }
    }

    public func page() async -> EnginePage? {
        guard hasPage, !isClosed else { return nil }
        return ((try? await render().page) ?? lastPage).map { EnginePage($0) }
    }

    public func cookies() async -> [(name: String, value: String)] {
        let answer = try? await connection.call(
            "storage.getCookies", ["partition": ["type": "context", "context": .string(context)]])
        return (answer?["cookies"]?.arrayValue ?? []).compactMap { cookie in
            guard let name = cookie["name"]?.stringValue, let value = cookie["value"]?["value"]?.stringValue else {
                return nil
            }
            return (name, value)
        }
    }

    /// Runs a step's work, and turns its errors into those of every engine.
    func engine<Value>(_ work: () async throws -> Value) async throws -> Value {
        activity.read { $0.hasRequested = false }
        do {
            try Task.checkCancellation()
            let value = try await work()
            if let refusal = submissions.takeRefusal() { throw refusal }
            return value
        } catch {
            if error is RunFailure { throw error }
            if let refusal = submissions.takeRefusal() { throw refusal }
            var told = EngineError(browser: error)
            // A page that opened a dialog may go on, and send, once it is dismissed.
            if told.kind != .refused, !activity.read(\.hasRequested) { told.mayHaveArrived = false }
            throw told
        }
    }
}
