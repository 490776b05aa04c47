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

/// A dialog that opens while a run waits for something else ends no step by itself. The run's failure names it all the same.
@Suite("A dialog that opens while a run waits", .timeLimit(.minutes(3)))
struct UntoldDialogTests {
    private static let text = "Your session at the bank ends in one minute"
    private static let words =
        "; the page opened a dialog, “\(text)”, which was dismissed; add an answer for it under “dialogs”"

    private static func code(within limit: Duration) -> [Step] {
        SecondFactor(SecondFactorStep(method: .captured(as: "code"), limit: limit)).steps
    }

    /// The last steps before `finally`, and the failure that they end with.
    static let ends: [(steps: [Step], code: ErrorCode, reason: FailureReason, words: String)] = [
        (Expect(.shows(.heading("Overview"))).steps, .navigationFailed, .layoutChanged, "expected that"),
        (
            WaitUntil(.shows(.heading("Overview")), within: .seconds(2)).steps, .navigationFailed, .timeout,
            "waited 2.0 s until"
        ),
        (code(within: .seconds(2)), .bankSecondFactorTimeout, .timeout, "was not given within 2.0 s"),
    ]

    @Test("is named by the failure of a step that ends by itself, after its own words", arguments: ends)
    func ended(_ steps: [Step], _ code: ErrorCode, _ reason: FailureReason, _ words: String) async throws {
        let engine = TroubledEngine([200])
        engine.open(dialog: Self.text)
        let log = FailureLog()
        let failure = try #require(await Self.failure(of: steps, in: engine, clock: HastyClock(), log: log))
        #expect(failure.code == code && failure.reason == reason)
        #expect(failure.message.contains(words) && failure.message.hasSuffix(Self.words), "\(failure.message)")
        #expect(log.messages == [failure.message])
        #expect(engine.visits.last == "follow", "the run signs out")
    }

    @Test("is named by the failure of a run that is cancelled, or whose time is over", arguments: [true, false])
    func stopped(isCancelled: Bool) async throws {
        let engine = TroubledEngine([200])
        let (asked, continuation) = AsyncStream<Void>.makeStream()
        let person = AbsentPerson(engine: engine, asked: continuation)
        let run = Task {
            await Self.failure(
                of: Self.code(within: .minutes(9)), in: engine, person: person,
                clock: LimitClock(isOver: isCancelled ? nil : asked))
        }
        if isCancelled {
            for await _ in asked { break }
            run.cancel()
        }
        let failure = try #require(await run.value)
        #expect(failure.code == (isCancelled ? .navigationFailed : .executionTimeout))
        #expect(failure.message.hasSuffix(Self.words), "\(failure.message)")
        #expect(engine.visits.last == "follow", "the run signs out")
    }

    @Test("is named once, without numbers of accounts, and shortened")
    func words() {
        let failure = RunFailure(.navigationFailed, message: "waited")
        let named = failure.naming("Account 90817263 ends \(String(repeating: "soon ", count: 100))").message
        #expect(named.hasPrefix("waited; the page opened a dialog, “Account ••• ends soon soon"))
        #expect(named.count < 320)
        let told = RunFailure(
            .navigationFailed, message: "the page opens the dialog “Account ••• ends” again and again")
        #expect(told.naming("Account 90817263 ends").message == told.message)
        #expect(failure.naming(nil).message == "waited")
    }

    private static func failure(
        of steps: [Step], in engine: TroubledEngine, person: any HumanPrompt = TestPerson(), clock: any RunClock,
        log: FailureLog = FailureLog()
    ) async -> RunFailure? {
        let script = BankScript(
            id: "test", name: "Test", origins: ["https://bank.example"], steps: Open("/").steps + steps,
            finally: Follow("Sign out").steps)
        let services = HostServices(
            credentials: TestCredentials(values: [:]), person: person,
            downloads: FolderSink(FileManager.default.temporaryDirectory), observer: log, clock: clock)
        do throws(RunFailure) {
            _ = try await ScriptRunner(services: services) { _ in engine }
                .run(script, parameters: ["month": 1, "year": 2026])
            return nil
        } catch {
            return error
        }
    }
}

/// A person who never answers. A dialog opens when they are asked.
private struct AbsentPerson: HumanPrompt {
    let engine: TroubledEngine
    let asked: AsyncStream<Void>.Continuation

    func answer(_ prompt: Prompt) async throws -> Secret {
        engine.open(dialog: "Your session at the bank ends in one minute")
        asked.yield()
        try await Task.sleep(for: .seconds(3600))
        return Secret("")
    }
}

/// A clock on which the time of a run is over when a stream says so.
private struct LimitClock: RunClock {
    let isOver: AsyncStream<Void>?
    var now: Date { Date() }

    func sleep(for duration: Duration) async throws {
        guard duration == ScriptRunner.executionLimit, let isOver else { return try await Task.sleep(for: duration) }
        for await _ in isOver { return }
        throw CancellationError()
    }
}

/// Keeps the messages of the steps that failed.
private final class FailureLog: RunObserver {
    private let seen = Mutex<[String]>([])

    var messages: [String] { seen.withLock { $0 } }

    func observe(_ event: RunEvent) {
        if case .stepFailed(_, let failure, _) = event { seen.withLock { $0.append(failure.message) } }
    }
}
