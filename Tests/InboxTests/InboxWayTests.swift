import Clocks
import Foundation
import Machine
import Messages
import Synchronization
import Testing

@testable import Inbox

/// A way that notes its calls, and that a test makes misbehave.
private final class TestWay: InboxWay {
    enum Mood: Sendable { case good, throwing, hanging, throwingAfter, hangingAfter }
    struct Trouble: Error, CustomStringConvertible {
        let description = "the line is down\nyes?"
    }

    private struct State {
        var mood = Mood.good
        var calls: [String] = []
        var hanging: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func turn(_ mood: Mood) { state.withLock { $0.mood = mood } }
    func note(_ call: String) { state.withLock { $0.calls.append(call) } }
    var calls: [String] { state.withLock { $0.calls } }

    func behave() async throws {
        switch state.withLock({ $0.mood }) {
        case .good, .throwingAfter, .hangingAfter: return
        case .throwing: throw Trouble()
        case .hanging: await hang()
        }
    }

    func behaveAfter() async throws {
        switch state.withLock({ $0.mood }) {
        case .good, .throwing, .hanging: return
        case .throwingAfter: throw Trouble()
        case .hangingAfter: await hang()
        }
    }

    /// Waits for the test, and heeds no cancellation.
    private func hang() async {
        await withCheckedContinuation { continuation in state.withLock { $0.hanging.append(continuation) } }
        note("goes on")
    }

    var isHanging: Bool { state.withLock { !$0.hanging.isEmpty } }

    /// Lets what hangs go on.
    func goOn() {
        let hanging = state.withLock { state in
            defer { state.hanging = [] }
            return state.hanging
        }
        for continuation in hanging { continuation.resume() }
    }

    func publisher(around standard: any StatementPublisher, folder: URL) -> any StatementPublisher {
        Publisher(wrapped: standard, way: self)
    }

    func source(around standard: any DeliverySource, folder: URL) -> any DeliverySource {
        Source(standard: standard, way: self)
    }

    private struct Publisher: WrappingPublisher {
        let wrapped: any StatementPublisher
        let way: TestWay

        func publish(pdf: URL, for request: RequestID, period: MonthYear, at now: Date) async throws -> String {
            way.note("publish")
            try await way.behave()
            do {
                let name = try await wrapped.publish(pdf: pdf, for: request, period: period, at: now)
                try await way.behaveAfter()
                return name
            } catch {
                way.note("ended: \(error)")
                throw error
            }
        }
    }

    private struct Source: DeliverySource {
        let standard: any DeliverySource
        let way: TestWay

        func run() async throws {
            way.note("run")
            try await way.behave()
            try await standard.run()
        }
    }
}

@Suite("A plug-in's way from the phone to the broker", .timeLimit(.minutes(3)))
struct InboxWayTests {
    private static func standard(_ stage: InboxStage) -> any WithdrawingPublisher {
        InboxStatementPublisher(folder: stage.inbox, secret: stage.secret)
    }

    @Test("hands on what it does not change, and is around those before it")
    func around() async throws {
        let stage = try InboxStage()
        let (inner, outer) = (TestWay(), TestWay())
        var publisher = NamedInbox("inner", inner).publisher(around: Self.standard(stage), folder: stage.inbox)
        publisher = NamedInbox("outer", outer).publisher(around: publisher, folder: stage.inbox)
        try await publisher.check()
        let id = RequestID()
        let name = try await publisher.publish(pdf: try stage.aPDF(), for: id, period: stage.period, at: Date())
        #expect(stage.names("inbox") == ["\(id)-jan-2026.manifest.json", "\(id)-jan-2026.pdf"])
        #expect(await publisher.removeLeftovers(of: id) == name)
        #expect(inner.calls == ["publish"] && outer.calls == ["publish"])
        inner.turn(.throwing)
        let error = await #expect(throws: InboxWayError.self) {
            try await publisher.publish(pdf: try stage.aPDF(), for: RequestID(), period: stage.period, at: Date())
        }
        #expect(error?.description.hasPrefix("the inbox “inner” failed: Trouble") == true)
    }

    @Test(
        "is named when it throws or hangs, nothing is left or comes late, and the standard inbox's words stay as they are"
    )
    func named() async throws {
        let stage = try InboxStage()
        let way = TestWay()
        func publisher(_ limit: Duration) -> any StatementPublisher {
            NamedInbox("way", way, limit: limit).publisher(around: Self.standard(stage), folder: stage.inbox)
        }
        for (mood, limit, words) in [
            (TestWay.Mood.throwing, Duration.seconds(60), "the inbox “way” failed: Trouble"),
            (.throwingAfter, .seconds(60), "the inbox “way” failed: Trouble"),
            (.hanging, .milliseconds(100), "the inbox “way” did not answer within 0 s"),
            // Long enough for the standard inbox to deliver, as a rule.
            (.hangingAfter, .seconds(1), "the inbox “way” did not answer within 1 s"),
        ] {
            let publisher = publisher(limit)
            way.turn(mood)
            let error = await #expect(throws: InboxWayError.self) {
                try await publisher.publish(pdf: try stage.aPDF(), for: RequestID(), period: stage.period, at: Date())
            }
            #expect(error?.description.hasPrefix(words) == true, "\(error?.description ?? "")")
            #expect(error?.description.contains("\n") == false)
            while !stage.names("inbox").isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            way.goOn()
            if mood == .hanging {
                while way.calls.last?.hasPrefix("ended: the delivery came after") != true {
                    try await Task.sleep(for: .milliseconds(5))
                }
                #expect(stage.names("inbox").isEmpty)
            }
        }
        try FileManager.default.removeItem(at: stage.inbox)
        await #expect(throws: PublishError.self) { try await publisher(.seconds(60)).check() }
    }

    @Test("that fails after the broker has taken the delivery has delivered it")
    func taken() async throws {
        let stage = try InboxStage()
        let way = TestWay()
        let publisher = NamedInbox("way", way, limit: .seconds(60))
            .publisher(around: Self.standard(stage), folder: stage.inbox)
        way.turn(.hangingAfter)
        let id = RequestID()
        let pdf = try stage.aPDF()
        let publishing = Task { try await publisher.publish(pdf: pdf, for: id, period: stage.period, at: Date()) }
        // The standard inbox is done only some time after its files are there.
        while !way.isHanging { try await Task.sleep(for: .milliseconds(5)) }
        #expect(stage.names("inbox").count == 2)
        for name in stage.names("inbox") {
            try FileManager.default.removeItem(at: stage.inbox.appending(path: name))
        }
        publishing.cancel()
        #expect(try await publishing.value == "\(id)-jan-2026.pdf")
        way.goOn()
    }

    @Test("at the broker is begun again when it fails, and the deliveries have waited")
    func again() async throws {
        let stage = try InboxStage()
        let id = RequestID()
        let ledger = TestLedger(expecting: id)
        try stage.publish(id)
        let way = TestWay()
        way.turn(.throwing)
        let failures = Mutex<[String]>([])
        let source = NamedInbox("way", way, pause: .milliseconds(20)).source(
            around: stage.ingestor(ledger), folder: stage.inbox
        ) { problem in
            failures.withLock { $0.append(problem) }
            way.turn(.good)
        }
        let run = Task { try await source.run() }
        while await ledger.accepted[id] == nil { try await Task.sleep(for: .milliseconds(10)) }
        run.cancel()
        try await run.value
        #expect(way.calls == ["run", "run"])
        #expect(failures.withLock { $0 } == [#"the line is down\u000ayes?"#])
    }

    @Test("ends the broker's part as the standard inbox does when the folder cannot be watched")
    func unwatchable() async throws {
        let stage = try InboxStage()
        try FileManager.default.removeItem(at: stage.inbox)
        let source = NamedInbox("way", TestWay()).source(
            around: stage.ingestor(TestLedger()), folder: stage.inbox
        ) { _ in Issue.record("told as the way's") }
        await #expect(throws: FileError.self) { try await source.run() }
    }
}
