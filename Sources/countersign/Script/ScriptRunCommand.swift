import ArgumentParser
import Automation
import BankScript
import Foundation
import Secrets

struct ScriptRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run a script against its bank.",
        discussion: """
            Exit status: 0 done, 1 the bank flow failed, 2 usage, 3 the script is invalid.

            The credentials are a JSON object such as {"username": "…", "password": "…"}; a “code” in it answers the \
            bank’s request for a one-time code, otherwise you are asked.
            """)

    @OptionGroup var script: ScriptArgument

    @Option(name: .customLong("param"), help: "A parameter, such as month=1; give one for each.")
    var parameters: [String] = []

    @Option(help: "A JSON file with the credentials, - for standard input.")
    var credentials: String

    @Option(help: "The folder that the statement is put into.")
    var output: String = "."

    @Option(
        name: .customLong("ca"), help: "A PEM file with one more certificate authority, such as a mock bank’s.",
        completion: .file(extensions: ["pem"]))
    var certificateAuthority: String?

    @Flag(help: "Do everything but keep the result, and print what would be published.")
    var dryRun = false

    @Flag(help: "Print one JSON event a line.")
    var json = false

    @OptionGroup var watching: WatchingOptions

    @Option(
        help: ArgumentHelp(
            "Stop after this step: its number, or some of its words.", valueName: "step"))
    var until: String?

    @Option(
        help: ArgumentHelp(
            "Open the shell before this step, on the page as it is; `continue` goes on.", valueName: "step"))
    var pauseAt: String?

    func run() async throws {
        let loaded = try script.loadValid()
        let values = try ScriptParameters.parse(parameters, for: loaded)
        let answers = try CredentialsFile(path: credentials)
        let folder = try outputFolder()
        let watch = try watching.watch(loaded, printing: StepPrinter(json: json))
        var services = HostServices(
            credentials: answers, person: FileOrTerminalPrompt(code: answers.code), downloads: FolderSink(folder),
            observer: watch.observer)
        let stops = stops(of: loaded, values, services)
        services.gate = stops
        let engine = EngineConfiguration(
            certificateAuthority: certificateAuthority.map { URL(filePath: $0) }, observer: watch.exchanges)
        // A person at the shell has no time limit.
        let limit = pauseAt == nil ? ScriptRunner.executionLimit : .seconds(86_400)
        let runner = ScriptRunner(services: services, limit: limit) { script in
            watch.engine(try HTMLNavigationEngine(for: script, configuration: engine))
        }
        let outcome: Result<FetchedDocument, RunFailure>
        do throws(RunFailure) {
            outcome = .success(try await runner.run(loaded, parameters: values))
        } catch {
            outcome = .failure(error)
        }
        try watch.end()
        switch outcome {
        case .success(let document): try keep(document, of: loaded, values)
        case .failure(let failure):
            guard stops.hasStopped else {
                let report = failure.report(source: script.source)
                guard watch.visited != nil else { throw CommandFailure(report) }
                Console.standard.error(report)
                try watch.offerSurvey()
                throw ExitCode(1)
            }
            if !json { Console.standard.line("Stopped, as asked.") }
        }
        if let until, !stops.hasMetEnd { throw CommandFailure("no step fits “\(until)”; the run went to its end") }
        if let pauseAt, !stops.hasPaused, !stops.hasStopped {
            throw CommandFailure("no step fits “\(pauseAt)”; the run went to its end")
        }
    }

    private func stops(of loaded: BankScript, _ values: [String: Int], _ services: HostServices) -> StepStops {
        StepStops(after: until.map(StepName.init), pausingAt: pauseAt.map(StepName.init)) { place, engine in
            Console.standard.line(
                "Before step \(place.number), \(place.words): `continue` goes on, `help` helps.", .bold)
            let shell = ScriptShell(loaded, parameters: values, engine: engine, services: services)
            if try await ShellLoop(shell: shell).run() { throw RunStopped() }
        }
    }

    private func outputFolder() throws -> URL {
        if dryRun { return FileManager.default.temporaryDirectory }
        let folder = URL(filePath: output, directoryHint: .isDirectory)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
            throw CommandFailure("\(output) is no folder; make it first: mkdir -p \(output)", status: 2)
        }
        return folder
    }

    private func keep(_ document: FetchedDocument, of loaded: BankScript, _ values: [String: Int]) throws {
        let named = loaded.parameters.map { "\($0.name)-\(values[$0.name] ?? 0)" }.joined(separator: "-")
        let name = "\(loaded.id)-\(named).pdf"
        let about = "\(document.bytes) bytes, SHA-256 \(document.sha256)"
        if dryRun {
            try FileManager.default.removeItem(at: document.file)
            if !json { Console.standard.line("Dry run: would keep \(name), \(about)") }
            return
        }
        let destination = document.file.deletingLastPathComponent().appending(path: name)
        guard !FileManager.default.fileExists(atPath: destination.path) else {
            try FileManager.default.removeItem(at: document.file)
            throw CommandFailure("\(destination.path) is there already; move it away or give another --output")
        }
        try FileManager.default.moveItem(at: document.file, to: destination)
        if !json { Console.standard.line("PDF: \(destination.path) (\(about))") }
    }
}
