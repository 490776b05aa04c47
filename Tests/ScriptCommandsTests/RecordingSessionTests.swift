import Authoring
import Automation
import BankScript
import BrowserAutomation
import Foundation
import HTMLAutomation
import MockBank
import Secrets
import Synchronization
import Terminal
import TestCases
import TestSupport
import Testing

@testable import ScriptCommands

@Suite("A recording at the terminal")
struct RecordingSessionTests {
    private final class Output: Sendable {
        let text = Mutex("")
        var console: Console { Console { text in self.text.withLock { $0 += text } } }
    }

    @Test("prints the first step, and obeys undo and done")
    func commands() async throws {
        let output = Output()
        let session = RecordingSession(url: "https://bank.example/login", console: output.console)
        let (actions, _) = AsyncStream<VisitorAction>.makeStream()
        let lines = AsyncStream<String> { sink in
            for line in ["undo", "what", "done", "never read"] { sink.yield(line) }
        }
        await session.run(actions, lines: lines)
        let text = output.text.withLock { $0 }
        #expect(text.contains("- open: /login"))
        #expect(text.contains("No step can be taken back.") && text.contains("“undo” takes the last step back"))
    }

    @Test("ends with the window, also where the input has ended before")
    func window() async throws {
        let session = RecordingSession(url: "https://bank.example/login", console: Output().console)
        let (actions, window) = AsyncStream<VisitorAction>.makeStream()
        async let run: Void = session.run(actions, lines: AsyncStream { $0.finish() })
        window.finish()
        await run
        #expect(await !session.recording.hasDownload)
    }

    @Test("finds out which engine the bank needs", .timeLimit(.minutes(3)))
    func trial() async throws {
        let bank = try await MockBankServer.start()
        let script = try BankScript(
            yaml: String(
                contentsOf: Repository.file("BankScripts/DefaultBank/meridian-savings.yaml"), encoding: .utf8),
            file: "meridian-savings.yaml"
        ).served(at: bank.url, isForTesting: true)
        let draft = ScriptDraft(
            script: script, remarks: ScriptRemarks(), parameters: ["month": 5, "year": 2025])
        func verdict(failing: ScriptEngine?) async -> EngineTrial.Verdict {
            let trial = EngineTrial(
                draft: draft, credentials: ["username": Secret("robin.ashdown"), "password": Secret("correct horse")],
                person: TestPerson(code: "123456"))
            return await trial.run { engine, script in
                // The engine of the browser is not started here: what counts is who fails.
                if engine == failing { throw RunFailure(.navigationFailed, reason: .javascriptRequired, message: "no") }
                return try HTMLNavigationEngine(for: script)
            }
        }
        #expect(await verdict(failing: nil).engine == .html)
        let needsBrowser = await verdict(failing: .html)
        #expect(needsBrowser.engine == .browser && needsBrowser.text.contains("needs the browser"))
        #expect(await verdict(failing: .browser).engine == nil)
        var unknown = draft
        unknown.parameters = [:]
        let trial = EngineTrial(draft: unknown, credentials: [:], person: TestPerson())
        #expect(await trial.run { _, script in try HTMLNavigationEngine(for: script) }.text.contains("names the month"))
        await bank.stop()
    }
}
