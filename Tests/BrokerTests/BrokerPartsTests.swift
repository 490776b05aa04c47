import Encodings
import Foundation
import Logging
import Machine
import ServiceLifecycle
import Synchronization
import TestParties
import Testing

@testable import Broker

@Suite("The broker's parts", .timeLimit(.minutes(4)))
struct BrokerPartsTests {
    /// The events of a run, in their order, for those who wait for one.
    private final class Diary: Sendable {
        private let state = Mutex<[String]>([])

        var lines: [String] { state.withLock(\.self) }

        func note(_ line: String) { state.withLock { $0.append(line) } }

        func wait(for lines: String...) async throws {
            while !lines.allSatisfy(self.lines.contains) { try await Task.sleep(for: .milliseconds(5)) }
        }

        /// A part that works until it is told to end.
        func part(_ name: String) -> BrokerPart {
            BrokerPart(
                name,
                {
                    self.note("\(name) starts")
                    while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
                    self.note("\(name) ends")
                }, atEnd: { self.note("\(name) is tidied, cancelled: \(Task.isCancelled)") })
        }
    }

    private struct Failure: Error, Equatable {}

    /// A server that drains for as long as `isDrained` is false.
    private struct Server: Service {
        let diary: Diary
        var isDrained: @Sendable () -> Bool = { true }

        func run() async throws {
            diary.note("server starts")
            try? await gracefulShutdown()
            diary.note("server drains")
            while !isDrained(), !Task.isCancelled { await Task.yield() }
            diary.note("server ends")
        }
    }

    private static func group(_ parts: BrokerParts) -> ServiceGroup {
        ServiceGroup(
            configuration: .init(services: [parts], logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }))
    }

    @Test("start together; at a shutdown the server drains while they work, and then they end, the last one first")
    func order() async throws {
        let diary = Diary()
        let isDrained = Atomic(false)
        try await confirmation { isOver in
            let parts = BrokerParts(
                [diary.part("tally"), diary.part("clock")],
                server: Server(diary: diary) { isDrained.load(ordering: .relaxed) })
            let group = Self.group(parts)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    try await group.run()
                    isOver()
                }
                try await diary.wait(for: "tally starts", "clock starts", "server starts")
                await group.triggerGracefulShutdown()
                try await diary.wait(for: "server drains")
                #expect(!diary.lines.contains { $0.hasSuffix(" ends") }, "\(diary.lines)")
                isDrained.store(true, ordering: .relaxed)
                try await tasks.waitForAll()
            }
        }
        #expect(
            diary.lines.drop { $0 != "server drains" } == [
                "server drains", "server ends", "clock ends", "clock is tidied, cancelled: false", "tally ends",
                "tally is tidied, cancelled: false",
            ])
    }

    @Test("a part that fails ends the server and the other parts, and its error is the broker's")
    func failure() async throws {
        let diary = Diary()
        let failing = BrokerPart("inbox") {
            try await diary.wait(for: "clock starts", "server starts")
            throw Failure()
        }
        await #expect(throws: Failure()) {
            try await BrokerParts([diary.part("clock"), failing], server: Server(diary: diary)).run()
        }
        #expect(
            Set(diary.lines).isSuperset(of: ["clock ends", "clock is tidied, cancelled: false", "server ends"]),
            "\(diary.lines)")
    }

    @Test("a server that cannot start ends the other parts, and its error is the broker's")
    func noServer() async throws {
        struct Refused: Service {
            let diary: Diary
            func run() async throws {
                try await diary.wait(for: "clock starts")
                throw BrokerStartError(message: "the port is in use")
            }
        }
        let diary = Diary()
        let error = await #expect(throws: BrokerStartError.self) {
            try await BrokerParts([diary.part("clock")], server: Refused(diary: diary)).run()
        }
        #expect(error?.message == "the port is in use")
        #expect(diary.lines.last == "clock is tidied, cancelled: false")
    }

    @Test("a part that ends by itself leaves the others working")
    func earlyEnd() async throws {
        let diary = Diary()
        let early = BrokerPart("early") { diary.note("early ends") }
        let group = Self.group(BrokerParts([early, diary.part("clock")], server: Server(diary: diary)))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            try await diary.wait(for: "early ends", "clock starts", "server starts")
            for _ in 0..<100 { await Task.yield() }
            #expect(!diary.lines.contains("clock ends") && !diary.lines.contains("server drains"))
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        #expect(diary.lines.suffix(3) == ["server ends", "clock ends", "clock is tidied, cancelled: false"])
    }

    @Test("a part that ends by itself while the server drains leaves the server its time")
    func endDuringShutdown() async throws {
        let diary = Diary()
        let mayEnd = Atomic(false)
        let isDrained = Atomic(false)
        let early = BrokerPart("early") {
            while !mayEnd.load(ordering: .relaxed), !Task.isCancelled { await Task.yield() }
            diary.note("early ends")
        }
        let parts = BrokerParts(
            [early, diary.part("clock")],
            server: Server(diary: diary) { isDrained.load(ordering: .relaxed) })
        let group = Self.group(parts)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            try await diary.wait(for: "clock starts", "server starts")
            await group.triggerGracefulShutdown()
            try await diary.wait(for: "server drains")
            mayEnd.store(true, ordering: .relaxed)
            try await diary.wait(for: "early ends")
            for _ in 0..<100 { await Task.yield() }
            #expect(diary.lines.last == "early ends", "\(diary.lines)")
            isDrained.store(true, ordering: .relaxed)
            try await tasks.waitForAll()
        }
        #expect(
            diary.lines.suffix(4) == [
                "early ends", "server ends", "clock ends", "clock is tidied, cancelled: false",
            ])
    }

    @Test("a server that drains without an end is cancelled after the limit, and the parts end well")
    func endlessDrain() async throws {
        let diary = Diary()
        let parts = BrokerParts(
            [diary.part("clock")], server: Server(diary: diary) { false }, limit: .milliseconds(50))
        let group = Self.group(parts)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            try await diary.wait(for: "clock starts", "server starts")
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        #expect(
            Set(diary.lines).isSuperset(of: ["server drains", "server ends", "clock is tidied, cancelled: false"]),
            "\(diary.lines)")
    }

    @Test("a part that hangs at the end is named after the limit, and the others have ended well")
    func hangingPart() async throws {
        let diary = Diary()
        let isReleased = Atomic(false)
        let hanging = BrokerPart("inbox", patience: .milliseconds(20)) {
            diary.note("inbox starts")
            // As a call that no cancellation reaches.
            while !isReleased.load(ordering: .relaxed) { await Task.yield() }
            diary.note("inbox ends")
        }
        let parts = BrokerParts(
            [diary.part("clock"), hanging], server: Server(diary: diary), limit: .milliseconds(50))
        let group = Self.group(parts)
        let run = Task { try await group.run() }
        try await diary.wait(for: "clock starts", "inbox starts", "server starts")
        await group.triggerGracefulShutdown()
        let error = await #expect(throws: BrokerPart.Stuck.self) { try await run.value }
        #expect(error?.part == "inbox")
        #expect("\(error.map { "\($0)" } ?? "")".contains("the broker's part \"inbox\" still works"))
        #expect(
            Set(diary.lines).isSuperset(of: ["server ends", "clock is tidied, cancelled: false"]), "\(diary.lines)")
        #expect(!diary.lines.contains("inbox ends"))
        isReleased.store(true, ordering: .relaxed)
        try await diary.wait(for: "inbox ends")
    }

    @Test("all end when the task is cancelled")
    func cancellation() async throws {
        let diary = Diary()
        let run = Task { try await BrokerParts([diary.part("clock")], server: Server(diary: diary)).run() }
        try await diary.wait(for: "clock starts", "server starts")
        run.cancel()
        _ = await run.result
        #expect(Set(diary.lines).isSuperset(of: ["clock ends", "server ends"]), "\(diary.lines)")
    }

    @Test("a broker without its inbox ends with the name of the folder")
    func noInbox() async throws {
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.inbox = stage.root.appending(path: "missing")
        let error = await #expect(throws: FileError.self) { try await stage.run(configuration) { _ in } }
        #expect("\(error.map { "\($0)" } ?? "")".contains("missing"), "\(String(describing: error))")
    }
}
