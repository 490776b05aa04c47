import BankScript
import Clocks
import Encodings
import Foundation
import Messages
import Secrets
import Synchronization
import TestCases
import TestSupport
import Testing

@testable import Automation

@Suite("A plug-in that ignores its cancellation", .timeLimit(.minutes(3)))
struct LeftBehindTests {
    fileprivate static let limit = Duration.seconds(3600)
    private static let silent = ScriptEngine(rawValue: "silent")!
    private static let month = MonthYear(month: 1, year: 2026)!

    private static func script(
        engine: ScriptEngine = .html, _ steps: [Step], finally: [Step] = Follow("Sign out").steps
    ) -> BankScript {
        BankScript(
            id: "test", name: "Test", origins: ["https://bank.example"], engine: engine,
            steps: Open("/").steps + steps, finally: finally)
    }

    private static let sourceScript = BankScript(
        "late", named: "Late Bank",
        from: SourceDeclaration(
            .fints, at: "https://bank.example/fints", settings: ["bank code": "12345678"], fetching: [.pdf]))

    private static func runner(
        _ engine: TroubledEngine, log: EventLog = EventLog(), clock: any RunClock = SystemClock(),
        changing change: (inout HostServices) -> Void = { _ in },
        starting start: @escaping @Sendable () async -> Void = {}
    ) -> ScriptRunner {
        var services = HostServices(
            credentials: TestCredentials(values: ["password": "canary-word-of-a-vault"]), person: TestPerson(),
            downloads: FolderSink(FileManager.default.temporaryDirectory), observer: log,
            clock: clock)
        change(&services)
        return ScriptRunner(services: services, limit: limit, grace: .milliseconds(50), closing: .milliseconds(200)) {
            _ in
            await start()
            return engine
        }
    }

    private static func failure(_ body: () async throws -> Void) async -> RunFailure? {
        do {
            try await body()
            return nil
        } catch {
            return error as? RunFailure
        }
    }

    @Test("a step is left behind after the limit, and named beside the page's dialog; the run signs out")
    func step() async throws {
        let (hang, log) = (Hang(), EventLog())
        let engine = TroubledEngine([200])
        engine.open(dialog: "Your session ends")
        let runner = Self.runner(engine, log: log, clock: ReachedClock(hang: hang))
        let script = Self.script([Step(Action(HangingStep(hang: hang)))] + Press("Next").steps)
        let failure = try #require(
            await Self.failure { _ = try await runner.run(script, parameters: ["month": 1, "year": 2026]) })
        #expect(failure.code == .executionTimeout && failure.reason == .timeout)
        #expect(
            failure.message.contains(
                "the limit for a run; the step “hang” did not end when it was told to, and was left behind"),
            "\(failure.message)")
        #expect(failure.message.contains("“Your session ends”"), "\(failure.message)")
        #expect(engine.visits == ["open", "follow"] && engine.isClosed)
        let told = log.count
        hang.release()
        // What the step does after that reaches nothing: neither the next step nor the observer.
        for _ in 0..<100 { await Task.yield() }
        #expect(engine.visits == ["open", "follow"] && log.count == told)
    }

    @Test("a run that is cancelled ends without it")
    func cancelled() async throws {
        let hang = Hang()
        let engine = TroubledEngine([200])
        let runner = Self.runner(engine)
        let script = Self.script([Step(Action(HangingStep(hang: hang)))])
        let run = Task {
            await Self.failure { _ = try await runner.run(script, parameters: ["month": 1, "year": 2026]) }
        }
        await hang.reached()
        run.cancel()
        let failure = try #require(await run.value)
        #expect(failure.code == .navigationFailed && failure.reason == .cancelled)
        #expect(failure.message.contains("the step “hang” did not end"), "\(failure.message)")
        #expect(engine.visits.last == "follow" && engine.isClosed)
        hang.release()
    }

    @Test("an engine is named with the step that it hangs in")
    func engine() async throws {
        let hang = Hang()
        let engine = TroubledEngine([200], hangingIn: hang)
        let script = Self.script(engine: Self.silent, Press("Next").steps)
        let failure = try #require(
            await Self.failure {
                _ = try await Self.runner(engine, clock: ReachedClock(hang: hang)).run(
                    script, parameters: ["month": 1, "year": 2026])
            })
        #expect(failure.message.contains("the engine “silent” in the step “open” did not end"), "\(failure.message)")
        #expect(engine.isClosed)
        hang.release()
    }

    @Test("an engine that does not start ends the run, and is closed when it comes after all")
    func start() async throws {
        let hang = Hang()
        let engine = TroubledEngine([200])
        let runner = Self.runner(
            engine, clock: ReachedClock(hang: hang), starting: { await hang.wait() })
        let failure = try #require(
            await Self.failure {
                _ = try await runner.run(
                    Self.script(engine: Self.silent, []), parameters: ["month": 1, "year": 2026])
            })
        #expect(failure.message.contains("the engine “silent” did not start"), "\(failure.message)")
        #expect(!engine.isClosed)
        hang.release()
        while !engine.isClosed { await Task.yield() }
        #expect(engine.visits.isEmpty)
    }

    @Test("a file that an engine brings behind the end is removed, is not told of, and no further one begins")
    func lateDownload() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (hang, log) = (Hang(), EventLog())
        let engine = TroubledEngine([200], hangingIn: hang, atDownload: true)
        let sink = CountingSink(FolderSink(folder.url))
        let runner = Self.runner(engine, log: log, clock: ReachedClock(hang: hang)) { $0.downloads = sink }
        let steps = Download("PDF", as: .pdf).steps + Press("Next").steps + Download("Another", as: .pdf).steps
        let script = Self.script(engine: Self.silent, steps)
        let failure = try #require(
            await Self.failure { _ = try await runner.run(script, parameters: ["month": 1, "year": 2026]) })
        #expect(
            failure.message.contains("the engine “silent” in the step “download” did not end"), "\(failure.message)")
        let told = log.count
        // The engine writes the whole file when it is let go on.
        hang.release()
        while engine.visits.last != "downloaded" { await Task.yield() }
        let end = ContinuousClock.now + .seconds(10)
        while !folder.names.isEmpty, ContinuousClock.now < end { await Task.yield() }
        #expect(folder.names.isEmpty && log.count == told && sink.count == 1 && engine.visits.last == "downloaded")
    }

    @Test("the one document that a source delivered before it was left behind is not kept, as the run has failed")
    func oneDocument() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let source = LateSource(hang: Hang(), folder: folder.url, asksFirst: false)
        let runner = Self.runner(TroubledEngine([200]), clock: ReachedClock(hang: source.hang)) {
            $0.sources = [.fints: source]
        }
        let failure = await Self.failure {
            _ = try await runner.run(Self.sourceScript, parameters: ["month": 1, "year": 2026])
        }
        #expect(failure?.message.contains("the source “fints” did not end") == true)
        #expect(folder.names.isEmpty)
        source.hang.release()
        await source.done.reached()
        #expect(folder.names.isEmpty)
    }

    @Test(
        "a source keeps what it delivered, and gets and delivers nothing behind the end; a credential that it got counts as sent",
        arguments: [true, false])
    func source(asksFirst: Bool) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let source = LateSource(hang: Hang(), folder: folder.url, asksFirst: asksFirst)
        let log = EventLog()
        let runner = Self.runner(TroubledEngine([200]), log: log, clock: ReachedClock(hang: source.hang)) {
            $0.sources = [.fints: source]
        }
        let places = [DocumentPlace(period: Self.month), DocumentPlace(period: Self.month, kind: .pdf, part: 2)]
        let taken = Received()
        let failure = try #require(
            await Self.failure {
                try await runner.run(Self.sourceScript, fetching: places) { (place, outcome) throws(RunFailure) in
                    taken.add("\(place) \((try? outcome.get().file.lastPathComponent) ?? "-")")
                }
            })
        #expect(failure.code == .executionTimeout)
        #expect(failure.message.contains("the source “fints” did not end"), "\(failure.message)")
        #expect(failure.hasSentCredentials == asksFirst && failure.isSignInUnconfirmed == asksFirst)
        #expect(taken.lines == ["2026-01 pdf first.pdf"])
        let told = log.count
        source.hang.release()
        await source.done.reached()
        #expect(taken.lines == ["2026-01 pdf first.pdf"] && log.count == told)
        #expect(source.seen.lines == ["no credential", "no answer"])
        #expect(folder.names == ["first.pdf"])
    }
}

/// A clock on which the time of a run is over as soon as a plug-in hangs.
private struct ReachedClock: RunClock {
    let hang: Hang
    var now: Date { Date() }

    func sleep(for duration: Duration) async throws {
        guard duration >= LeftBehindTests.limit else { return try await Task.sleep(for: duration) }
        while !hang.isReached { try await Task.sleep(for: .milliseconds(1)) }
    }
}

/// Counts the places for downloads that were given.
private final class CountingSink: DownloadSink {
    private let base: any DownloadSink
    private let given = Atomic(0)

    init(_ base: any DownloadSink) {
        self.base = base
    }

    var count: Int { given.load(ordering: .relaxed) }

    func destination() async throws -> URL {
        given.add(1, ordering: .relaxed)
        return try await base.destination()
    }
}

/// Lines that come from several tasks.
private final class Received: Sendable {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock { $0 } }

    func add(_ line: String) { kept.withLock { $0.append(line) } }
}

private final class EventLog: RunObserver {
    private let seen = Mutex(0)

    var count: Int { seen.withLock { $0 } }

    func observe(_ event: RunEvent) { seen.withLock { $0 += 1 } }
}

private struct HangingStep: PerformedStep {
    static let names = ["hang"]
    let hang: Hang

    static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [HangingStep] { [HangingStep(hang: Hang())] }

    var written: YAMLText { .bare("true") }
    static func schema(of name: String) -> JSONValue { ["const": true] }
    var json: JSONValue { ["hang": true] }
    func words(filling filled: (Template) -> String) -> String { "hang" }
    func check(in lint: inout ScriptLint, at mark: Mark?) {}

    func perform(
        in run: isolated ScriptExecution, at place: StepPosition, before following: ArraySlice<Step>
    ) async throws { await hang.wait() }
}

/// A source that delivers one document, hangs, and then goes on as if nothing had happened.
private struct LateSource: DocumentSource {
    static let rule = SourceRule.fints
    let hang: Hang
    let folder: URL
    /// True for a source that asks for the password before it hangs.
    let asksFirst: Bool
    let seen = Received()
    let done = Hang()

    func fetch(
        _ places: [DocumentPlace], naming names: [AccountAlias: String], of script: BankScript,
        with services: HostServices, receive: @escaping DocumentReceiver
    ) async throws(RunFailure) {
        if asksFirst { _ = try? await services.credentials.credential(named: "password", forBank: script.id) }
        try await receive(places[0], .success(document("first.pdf")))
        await hang.wait()
        let password = try? await services.credentials.credential(named: "password", forBank: script.id)
        seen.add(password == nil ? "no credential" : "a credential")
        let prompt = Prompt(
            kind: .confirmElsewhere, bankName: script.name, question: "?", deadline: Date().addingTimeInterval(60))
        let answer = try? await services.person.answer(prompt)
        seen.add(answer == nil ? "no answer" : "an answer")
        services.observer.observe(.warned(0, "late"))
        try? await receive(places[places.count - 1], .success(document("second.pdf")))
        done.release()
        await done.wait()
    }

    private func document(_ name: String) -> FetchedDocument {
        let file = folder.appending(path: name)
        try? Data("%PDF-1.4".utf8).write(to: file)
        return FetchedDocument(file: file, sha256: "", bytes: 8)
    }
}
