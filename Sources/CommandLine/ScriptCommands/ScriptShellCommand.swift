import ArgumentParser
import Authoring
import Automation
import BankScript
import Foundation
import HTMLAutomation
import Secrets
import Terminal

struct ScriptShellCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell", abstract: "Try steps one by one in a live session.",
        discussion: """
            Type `help` for the commands. Each line is a step in short form (press Sign in) or in a script's form (press: \
            Sign in); `steps` prints the steps so far as YAML. Lines may come from a pipe; then the first line that fails \
            ends the shell with status 1.

            The shell contacts only the origins named here. http works only for this machine.
            """)

    @Argument(help: "The address to start at, e.g. https://banking.my-bank.example/login.")
    var url: String

    @Option(name: .customLong("origin"), help: "An additional origin that the shell may contact; repeat for each.")
    var origins: [String] = []

    @Option(help: "A JSON file with the credentials; without it you are asked.")
    var credentials: String?

    @Option(
        name: .customLong("ca"), help: "A PEM file with an additional certificate authority, e.g. a mock bank's.",
        completion: .file(extensions: ["pem"]))
    var certificateAuthority: String?

    func run() async throws {
        guard let address = URL(string: url), let scheme = address.scheme, let host = address.host() else {
            throw CommandFailure("“\(url)” is not a URL; write for example https://bank.example/login", status: 2)
        }
        if credentials == "-" {
            throw CommandFailure("the shell reads standard input; give the credentials in a file", status: 2)
        }
        let origin = "\(scheme)://\(host)" + (address.port.map { ":\($0)" } ?? "")
        let script = BankScript(
            id: "shell", name: host, origins: [origin] + origins, isForTesting: origin.isLoopbackOrigin,
            steps: [])
        let answers = try credentials.map(CredentialsFile.init)
        let services = HostServices(
            credentials: AskedCredentials(answers), person: FileOrTerminalPrompt(code: answers?.code),
            downloads: FolderSink(URL(filePath: ".", directoryHint: .isDirectory)))
        let engine: HTMLNavigationEngine
        do {
            engine = try HTMLNavigationEngine(
                for: script,
                configuration: EngineConfiguration(
                    certificateAuthority: certificateAuthority.map { URL(filePath: $0) }))
        } catch {
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
        let first = await shell.perform("open \(url)")
        for line in first.lines { Console.standard.lines(line, first.isFailure ? .bad : .plain) }
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
