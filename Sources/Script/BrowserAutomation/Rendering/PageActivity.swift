import Automation
import BankScript
import Encodings
import HTMLEngine
import Synchronization
import WebURL

/// The events of the browser about its pages: navigations, exchanges, downloads, dialogs and new windows.
final class PageActivity: Sendable {
    /// The answer that a page came from.
    struct Answer: Sendable {
        var method: String
        var url: String
        var status: Int
        var headers: [(name: String, value: String)]

        func header(_ name: String) -> String? { headers.last { $0.name.lowercased() == name }?.value }
    }

    struct Download: Sendable {
        var navigation: String?
        var url: String
        var hasEnded = false
        var isComplete = false
        var file: String?
    }

    struct OpenRequest: Sendable {
        let began: ContinuousClock.Instant
        /// Without the query.
        let address: String
        /// The navigation that asks for its document with it.
        let navigation: String?
    }

    typealias Failure = (navigation: String?, url: String, words: String)

    struct Window: Sendable {
        /// The navigation that is under way.
        var navigation: String?
        /// The navigation that brought the open page.
        var arrived: String?
        /// The time at which the open page was read to its end.
        var arrivedAt: ContinuousClock.Instant?
        /// The number of navigations that have begun, with those inside a document.
        var begun = 0
        /// The last navigation that failed, with its address and the browser's words.
        var failure: Failure?
        /// Requests without an answer yet that may change the page, by their identifier.
        var open: [String: OpenRequest] = [:]
        /// The number of requests for an address since a step acted, each after the answer before.
        var repeats: [String: Int] = [:]
        let created = ContinuousClock.now
        var parent: String?
        var opener: String?
        var isClosed = false
    }

    struct State: Sendable {
        var windows: [String: Window] = [:]
        var answers: [String: Answer] = [:]
        /// The address that each navigation has asked for last.
        var asked: [String: Answer] = [:]
        /// The network's error of each navigation, e.g. `net::ERR_CONNECTION_REFUSED`.
        var errors: [String: String] = [:]
        var downloads: [Download] = []
        /// The texts of dialogs that the script has no rule for, and no step has heard of.
        var dialogs: [String] = []
        /// The number of dialogs since a step acted.
        var dialogCount = 0
        /// True if a request has begun since the step under way did.
        var hasRequested = false
        /// The origins that pages have asked for.
        var origins: Set<String> = []
        /// The number of events until now.
        var version = 0
        fileprivate var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        fileprivate var lastWait = 0
    }

    private let state = Mutex(State())
    private let rules: [DialogRule]
    private let exchanged: @Sendable (Exchange) -> Void
    /// Answers a dialog without waiting. It gets the number of dialogs since a step acted, this one included. Nil while
    /// a person answers them.
    let answer = Mutex<(@Sendable (_ dialog: OpenedDialog, _ count: Int) -> Void)?>(nil)

    /// - Parameter rules: the script's answers to dialogs.
    init(rules: [DialogRule] = [], exchanged: @escaping @Sendable (Exchange) -> Void = { _ in }) {
        self.rules = rules
        self.exchanged = exchanged
    }

    static let events: [JSONValue] = [
        "browsingContext.contextCreated", "browsingContext.contextDestroyed", "browsingContext.navigationStarted",
        "browsingContext.fragmentNavigated", "browsingContext.historyUpdated", "browsingContext.load",
        "browsingContext.domContentLoaded", "browsingContext.navigationFailed", "browsingContext.navigationAborted",
        "browsingContext.downloadWillBegin", "browsingContext.downloadEnd", "browsingContext.userPromptOpened",
        "network.beforeRequestSent", "network.responseStarted", "network.responseCompleted", "network.fetchError",
    ]

    func read<Value: Sendable>(_ body: (inout State) -> sending Value) -> Value { state.withLock { body(&$0) } }

    func window(_ context: String) -> Window { state.withLock { $0.windows[context] ?? Window() } }

    /// Notes a navigation that failed before any event told of it.
    func fail(_ context: String, _ url: String, _ words: String) {
        state.withLock { state in
            var window = state.windows[context] ?? Window()
            window.failure = (window.navigation, url, words)
            window.navigation = nil
            state.windows[context] = window
        }
    }

    // MARK: Waiting

    var version: Int { state.withLock { $0.version } }

    /// Returns when another event has come since ``version`` was read, or after a time.
    ///
    /// - Throws: `CancellationError`.
    func change(since version: Int, within limit: Duration) async throws {
        let id = state.withLock { state in
            state.lastWait += 1
            return state.lastWait
        }
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.version != version || Task.isCancelled { return true }
                    state.waiting[id] = continuation
                    return false
                }
                guard !isOver else { return continuation.resume() }
                timer = Task { [self] in
                    try? await Task.sleep(for: limit)
                    end(wait: id)
                }
            }
        } onCancel: {
            end(wait: id)
        }
        try Task.checkCancellation()
    }

    private func end(wait id: Int) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
    }

    /// Counts an event, and wakes those that wait for one.
    private func count() {
        let waiting = state.withLock { state in
            state.version += 1
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }

    func hear(_ event: BiDiConnection.Event) {
        take(event)
        count()
    }

    private func take(_ event: BiDiConnection.Event) {
        let details = event.parameters
        let context = details["context"]?.stringValue ?? ""
        let navigation = details["navigation"]?.stringValue
        if event.method == "browsingContext.userPromptOpened" {
            guard let answer = answer.withLock({ $0 }) else { return }
            let dialog = OpenedDialog(details, rules: rules)
            let count = state.withLock { state in
                if dialog.rule == nil, !dialog.isAboutLeaving { state.dialogs.append(dialog.text) }
                state.dialogCount += 1
                return state.dialogCount
            }
            answer(dialog, count)
            return
        }
        state.withLock { state in
            var window = state.windows[context] ?? Window()
            switch event.method {
            case "browsingContext.contextCreated":
                window.parent = details["parent"]?.stringValue
                window.opener = details["originalOpener"]?.stringValue
            case "browsingContext.contextDestroyed":
                window.isClosed = true
                state.closeFrames(of: context)
            case "browsingContext.navigationStarted":
                window.navigation = navigation ?? "?"
                window.begun += 1
                // The page began another one at the same moment, which ended the one before.
                if state.hasNoReason(for: window.failure) { window.failure = nil }
            case "browsingContext.fragmentNavigated", "browsingContext.historyUpdated": window.begun += 1
            case "browsingContext.domContentLoaded":
                window.arrived = navigation ?? window.arrived
                window.arrivedAt = .now
                // It arrived after all: what had failed was a command at the same moment.
                if let failed = window.failure?.navigation, failed == navigation, state.hasNoReason(for: window.failure)
                {
                    window.failure = nil
                }
                // The browser may not tell of the end of a new window's first request, or by another name.
                window.open = window.open.filter { $0.value.navigation == nil }
            case "browsingContext.load":
                window.arrived = navigation ?? window.arrived
                if window.navigation == navigation || navigation == nil { window.navigation = nil }
            case "browsingContext.navigationFailed", "browsingContext.navigationAborted":
                if window.navigation == navigation { window.navigation = nil }
                let url = details["url"]?.stringValue ?? ""
                // Where it refuses a frame's document, the browser shows an error page, and the policy of the page around
                // it may refuse that one, too.
                let isOwnPage = window.parent != nil && window.failure != nil && url.hasPrefix("data:text/html,")
                guard event.method.hasSuffix("Failed"), !isOwnPage else { break }
                let failure = (navigation, url, details["message"]?.stringValue ?? "")
                // What another one has replaced is not waited for.
                if window.navigation == nil || !state.hasNoReason(for: failure) { window.failure = failure }
            case "browsingContext.downloadWillBegin":
                if window.navigation == navigation { window.navigation = nil }
                state.downloads.append(.init(navigation: navigation, url: details["url"]?.stringValue ?? ""))
            case "browsingContext.downloadEnd":
                let url = details["url"]?.stringValue
                if let index = state.downloads.lastIndex(where: {
                    !$0.hasEnded && ($0.navigation == navigation && navigation != nil || $0.url == url)
                }) {
                    state.downloads[index].hasEnded = true
                    state.downloads[index].isComplete = details["status"]?.stringValue == "complete"
                    state.downloads[index].file = details["filepath"]?.stringValue
                }
            case "network.beforeRequestSent":
                state.hasRequested = true
                window.begin(details["request"], navigation)
                if let navigation { state.asked[navigation] = Answer(details) }
                let url = details["request"]?["url"]?.stringValue.flatMap { try? URLRecord(parsing: $0) }
                if state.origins.count < 1000, let origin = url.flatMap({ Origin(of: $0) }) {
                    state.origins.insert(origin.description)
                }
            case "network.responseStarted":
                if let navigation { state.answers[navigation] = Answer(details) }
            case "network.responseCompleted", "network.fetchError":
                if let id = details["request"]?["request"]?.stringValue { window.open[id] = nil }
                if let navigation, let error = details["errorText"]?.stringValue { state.errors[navigation] = error }
            default: break
            }
            if !context.isEmpty { state.windows[context] = window }
        }
        if event.method == "network.responseCompleted" { exchanged(Exchange(completed: details)) }
    }
}

extension PageActivity.State {
    /// True for a failure that neither the browser nor the network gave a reason for.
    func hasNoReason(for failure: PageActivity.Failure?) -> Bool {
        guard let failure else { return false }
        return failure.words.isEmpty && failure.navigation.flatMap { errors[$0] } == nil
    }

    /// Marks the frames in a frame as closed with it: the browser tells of the outermost alone.
    fileprivate mutating func closeFrames(of closed: String) {
        for (id, window) in windows where window.parent == closed && !window.isClosed {
            windows[id]?.isClosed = true
            closeFrames(of: id)
        }
    }
}

extension PageActivity.Window {
    /// The destinations of requests that change no text and no control of the page.
    private static let decorations: Set<String> = ["audio", "font", "image", "manifest", "track", "video"]
    /// The number of times that a page asks for the same before it only watches for news.
    private static let mostRepeats = 3

    /// Notes a request, unless it need not be waited for.
    fileprivate mutating func begin(_ request: JSONValue?, _ navigation: String?) {
        // On a busy machine the request for a document may be told of after the document.
        guard navigation == nil || navigation != arrived, let id = request?["request"]?.stringValue,
            !Self.decorations.contains(request?["destination"]?.stringValue ?? "")
        else { return }
        let address = String((request?["url"]?.stringValue ?? "").prefix { $0 != "?" })
        if !open.values.contains(where: { $0.address == address }) { repeats[address, default: 0] += 1 }
        guard repeats[address, default: 0] <= Self.mostRepeats else { return }
        open[id] = .init(began: .now, address: address, navigation: navigation)
    }
}

extension PageActivity.Answer {
    fileprivate init(_ details: JSONValue) {
        let request = details["request"]
        let response = details["response"]
        method = request?["method"]?.stringValue ?? "GET"
        url = request?["url"]?.stringValue ?? ""
        status = response?["status"]?.intValue ?? 0
        headers = (response?["headers"]?.arrayValue ?? []).compactMap { header in
            guard let name = header["name"]?.stringValue, let value = header["value"]?["value"]?.stringValue else {
                return nil
            }
            return (name, value)
        }
    }
}
