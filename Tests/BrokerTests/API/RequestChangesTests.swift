import Messages
import Testing

@testable import Broker

@Suite("The announcements of changed requests", .timeLimit(.minutes(4)))
struct RequestChangesTests {
    /// Longer than any machine needs for the wait that an announcement ends.
    private static let long: Duration = .seconds(60)

    @Test("end a wait that begins after them, if it was listening before")
    func before() async {
        let changes = RequestChanges()
        let id = RequestID()
        let listening = await changes.listen(to: id)
        await changes.announce(id)
        let start = ContinuousClock.now
        await listening.wait(atMost: Self.long)
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test("of one request end no wait for another, and several before a wait end one wait")
    func several() async {
        let changes = RequestChanges()
        let (id, other) = (RequestID(), RequestID())
        let listening = await changes.listen(to: id)
        let elsewhere = await changes.listen(to: other)
        for _ in 0..<3 { await changes.announce(id) }
        var start = ContinuousClock.now
        await elsewhere.wait(atMost: .milliseconds(100))
        #expect(ContinuousClock.now - start >= .milliseconds(100))
        await listening.wait(atMost: Self.long)
        start = ContinuousClock.now
        await listening.wait(atMost: .milliseconds(100))
        #expect(ContinuousClock.now - start >= .milliseconds(100))
    }

    @Test("keep nothing of a wait that has ended, and the other waits for its request")
    func forgotten() async throws {
        let changes = RequestChanges()
        let id = RequestID()
        let (first, second) = (await changes.listen(to: id), await changes.listen(to: id))
        #expect(await changes.waiting == (1, 2))
        first.cancel()
        try await changes.settle(at: 1)
        #expect(await changes.waiting == (1, 1))
        await changes.announce(id)
        let start = ContinuousClock.now
        await second.wait(atMost: Self.long)
        #expect(ContinuousClock.now - start < .seconds(30))
        second.cancel()
        try await changes.settle(at: 0)
        #expect(await changes.waiting == (0, 0))
    }

    @Test("end every wait when the broker stops, also one that begins later")
    func end() async {
        let changes = RequestChanges()
        let listening = await changes.listen(to: RequestID())
        await changes.end()
        let start = ContinuousClock.now
        await listening.wait(atMost: Self.long)
        await changes.listen(to: RequestID()).wait(atMost: Self.long)
        #expect(ContinuousClock.now - start < .seconds(30))
    }
}

extension RequestChanges {
    /// Returns when so many waits are left at most, or after a long time.
    fileprivate func settle(at waits: Int) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while waiting.waits > waits, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(5)) }
    }
}
