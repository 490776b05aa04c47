import Testing

@testable import BrowserAutomation

@Suite("Waiting for the browser's events")
struct PageActivityTests {
    private static let event = BiDiConnection.Event(
        method: "browsingContext.navigationStarted", parameters: ["context": "1", "navigation": "a"])

    @Test("ends with the next event", .timeLimit(.minutes(1)))
    func next() async throws {
        let activity = PageActivity()
        let version = activity.version
        async let change: Void = activity.change(since: version, within: .seconds(600))
        activity.hear(Self.event)
        try await change
        #expect(activity.version == version + 1)
        #expect(activity.window("1").begun == 1)
    }

    @Test("ends at once where an event has come since", .timeLimit(.minutes(1)))
    func missed() async throws {
        let activity = PageActivity()
        let version = activity.version
        activity.hear(Self.event)
        try await activity.change(since: version, within: .seconds(600))
    }

    @Test("ends after the limit without an event", .timeLimit(.minutes(1)))
    func limit() async throws {
        let activity = PageActivity()
        try await activity.change(since: activity.version, within: .milliseconds(20))
    }

    @Test("ends with its task", .timeLimit(.minutes(1)))
    func cancelled() async throws {
        let activity = PageActivity()
        let waiting = Task { try await activity.change(since: activity.version, within: .seconds(600)) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}
