import ArgumentParser
import Authoring
import Automation
import BankScript
import BrowserAutomation
import Foundation
import HTMLAutomation
import Terminal
import WebURL

struct ScriptRecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Record a visit in a browser's window as a script.",
        discussion: """
            Opens a window. Visit the bank as always: sign in, fetch one statement, sign out, and close the window. Each \
            thing that you do becomes a step, printed at once. In the terminal, “undo” takes the last step back and \
            “done” ends the visit.

            What you type is kept only in memory, and never becomes part of the script. At the end the script is checked. \
            Then it signs in again, in the browser and without, to find out which of the two the bank needs; you are asked \
            for the codes. The window reaches only the origins that are named here.

            Exit status: 0 the script fetches the statement, 1 it needs your hand, 2 usage.
            """)

    @Argument(help: "The address to start at, e.g. https://banking.my-bank.example/login.")
    var url: String

    @Option(name: .customLong("origin"), help: "An additional origin that the window may reach; repeat for each.")
    var origins: [String] = []

    @Option(help: "Write to this file instead of standard output; it must not exist yet.")
    var output: String?

    @OptionGroup var authority: AuthorityOption

    @Flag(help: "Do not sign in again to try the script.")
    var skipTrial = false

    @Flag(help: ArgumentHelp("Show no window; for tests.", visibility: .hidden))
    var headless = false

    @Flag(help: .sharedNetwork)
    var sharedNetwork = false

    func run() async throws {
        let origin = try origin()
        if let output, FileManager.default.fileExists(atPath: output) {
            throw CommandFailure("\(output) already exists; move it away or give another name", status: 2)
        }
        let display = ["DISPLAY", "WAYLAND_DISPLAY"].compactMap { ProcessInfo.processInfo.environment[$0] }
        guard headless || display.contains(where: { !$0.isEmpty }) else {
            throw CommandFailure(
                "a window needs a screen, and neither DISPLAY nor WAYLAND_DISPLAY is set here. Run this in a terminal of "
                    + "your desktop, or record the visit with the developer tools of any browser and give the file: countersign "
                    + "script new --from FILE", status: 2)
        }
        let all = [origin] + origins
        let script = BankScript(
            id: "recording", name: origin, origins: all, isForTesting: all.allSatisfy(\.isLoopbackOrigin),
            engine: .browser, steps: [])
        let authority = try authority.file
        let recording = try await record(script, authority)
        guard recording.hasDownload else {
            throw CommandFailure(
                "no document came during the visit; record it again, and fetch one statement before you close the window"
            )
        }
        var draft: ScriptDraft
        do {
            draft = try recording.draft()
        } catch {
            throw CommandFailure("\(error)")
        }
        let review = draft.review(as: "recording")
        var verdict: EngineTrial.Verdict?
        if case .lint = review.outcome {
        } else if !skipTrial {
            verdict = await tryOut(draft, of: recording, authority)
            if let engine = verdict?.engine { draft.script.engine = engine }
        }
        try write(draft)
        if !review.warnings.isEmpty || verdict == nil { Console.standard.lines(review.text) }
        if let verdict { Console.standard.lines(verdict.text, verdict.engine == nil ? .bad : .good) }
        if case .lint = review.outcome { throw ExitCode(1) }
        if let verdict, verdict.engine == nil { throw ExitCode(1) }
    }

    private func origin() throws -> String {
        guard let address = try? URLRecord(parsing: url), ["http", "https"].contains(address.scheme),
            let origin = Origin(of: address)
        else {
            throw CommandFailure(
                "“\(url)” is not the address of a page; write for example https://bank.example/login", status: 2)
        }
        return origin.description
    }

    private func record(_ script: BankScript, _ authority: URL?) async throws -> LiveRecording {
        let engine: BrowserNavigationEngine
        do {
            engine = try await BrowserNavigationEngine.start(
                for: script,
                configuration: ChromiumConfiguration(
                    certificateAuthority: authority, isHeaded: !headless, sharesNetwork: sharedNetwork))
        } catch {
            throw CommandFailure("\(error)", status: 2)
        }
        let interrupt = Task {
            await StopSignal.wait()
            guard !Task.isCancelled else { return }
            await engine.close()
            Foundation.exit(130)
        }
        defer { interrupt.cancel() }
        let session = RecordingSession(url: url)
        do {
            let actions = try await engine.record()
            try await engine.open(url)
            Console.standard.line(
                "The window is open. Fetch one statement, sign out, and close the window. Here: undo, done.", .bold)
            await session.run(actions, lines: Self.typedLines())
        } catch {
            await engine.close()
            throw CommandFailure("\(error)")
        }
        await engine.close()
        for origin in Set(await engine.refusedOrigins).sorted() {
            Console.standard.line("refused: \(origin); add --origin \(origin) if the bank needs it", .faint)
        }
        return await session.recording
    }

    /// The lines that the person types. They end with the input.
    private static func typedLines() -> AsyncStream<String> {
        let (lines, sink) = AsyncStream<String>.makeStream()
        // Reading blocks: use a thread of its own, not one of the cooperative pool.
        Thread.detachNewThread {
            while let line = readLine(strippingNewline: true) { sink.yield(line) }
            sink.finish()
        }
        return lines
    }

    private func tryOut(
        _ draft: ScriptDraft, of recording: LiveRecording, _ authority: URL?
    ) async -> EngineTrial.Verdict {
        Console.standard.line("The script signs in again, to try both engines.", .bold)
        let trial = EngineTrial(
            draft: draft, credentials: recording.credentials, person: FileOrTerminalPrompt(code: nil),
            observer: StepPrinter(json: false))
        return await trial.run { engine, script in
            try await engine.start(
                for: script, EngineConfiguration(certificateAuthority: authority), isHeaded: !headless,
                sharesNetwork: sharedNetwork)
        }
    }

    private func write(_ draft: ScriptDraft) throws {
        guard let output else { return Console.standard.text(draft.yaml) }
        try FileManager.default.createFile(exclusively: output, Data(draft.yaml.utf8))
        Console.standard.line("Wrote \(output).")
    }
}
