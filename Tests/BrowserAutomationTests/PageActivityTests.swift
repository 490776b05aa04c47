import Encodings
import HTMLEngine
import Synchronization
import Testing

@testable import BrowserAutomation

@Suite("Waiting for the browser's events")
struct PageActivityTests {
    private static let event = BiDiConnection.Event(
        method: "browsingContext.navigationStarted", parameters: ["context": "1", "navigation": "a"])

    @Test("ends with the next event", .timeLimit(.minutes(3)))
    func next() async throws {
        let activity = PageActivity()
        let version = activity.version
        async let change: Void = activity.change(since: version, within: .seconds(600))
        activity.hear(Self.event)
        try await change
        #expect(activity.version == version + 1)
        #expect(activity.window("1").begun == 1)
    }

    @Test("ends at once where an event has come since", .timeLimit(.minutes(3)))
    func missed() async throws {
        let activity = PageActivity()
        let version = activity.version
        activity.hear(Self.event)
        try await activity.change(since: version, within: .seconds(600))
    }

    @Test("ends after the limit without an event", .timeLimit(.minutes(3)))
    func limit() async throws {
        let activity = PageActivity()
        try await activity.change(since: activity.version, within: .milliseconds(20))
    }

    @Test("closes the frames in a frame with it, of which the browser says nothing")
    func frames() {
        let activity = PageActivity()
        for (frame, parent) in [("2", "1"), ("3", "2"), ("4", "1")] {
            activity.hear(
                .init(
                    method: "browsingContext.contextCreated",
                    parameters: ["context": .string(frame), "parent": .string(parent)]))
        }
        activity.hear(.init(method: "browsingContext.contextDestroyed", parameters: ["context": "2", "parent": "1"]))
        #expect(["1", "2", "3", "4"].map { activity.window($0).isClosed } == [false, true, true, false])
    }

    /// Events about navigations as Chromium tells of them, and whether the page has failed then.
    private static let failures: [(events: [(name: String, navigation: String)], words: String, hasFailed: Bool)] = [
        ([("Started", "a"), ("Failed", "a")], "", true),
        ([("Started", "a"), ("Failed", "a"), ("Started", "b")], "", false),
        ([("Started", "a"), ("Started", "b"), ("Failed", "a")], "", false),
        ([("Started", "a"), ("Started", "b"), ("Failed", "b")], "", true),
        ([("Started", "a"), ("Failed", "a"), ("Arrived", "a")], "", false),
        ([("Started", "a"), ("Failed", "a"), ("Arrived", "b")], "", true),
        ([("Started", "a"), ("Failed", "a"), ("Started", "b")], "net::ERR_CONNECTION_REFUSED", true),
        ([("Started", "a"), ("Started", "b"), ("Failed", "a")], "net::ERR_CONNECTION_REFUSED", true),
        ([("Started", "a"), ("Failed", "a"), ("Arrived", "a")], "net::ERR_CONNECTION_REFUSED", true),
        ([("Started", "a"), ("Refused", "a"), ("Failed", "a"), ("Started", "b")], "", true),
        ([("Started", "a"), ("Refused", "a"), ("Failed", "a"), ("Arrived", "a")], "", true),
    ]

    @Test("forgets a failure without a reason with the next navigation", arguments: failures.indices)
    func failure(row: Int) {
        let (events, words, hasFailed) = Self.failures[row]
        let activity = PageActivity()
        for event in events {
            let method =
                switch event.name {
                case "Arrived": "browsingContext.domContentLoaded"
                case "Refused": "network.fetchError"
                default: "browsingContext.navigation" + event.name
                }
            let details: JSONValue = [
                "context": "1", "navigation": .string(event.navigation), "message": .string(words),
                "errorText": "net::ERR_CONNECTION_REFUSED",
            ]
            activity.hear(.init(method: method, parameters: details))
        }
        #expect((activity.window("1").failure != nil) == hasFailed)
    }

    @Test("ends with its task", .timeLimit(.minutes(3)))
    func cancelled() async throws {
        let activity = PageActivity()
        let waiting = Task { try await activity.change(since: activity.version, within: .seconds(600)) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}

@Suite("An exchange of the browser")
struct BrowserExchangeTests {
    @Test("takes a day at most, whatever times the browser tells", arguments: [1e300, 1e19, 90_000_000])
    func times(end: Double) throws {
        let noted = Mutex<[Exchange]>([])
        let activity = PageActivity { exchange in noted.withLock { $0.append(exchange) } }
        let timings: JSONValue = [
            "requestTime": 1, "connectEnd": 0, "responseStart": .number(1.5), "responseEnd": .number(end),
        ]
        activity.hear(
            BiDiConnection.Event(
                method: "network.responseCompleted",
                parameters: ["request": ["url": "https://bank.example/", "timings": timings]]))
        let exchange = try #require(noted.withLock { $0 }.first)
        #expect(exchange.timings.total == .seconds(86_400))
        #expect(exchange.timings.connected == .zero)
        #expect(exchange.timings.firstByte == .microseconds(500))
    }
}

/// A page is still when those requests have answers that may change it.
@Suite("The requests of a page that a step waits for")
struct OpenRequestTests {
    private static func request(_ id: Int, _ address: String, _ destination: String = "") -> BiDiConnection.Event {
        BiDiConnection.Event(
            method: "network.beforeRequestSent",
            parameters: [
                "context": "1",
                "request": [
                    "request": .string("\(id)"), "url": .string("https://bank.example\(address)"),
                    "destination": .string(destination),
                ],
            ])
    }

    private static func answer(_ id: Int) -> BiDiConnection.Event {
        BiDiConnection.Event(
            method: "network.responseCompleted",
            parameters: ["context": "1", "request": ["request": .string("\(id)")], "response": [:]])
    }

    @Test("are those for scripts and data, not those for pictures and fonts")
    func decorations() {
        let activity = PageActivity()
        for (id, destination) in ["", "script", "style", "image", "font", "video"].enumerated() {
            activity.hear(Self.request(id, "/\(id)", destination))
        }
        #expect(Set(activity.window("1").open.keys) == ["0", "1", "2"])
    }

    @Test("are not those for an address that the page asks for again and again")
    func polls() {
        let activity = PageActivity()
        for id in 0..<5 {
            activity.hear(Self.request(id, "/news?\(id)"))
            #expect(activity.window("1").open.keys.contains("\(id)") == (id < 3))
            activity.hear(Self.answer(id))
        }
        // Several at a time are one question.
        for id in 10..<20 { activity.hear(Self.request(id, "/graph")) }
        #expect(activity.window("1").open.count == 10)
    }

    @Test("are not that of a page which has arrived")
    func arrived() {
        let activity = PageActivity()
        let request = BiDiConnection.Event(
            method: "network.beforeRequestSent",
            parameters: [
                "context": "1", "navigation": "a", "request": ["request": "1", "url": "https://bank.example/"],
            ])
        activity.hear(request)
        #expect(activity.window("1").open.count == 1)
        activity.hear(
            BiDiConnection.Event(
                method: "browsingContext.domContentLoaded", parameters: ["context": "1", "navigation": "a"]))
        #expect(activity.window("1").open.isEmpty)
        // The events of one navigation may come in the other order.
        activity.hear(request)
        #expect(activity.window("1").open.isEmpty)
    }
}
