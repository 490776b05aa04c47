import BankScript
import Clocks
import Foundation
import Messages
import Secrets
import Selectors
import Synchronization
import TestCases
import Testing

@testable import Automation

/// A page that its scripts change is watched, not loaded anew. Every step, condition and way gets the time for that.
@Suite("A page that changes by itself", .timeLimit(.minutes(3)))
struct WatchingTests {
    private static let ready: [Set<String>] = [[], [], ["ready"]]

    /// Steps with what the page shows, moment by moment, and the acts that they lead to.
    static let cases: [(name: String, steps: [Step], moments: [Set<String>], acts: [String])] = [
        ("wait until", WaitUntil("ready", within: .minutes(2)).steps, ready, ["open"]),
        (
            "wait until, reloading", WaitUntil("ready", within: .minutes(2), reloading: true).steps, ready,
            ["open", "reload", "reload"]
        ),
        (
            "push", SecondFactor(untilNot: .not("ready"), within: .minutes(2)).steps, ready, ["open"]
        ),
        ("expect", Expect("ready").steps, ready, ["open"]),
        (
            "when", When("ready") { Press("Yes") }.steps + Press("Go").steps, ready,
            ["open", "press Yes", "press Go"]
        ),
        (
            "when, going on", When("ready") { Press("Yes") }.steps + Follow(.css("next")).steps,
            [[], ["next"], ["next", "ready"]], ["open", "follow next"]
        ),
        (
            "within", Press("Go").within(.minutes(1)) + Press("Back").steps, ready,
            ["open", "patience 60 s", "press Go", "usual patience", "press Back"]
        ),
        (
            "when, within", When("ready") { Press("Yes") }.within(.minutes(1)), ready,
            ["open", "patience 60 s", "usual patience", "press Yes", "patience 60 s", "usual patience"]
        ),
        (
            "any", Follow(Locator.any(.css("first"), .css("ready"))).steps, ready, ["open", "follow ready"]
        ),
    ]

    @Test("is watched by each step", arguments: cases.indices)
    func steps(_ index: Int) async throws {
        let known = Self.cases[index]
        let engine = WatchedEngine(known.moments)
        let failure = await Self.failure(of: known.steps, in: engine)
        #expect(failure?.message.hasPrefix("the script ended without a download") == true, "\(failure?.message ?? "")")
        #expect(engine.acts == known.acts, "\(known.name)")
    }

    @Test("ends the run by a fail step before, with what it says too late for that")
    func late() async throws {
        let fail = Fail(.bankLoginFailed, when: "error", reason: .wrongCredentials).steps
        for steps in [fail + Press("Go").steps, fail + Expect("ready").steps] {
            let engine = WatchedEngine([[], [], ["error"]])
            let failure = try #require(await Self.failure(of: steps, in: engine))
            #expect(failure.code == .bankLoginFailed && failure.reason == .wrongCredentials, "\(failure.message)")
        }
    }

    @Test("is watched by a fail step for as long as it says")
    func patientFail() async throws {
        let fail = Fail(.bankLoginFailed, when: "error", reason: .wrongCredentials)
        let failure = await Self.failure(of: fail.within(.minutes(1)), in: WatchedEngine([[], [], ["error"]]))
        #expect(failure?.reason == .wrongCredentials)
    }

    @Test("is left by an interruption that comes after the step before, and what was typed counts once")
    func interrupted() async throws {
        let engine = WatchedEngine([[], ["banner"]], covered: "Go")
        let interruption = Interruption(when: "banner") { Press("Close") }
        let steps = Fill(.css("password"), with: .credential("password")).steps + Press("Go").steps
        let failure = await Self.failure(of: steps, in: engine, interruptions: [interruption])
        #expect(failure?.message.hasPrefix("the script ended without a download") == true, "\(failure?.message ?? "")")
        #expect(engine.acts == ["open", "fill password", "press Close", "press Go"])
    }

    private static func failure(
        of steps: [Step], in engine: WatchedEngine, interruptions: [Interruption] = []
    ) async -> RunFailure? {
        let script = BankScript(
            id: "test", name: "Test", origins: ["https://bank.example"], interruptions: interruptions,
            steps: Open("/").steps + steps)
        let services = HostServices(
            credentials: TestCredentials(values: ["password": "pa55"]), person: TestPerson(),
            downloads: FolderSink(FileManager.default.temporaryDirectory), clock: HastyClock())
        do throws(RunFailure) {
            _ = try await ScriptRunner(services: services) { _ in engine }
                .run(script, parameters: ["month": 1, "year": 2026])
            return nil
        } catch {
            return error
        }
    }
}

/// A browser whose one page shows other elements at each moment. Waiting, or loading it anew, brings the next moment.
private final class WatchedEngine: NavigationEngine {
    private struct State {
        var moments: [Set<String>]
        var acts: [String] = []
        var covered: String?
    }

    private let state: Mutex<State>
    let patience: Duration = .seconds(30)

    /// - Parameter covered: the button that cannot be pressed before another one was.
    init(_ moments: [Set<String>], covered: String? = nil) { state = Mutex(State(moments: moments, covered: covered)) }

    var acts: [String] { state.withLock { $0.acts } }

    private func act(_ words: String) { state.withLock { $0.acts.append(words) } }

    private func advance() -> Bool {
        state.withLock { state in
            if state.moments.count > 1 { state.moments.removeFirst() } else { return false }
            return true
        }
    }

    func awaitChange(within limit: Duration) async throws -> Bool { advance() }

    func wait(within limit: Duration?) async {
        act(limit.map { "patience \($0.components.seconds) s" } ?? "usual patience")
    }

    func texts(_ locator: Locator) async throws -> [String] {
        guard case .css(let name) = locator.target else { return [] }
        return state.withLock { $0.moments[0].contains(name) } ? [name] : []
    }

    func open(_ reference: String) async throws { act("open") }

    func reload() async throws {
        act("reload")
        _ = advance()
    }

    func follow(_ link: Locator) async throws {
        guard case .css(let name) = link.target else { return }
        act("follow \(name)")
    }

    func press(_ button: Locator) async throws {
        guard case .button(.name(let name)) = button.target else { return }
        if name == state.withLock({ $0.covered }) {
            while advance() {}
            throw EngineError(.notFillable, "“\(name)” is covered")
        }
        if state.withLock({ $0.moments.last?.contains("error") == true }) {
            while advance() {}
            throw EngineError(.notFound, "nothing is found by: \(button)")
        }
        state.withLock { state in
            state.covered = nil
            state.moments[0].remove("banner")
        }
        act("press \(name)")
    }

    func fill(_ field: Locator, with input: Input) async throws {
        guard case .css(let name) = field.target else { return }
        act("fill \(name)")
    }

    func page() async -> EnginePage? {
        EnginePage(url: "https://bank.example/", path: "/", status: 200, title: "Bank", text: "")
    }

    func submit(formOf field: Locator) async throws {}
    func enter(frame: Locator) async throws {}
    func choose(_ option: String, in list: Locator) async throws {}
    func check(_ box: Locator, _ isOn: Bool) async throws {}
    func text(of locator: Locator) async throws -> String { "" }
    func attribute(_ name: String, of locator: Locator) async throws -> String? { nil }
    func picture(_ image: Locator) async throws -> Prompt.Picture { Prompt.Picture(bytes: [], mediaType: "image/png") }
    func cookies() async -> [(name: String, value: String)] { [] }
    func request(_ request: EngineRequest) async throws -> EngineAnswer { EngineAnswer(status: 200, json: nil) }

    func download(_ source: EngineDownload, to file: URL, limit: Int) async throws -> EngineFile {
        throw EngineError(.other, "no document")
    }

    func close() async {}
}
