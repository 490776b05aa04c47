import ArgumentParser
import Authoring
import Automation
import BankScript
import Foundation
import HTMLAutomation
import Secrets
import Terminal
import WebURL

struct ScriptShellCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell", abstract: "Try steps one by one in a live session.",
        discussion: """
            Type `help` for the commands. Each line is a step in short form (press Sign in) or in a script's form (press: \
            Sign in); `steps` prints the steps so far as YAML. Lines may come from a pipe; then the first line that fails \
            ends the shell with status 1.

            With a script's file, the shell has the script's origins, its engine and its answers to dialogs, and opens its first \
            page. With an address, it contacts only the origins named here. http works only for this machine.
            """)

    @Argument(help: "The address to start at, e.g. https://banking.my-bank.example/login, or a script's file.")
    var start: String

    @Option(name: .customLong("origin"), help: "An additional origin that the shell may contact; repeat for each.")
    var origins: [String] = []

    @Option(help: "The engine: html, or browser, which is Chromium with JavaScript. By default, the script's own.")
    var engine: ScriptEngine?

    @Flag(help: "Show the browser's window.")
    var headed = false

    @Flag(help: .sharedNetwork)
    var sharedNetwork = false

    @Option(help: "A JSON file with the credentials; without it you are asked.")
    var credentials: String?

    @OptionGroup var authority: AuthorityOption

    func validate() throws {
        if headed, engine == .html { throw ValidationError("--headed needs --engine browser") }
    }

    /// Returns what the shell knows of the bank, and the first address.
    private func beginning() throws -> (script: BankScript, first: String) {
        if ScriptFile.isName(start) {
            let file = try ScriptFile(path: start)
            var script = try file.script()
            try ScriptLint.refuseUnplugged(script, source: file.text)
            script.origins += origins
            let opened = script.steps.lazy.compactMap { $0.action.as(OpenStep.self)?.reference.source }.first
            guard let first = opened ?? script.origins.first else {
                throw CommandFailure("\(start) names no origin; add `origins` to it", status: 3)
            }
            return (script, first)
        }
        guard let address = try? URLRecord(parsing: start), let origin = Origin(of: address) else {
            throw CommandFailure(
                "“\(start)” is neither a URL nor a script's file; write for example https://bank.example/login, or my-bank.yaml",
                status: 2)
        }
        return (
            BankScript(
                id: "shell", name: "\(origin.host)", origins: [origin.description] + origins,
                isForTesting: origin.host.isLoopback, steps: []),
            start
        )
    }

    func run() async throws {
        let (script, first) = try beginning()
        if credentials == "-" {
            throw CommandFailure("the shell reads standard input; give the credentials in a file", status: 2)
        }
        let authority = try authority.file
        let answers = try credentials.map(CredentialsFile.init)
        let services = HostServices(
            credentials: AskedCredentials(answers), person: FileOrTerminalPrompt(code: answers?.code),
            downloads: FolderSink(URL(filePath: ".", directoryHint: .isDirectory)))
        let engine: any NavigationEngine
        do {
            engine = try await (self.engine ?? (headed ? .browser : script.engine)).start(
                for: script, EngineConfiguration(certificateAuthority: authority), isHeaded: headed,
                sharesNetwork: sharedNetwork)
        } catch let error as EngineError {
            throw CommandFailure(error.message, status: 2)
        }
        // Ctrl-C while a line is being typed: close the session before the program ends.
        let restore = Asking.terminalState()
        let interrupt = Task {
            await StopSignal.wait()
            guard !Task.isCancelled else { return }
            await engine.close()
            restore()
            Console.standard.line()
            Foundation.exit(130)
        }
        defer { interrupt.cancel() }
        let shell = ScriptShell(script, parameters: Self.lastMonth, engine: engine, services: services)
        let opened = await shell.perform("open \(first)")
        for line in opened.lines { Console.standard.lines(line, opened.isFailure ? .bad : .plain) }
        do {
            _ = try await ShellLoop(shell: shell).run()
        } catch {
            await engine.close()
            throw error
        }
        await engine.close()
    }

    /// The values of `{{ month }}` and `{{ year }}` in the shell.
    private static var lastMonth: [String: ParameterValue] {
        let calendar = Calendar(identifier: .gregorian)
        let date = calendar.date(byAdding: .month, value: -1, to: Date()) ?? Date()
        return [
            "month": ParameterValue(calendar.component(.month, from: date)),
            "year": ParameterValue(calendar.component(.year, from: date)),
        ]
    }
}
