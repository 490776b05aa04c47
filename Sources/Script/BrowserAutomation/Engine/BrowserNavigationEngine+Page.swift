import Automation
import Clocks
import Encodings
import HTMLEngine
import Markup
import Selectors
import WebURL

// The page as it is: reading it, and waiting until it rests.

extension BrowserNavigationEngine {
    /// Chromium ends its connections when it sees a change of the network. The loopback of its own network is new, and on a
    /// busy machine the kernel tells of it only after the first page has been asked for.
    private static let networkChanged = "ERR_NETWORK_CHANGED"
    /// The longest time between two looks at what the browser has told, while nothing new comes.
    static let longestWait: Duration = .milliseconds(100)
    /// The longest time until the browser tells of a navigation that has begun.
    private static let eventLimit: Duration = .seconds(5)
    /// The longest time until the browser says that a navigation that failed is a download.
    private static let downloadNoticeLimit: Duration = .milliseconds(200)
    /// The longest time until a navigation that failed without a reason arrives after all, or another takes its place.
    private static let unexplainedLimit: Duration = .seconds(2)
    /// The longest time for a document that leaves to make room for the next one.
    private static let leavingLimit: Duration = .seconds(5)
    /// The number of times that a list is scrolled for one row.
    private static let mostScrolls = 200
    /// The longest time for a page to arrive.
    private static let arrivalLimit: Duration = .seconds(60)
    /// The longest time that a step waits for a request: a page may hold one open for ever.
    private static let requestLimit: Duration = .seconds(8)
    /// The time for which a page may still begin requests that a step waits for: a page may never stop asking.
    private static let askingLimit: Duration = .seconds(2)
    /// The longest time that a document with everything but its pictures waits for them.
    private static let loadingLimit: Duration = .seconds(2)
    /// The longest refresh to wait for, as on the other engine.
    private static let longestRefresh = Refresh.longestFollowed

    /// The page as it was read.
    struct Reading {
        var page: Page
        var isScripted: Bool
        /// True for a document that nothing but the person and the server changes.
        var isPlain: Bool
        fileprivate var context: String
        fileprivate var version: Int
        fileprivate var moment: ContinuousClock.Instant
    }

    /// The time for which a reading of a page with scripts stands for the page. A step asks several times in a row for its
    /// status, its title and what is on it, and a look takes longer than this anyway.
    private static let freshness: Duration = .milliseconds(30)

    /// Reads the page as the browser has rendered it, or takes the last reading where nothing can have changed since. A
    /// document that leaves meanwhile is waited for.
    func render(anew: Bool = false) async throws -> Reading {
        let end = ContinuousClock.now + Self.leavingLimit
        while true {
            leaveClosedWindows()
            let version = activity.version
            do {
                return try await read(anew: anew)
            } catch let error as BrowserError where error.code == .refused && ContinuousClock.now < end {
                try await activity.change(since: version, within: .milliseconds(50))
            }
        }
    }

    private func read(anew: Bool) async throws -> Reading {
        if !anew, let last = lastReading, last.context == context, last.version == activity.version,
            last.isPlain || ContinuousClock.now - last.moment < Self.freshness
        {
            return last
        }
        lastReading = nil
        let version = activity.version
        let written = try await call(PageScripts.write)
        guard let text = written.stringValue,
            let json = try? JSONReader.read(text, limits: JSONLimits(size: BiDiConnection.maximumMessage)),
            let address = json["url"]?.stringValue, let source = json["source"]?.stringValue
        else { throw BrowserError(.nonsense, "the browser could not write out its page") }
        guard !address.hasPrefix("chrome-error:"), let url = try? URLRecord(parsing: address) else {
            throw EngineError(.network, "the browser shows an error of its own instead of the bank's page")
        }
        if url.scheme == "http" || url.scheme == "https" { try policy.check(url) }
        let answer = arrival
        let type = json["type"]?.stringValue ?? "text/html"
        let page = try Page(
            rendered: source, contentType: type + "; charset=utf-8", status: answer.status, headers: answer.headers,
            url: url)
        lastPage = page
        let reading = Reading(
            page: page, isScripted: json["scripted"] == true, isPlain: json["plain"] == true, context: context,
            version: version, moment: .now)
        lastReading = reading
        return reading
    }

    /// The answer that the open page came from. A document that was made by a script counts as 200.
    var arrival: PageActivity.Answer {
        let context = context
        return activity.read { state in
            state.windows[context]?.arrived.flatMap { state.answers[$0] }
                ?? .init(method: "GET", url: "", status: 200, headers: [])
        }
    }

    func openPage() async throws -> Page {
        guard hasPage else { throw noPage }
        return try await render().page
    }

    /// Looks for rows that a virtualised list makes only when it is scrolled to them: from here to the end, and then from
    /// the beginning.
    func textsWhileScrolling(_ locator: Locator) async throws -> [String] {
        var isSecondTime = false
        for _ in 0..<Self.mostScrolls {
            if try await call(PageScripts.scroll) != true {
                guard !isSecondTime, try await call(PageScripts.scrollBack) == true else { return [] }
                isSecondTime = true
            }
            _ = try? await call(PageScripts.quiet, 30, 300)
            let found = try await render(anew: true).page.elements(locator).map(\.text)
            if !found.isEmpty { return found }
        }
        return []
    }

    // MARK: Waiting

    /// Does something that may change the page, and returns when the page rests.
    ///
    /// - Parameters:
    ///   - navigates: says that a navigation begins for sure.
    ///   - isWatched: says that the document watches for navigations already.
    func act(
        navigates: Bool = false, isWatched: Bool = false, _ work: () async throws -> Void
    ) async throws {
        lastReading = nil
        // A dialog between the steps ends this one after it has acted: the last steps of a run still sign out.
        let earlier = takeDialogs()
        do {
            try await actAndSettle(navigates: navigates, isWatched: isWatched, work)
        } catch {
            // This error hides them. The run's failure tells of them.
            activity.read { $0.dialogs.insert(contentsOf: earlier, at: 0) }
            throw error
        }
        try fail(on: earlier)
    }

    private func actAndSettle(
        navigates: Bool, isWatched: Bool, _ work: () async throws -> Void
    ) async throws {
        let window = context
        knownWindows = activity.read { Set($0.windows.keys) }
        let before = activity.read { state in
            state.dialogCount = 0
            state.windows[window]?.failure = nil
            state.windows[window]?.repeats = [:]
            return Beginning(navigations: state.windows[window]?.begun ?? 0, downloads: state.downloads.count)
        }
        if !navigates, !isWatched { _ = try? await call(PageScripts.watchNavigation) }
        try await work()
        var hasBegun = navigates
        if !hasBegun { hasBegun = try await hasBegunNavigation() }
        if hasBegun { try await awaitNavigation(after: before) }
        try await settle()
    }

    /// The counts of navigations and downloads before a step acted.
    private struct Beginning {
        var navigations: Int
        var downloads: Int
    }

    /// True when the document has begun a navigation, or is gone because of one.
    ///
    /// The renderer answers after it has dealt with the input, so a navigation that the input causes has begun by then.
    private func hasBegunNavigation() async throws -> Bool {
        do {
            return try await call(PageScripts.quiet, 15, 300) == true
        } catch let error as BrowserError where error.code == .refused {
            return true
        }
    }

    /// Waits for the browser's own event about a navigation that has begun.
    private func awaitNavigation(after before: Beginning) async throws {
        let (window, known) = (context, knownWindows)
        let end = ContinuousClock.now + Self.eventLimit
        while ContinuousClock.now < end {
            let version = activity.version
            let isKnown = activity.read { state in
                guard let now = state.windows[window], !now.isClosed else { return true }
                // A link that opens a window begins its navigation there.
                if state.windows.keys.contains(where: { !known.contains($0) }) { return true }
                return now.begun > before.navigations || now.failure != nil || !state.dialogs.isEmpty
                    || state.downloads.count > before.downloads
            }
            if isKnown { return }
            try await activity.change(since: version, within: Self.longestWait)
        }
    }

    /// Returns when no navigation is under way, the requests have answers, and the document has stopped changing.
    func settle() async throws {
        let end = ContinuousClock.now + Self.arrivalLimit
        // A page that never stops asking is used as it is.
        var restEnd = ContinuousClock.now + Self.requestLimit
        var askingEnd = ContinuousClock.now + Self.askingLimit
        var isQuiet = false
        while true {
            try Task.checkCancellation()
            let version = activity.version
            try failOnDialog()
            if await moveToOpenedWindow() || leaveClosedWindows() {
                // The other page has its own requests to wait for.
                isQuiet = false
                continue
            }
            let window = activity.window(context)
            if let failure = try await lastingFailure() { throw failed(failure) }
            if isArriving {
                guard ContinuousClock.now < end else {
                    throw EngineError(.timeout, "the page did not arrive within \(Self.arrivalLimit.inWords)")
                }
                isQuiet = false
                restEnd = ContinuousClock.now + Self.requestLimit
                askingEnd = ContinuousClock.now + Self.askingLimit
                try await activity.change(since: version, within: Self.longestWait)
                continue
            }
            let now = ContinuousClock.now
            if now < restEnd,
                window.open.values.contains(where: { now - $0.began < Self.requestLimit && $0.began < askingEnd })
            {
                isQuiet = false
                try await activity.change(since: version, within: Self.longestWait)
                continue
            }
            if isQuiet { break }
            do {
                _ = try await call(PageScripts.quiet, 40, 1000)
                isQuiet = true
            } catch let error as BrowserError where error.code == .refused {
                // The document is gone: the page has removed its frame, or leaves, and the event about it is on its way.
                guard now < restEnd else { break }
                try await activity.change(since: version, within: .milliseconds(20))
            }
        }
        try await followRefresh()
    }

    /// True while a navigation is under way: in the window of the steps, in a page around it, or in a window that the step
    /// has opened.
    var isArriving: Bool {
        let (context, known) = (context, knownWindows)
        let now = ContinuousClock.now
        return activity.read { state in
            func isArriving(_ window: PageActivity.Window) -> Bool {
                guard let navigation = window.navigation, !window.isClosed else { return false }
                // A picture that never comes holds back the last event of a page, and nothing else.
                if navigation == window.arrived, let since = window.arrivedAt { return now - since < Self.loadingLimit }
                return true
            }
            var place: String? = context
            while let at = place, let window = state.windows[at] {
                if isArriving(window) { return true }
                place = window.parent
            }
            return state.windows.contains {
                !known.contains($0.key) && $0.value.opener == context && isArriving($0.value)
            }
        }
    }

    /// Waits for the page that this one refreshes to.
    private func followRefresh() async throws {
        guard hasPage else { return }
        let begun = activity.window(context).begun
        var page = try? await render().page
        // The document may have left while it was read.
        if page == nil { page = try await render(anew: true).page }
        guard page?.refreshTarget(within: Self.longestRefresh) != nil else { return }
        let end = ContinuousClock.now + Self.longestRefresh + .seconds(5)
        while true {
            let version = activity.version
            guard activity.window(context).begun == begun, ContinuousClock.now < end else { break }
            try await activity.change(since: version, within: Self.longestWait)
        }
        guard activity.window(context).begun != begun else { return }
        try await settle()
    }

    func failOnDialog() throws { try fail(on: takeDialogs()) }

    /// Returns the texts of the dialogs that the script has no rule for, and forgets them.
    private func takeDialogs() -> [String] {
        activity.read { state in
            defer { state.dialogs = [] }
            return state.dialogs
        }
    }

    public func takeUntoldDialog() async -> String? { takeDialogs().first }

    private func fail(on dialogs: [String]) throws {
        if let first = dialogs.first { throw EngineError.unnamed(dialog: first) }
    }

    /// Returns the failure of the last navigation, unless it is a download: its own event may follow the failure that it is
    /// to the page. A page that loads itself anew makes failures that do not last either.
    func lastingFailure() async throws -> PageActivity.Failure? {
        var last: PageActivity.Failure?
        // One failure may follow another, and its limit begins anew.
        let longest = ContinuousClock.now + Self.eventLimit
        var end = longest
        while let failure = activity.window(context).failure, !isDownload(failure.navigation) {
            if last?.navigation != failure.navigation || last?.url != failure.url {
                let hasNoReason = activity.read { $0.hasNoReason(for: failure) }
                end = min(longest, .now + (hasNoReason ? Self.unexplainedLimit : Self.downloadNoticeLimit))
                last = failure
            }
            guard ContinuousClock.now < end else { return failure }
            try await activity.change(since: activity.version, within: Self.longestWait)
        }
        return nil
    }

    private func isDownload(_ navigation: String?) -> Bool {
        activity.read { state in state.downloads.contains { $0.navigation == navigation } }
    }

    /// The error of a navigation that failed: a forbidden origin, or the browser's own words.
    func failed(_ failure: PageActivity.Failure) -> any Error {
        let (address, error) = activity.read { state in
            (failure.navigation.flatMap { state.asked[$0]?.url }, failure.navigation.flatMap { state.errors[$0] })
        }
        let asked = address ?? failure.url
        var words = failure.words.isEmpty ? error ?? "" : failure.words
        if words.isEmpty || words.contains(Self.networkChanged) { passingFailures += 1 }
        if words.isEmpty { words = "the browser gave no reason; run the script again" }
        guard let url = try? URLRecord(parsing: asked) else {
            return EngineError(.network, NetworkFault.words(of: words, at: "a page"))
        }
        do {
            try policy.check(url)
        } catch {
            return error
        }
        return EngineError(.network, NetworkFault.words(of: words, at: Origin(of: url)?.description ?? asked))
    }

    // MARK: Scripts

    /// Runs one of our functions in the page's sandbox, and returns its result: null, a boolean, a number or a text.
    ///
    /// - Parameter limit: the longest time for it; by default that of every command.
    func call(_ function: String, _ arguments: JSONValue..., within limit: Duration? = nil) async throws -> JSONValue {
        try await value(function, arguments: arguments, limit)["value"] ?? .null
    }

    func value(_ function: String, _ arguments: JSONValue...) async throws -> JSONValue {
        try await value(function, arguments: arguments, nil)
    }

    private func value(
        _ function: String, arguments: [JSONValue], _ limit: Duration?
    ) async throws -> JSONValue {
        let given = arguments.map { argument -> JSONValue in
            switch argument {
            case .number: ["type": "number", "value": argument]
            case .bool: ["type": "boolean", "value": argument]
            default: ["type": "string", "value": argument]
            }
        }
        let answer = try await connection.call(
            "script.callFunction",
            [
                "functionDeclaration": .string(PageScripts.guarded(function)), "awaitPromise": true,
                "arguments": .array(given),
                "target": ["context": .string(context), "sandbox": .string(PageScripts.sandbox)],
            ], limit: limit)
        guard answer["type"]?.stringValue == "success" else {
            throw BrowserError(
                .refused, "a function failed on the page: \(answer["exceptionDetails"]?["text"]?.stringValue ?? "")")
        }
        return answer["result"] ?? .null
    }
}

extension Element {
    /// The number that the page was written out with.
    var number: JSONValue { .number(Double(self[attribute: PageScripts.number] ?? "") ?? -1) }
}
