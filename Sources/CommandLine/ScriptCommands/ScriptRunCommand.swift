import ArgumentParser
import Authoring
import Automation
import BankScript
import CountersignPlugins
import Foundation
import HTMLAutomation
import HTMLEngine
import Messages
import Secrets
import Terminal

struct ScriptRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run a script against its bank.",
        discussion: """
            Exit status: 0 success, 1 the run failed, 2 usage, 3 the script is invalid.

            The credentials are a JSON object such as {"username": "…", "password": "…"}. A “code” in it answers the \
            bank's request for a one-time code; without it you are asked.
            """)

    @OptionGroup var script: ScriptArgument

    @Option(name: .customLong("param"), help: "A parameter, e.g. month=1 or from=2026-01-31; repeat for each.")
    var parameters: [String] = []

    @Option(
        help:
            "The first of several months, e.g. 2025-01, or a day, e.g. 2025-01-15: one sign-in, and a document for each month."
    )
    var from: StatementDay?

    @Option(help: "The last of several months, e.g. 2025-12 or last-month, or the last day.")
    var to: StatementDay?

    @Option(help: "The kinds of documents, such as pdf,camt; with --from and --to. By default pdf.")
    var kinds: DocumentKinds?

    @Option(
        help:
            "An account by its alias, with --from and --to; repeat for each. By default the first that the bank lists.")
    var account: [AccountName] = []

    @Option(help: "A JSON file with the credentials; - for standard input. Needed unless you sign in with --attach.")
    var credentials: String?

    @Option(
        help: ArgumentHelp(
            "Keep what a source of documents needs at its next visit in this file, which is made: with FinTS the system id, the TAN "
                + "method and the bank's parameters. It can stand in for a second factor. Without it, each visit is the first.",
            valueName: "file"), completion: .file(extensions: ["json"]))
    var memory: String?

    @Option(help: "The folder for the statement.")
    var output: String = "."

    @OptionGroup var authority: AuthorityOption

    @Flag(help: "Do everything except keep the statement, and print its name, size and SHA-256.")
    var dryRun = false

    @Flag(help: "Print one JSON event per line.")
    var json = false

    @OptionGroup var engines: EngineOptions

    @OptionGroup var watching: WatchingOptions

    @Option(
        help: ArgumentHelp(
            "Write a masked recording (HAR) of the run to this file: no credential, and invented account numbers and "
                + "amounts. Names, addresses and purposes of payments stay. `script replay` and a matrix run scripts against it.",
            valueName: "file"),
        completion: .file(extensions: ["har"]))
    var record: String?

    @Option(
        help: ArgumentHelp(
            "Stop after this step: its number, or a part of its words.", valueName: "step"))
    var until: String?

    @Option(
        help: ArgumentHelp(
            "Open the shell before this step, on the current page; `continue` resumes the run.", valueName: "step"))
    var pauseAt: String?

    func validate() throws {
        guard !engines.attach || credentials != "-" else {
            throw ValidationError("--attach waits for you at standard input; give the credentials in a file")
        }
    }

    func run() async throws {
        let whole = try script.loadValid()
        let authority = try authority.file
        guard credentials != nil || engines.attach else {
            throw CommandFailure(
                "give --credentials FILE, a JSON file such as {\"username\": \"…\", \"password\": \"…\"} that only you can read, "
                    + "or - for standard input", status: 2)
        }
        let attached = engines.attach ? AttachedSignIn(whole) : nil
        if engines.attach, attached == nil {
            throw CommandFailure(
                "--attach: the script opens no page to sign in on with the browser's window", status: 2)
        }
        let loaded = attached?.script ?? whole
        let places = try places(for: loaded)
        let values = try ScriptParameters.parse(
            parameters, for: loaded, except: places == nil ? [] : ["month", "year"])
        if memory != nil, loaded.documentSource == nil {
            throw CommandFailure("--memory is for a bank's file with a “source”, and this one has steps", status: 2)
        }
        let answers = try credentials.map { try CredentialsFile(path: $0, for: loaded) }
        let folder = try outputFolder()
        try checkStep(until, of: "--until", in: loaded, values)
        try checkStep(pauseAt, of: "--pause-at", in: loaded, values)
        let documents = MonthlyDocuments(isDryRun: dryRun, json: json) { place in
            destination(of: loaded, values.merging(place.period.parameters) { $1 }, place, in: folder)
        }
        if !dryRun {
            if let places {
                for place in places { try checkIsFree(documents.destination(place)) }
            } else {
                try checkIsFree(destination(of: loaded, values, in: folder))
            }
        }
        let watch = try watching.watch(loaded, source: script.source, printing: StepPrinter(json: json))
        let choice = try engines.choice(for: loaded)
        let recording = try record.map { try startRecording(to: $0, on: choice) }
        let given = WatchedCredentials(answers as (any CredentialProvider)? ?? AskedCredentials(nil))
        var services = HostServices(
            credentials: given, person: FileOrTerminalPrompt(code: answers?.code), downloads: FolderSink(folder),
            observer: watch.observer)
        if let memory { services.memory = try FileSourceMemory(path: memory) }
        services.codeSources = Plugins.current.codeSources
        services.sources = Plugins.current.sources(EngineSettings(certificateAuthority: authority))
        if let recording { services = recording.observing(services) }
        let stops = stops(of: loaded, values, services)
        services.gate = attached?.gate(before: stops) { _ in try await Self.awaitSignIn() } ?? stops
        let engine = EngineConfiguration(
            certificateAuthority: authority, observer: observers(watch.exchanges, recording))
        // A person at the shell has no time limit.
        let limit = pauseAt == nil && !engines.attach ? ScriptRunner.executionLimit : .seconds(86_400)
        let prepared = services
        @Sendable func perform(on kind: ScriptEngine) async -> Result<FetchedDocument?, RunFailure> {
            let runner = ScriptRunner(services: prepared, limit: limit) { script in
                watch.engine(try await engines.start(kind, for: script, engine, watch.browser))
            }
            guard let places else { return await runner.result(of: loaded, parameters: values).map(Optional.some) }
            return await runner.result(of: loaded, fetching: places, parameters: values, documents).map { nil }
        }
        var outcome = await perform(on: choice.first)
        if choice == .auto, case .failure(let failure) = outcome, failure.reason == .javascriptRequired,
            !given.wereGiven
        {
            if !json {
                Console.standard.line("The bank needs JavaScript: the script starts again in a browser.", .faint)
            }
            outcome = await perform(on: .browser)
        }
        try watch.end()
        if let record, let recording { try write(recording, to: record) }
        switch outcome {
        case .success(let document?): try keep(document, of: loaded, values)
        case .success(nil): break
        case .failure(let failure):
            guard stops.hasStopped else {
                let report = failure.report(source: script.source)
                guard watch.visited != nil else { throw CommandFailure(report) }
                Console.standard.error(report)
                try watch.offerSurvey()
                throw ExitCode(1)
            }
            if !json { Console.standard.line("Stopped as requested.") }
        }
        try documents.checkAllCame(places ?? [])
        if let until, !stops.hasMetEnd { throw CommandFailure("no step matches “\(until)”; the run went to its end") }
        if let pauseAt, !stops.hasPaused, !stops.hasStopped {
            throw CommandFailure("no step matches “\(pauseAt)”; the run went to its end")
        }
    }

    /// Waits until the person says that they have signed in.
    private static func awaitSignIn() async throws {
        Console.standard.line("Sign in in the window. Then press Enter here.", .bold)
        // Reading blocks: use a thread of its own, not one of the cooperative pool.
        let line = await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: readLine()) }.start()
        }
        guard line != nil else {
            throw RunFailure(.navigationFailed, reason: .cancelled, message: "the input ended before you signed in")
        }
    }

    /// - Throws: ``CommandFailure`` with status 2 when no recording can be written.
    private func startRecording(to path: String, on engine: EngineOptions.Choice) throws -> MaskedRecording {
        if engine.first != .html {
            throw CommandFailure("--record needs the HTML engine; add --engine html", status: 2)
        }
        guard !FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure("\(path) already exists; move it away or give --record another name", status: 2)
        }
        return MaskedRecording()
    }

    private func observers(
        _ watch: (@Sendable (Exchange) -> Void)?, _ recording: MaskedRecording?
    ) -> (@Sendable (Exchange) -> Void)? {
        guard let recording else { return watch }
        return { exchange in
            recording.record(exchange)
            watch?(exchange)
        }
    }

    private func write(_ recording: MaskedRecording, to path: String) throws {
        try FileManager.default.createFile(exclusively: path, Data(try recording.archive.redacted()), isPrivate: true)
        guard !json else { return }
        Console.standard.line("Recording: \(path)", .faint)
        Console.standard.line("  \(MaskedRecording.whatStays) Read it before you share it.", .faint)
    }

    /// Checks the step that `--until` or `--pause-at` names, before the bank is contacted.
    private func checkStep(
        _ name: String?, of option: String, in loaded: BankScript, _ values: [String: ParameterValue]
    ) throws {
        guard let name, !StepName(name).isPossible(in: loaded, parameters: values) else { return }
        let steps = loaded.stepsForOnePeriod.enumerated().map { "  \($0 + 1)  \($1.action.words)" }.joined(
            separator: "\n")
        throw CommandFailure(
            "\(option): no step matches “\(name)”; give a step's number or some of its words:\n\(steps)", status: 2)
    }

    /// - Parameter place: which of several documents; nil for the statement.
    private func destination(
        of loaded: BankScript, _ values: [String: ParameterValue], _ place: DocumentPlace? = nil, in folder: URL
    ) -> URL {
        let named = loaded.parameters.map { "\($0.name)-\((values[$0.name]?.text ?? "").inFileName)" }
            .joined(separator: "-")
        let account = place?.account.map { "-\($0.description.inFileName)" } ?? ""
        let kind = place?.kind ?? loaded.usualKind
        let part = place.map { $0.part == 1 ? "" : "-\($0.part)" } ?? ""
        return folder.appending(path: "\(loaded.id)\(account)-\(named)\(part).\(kind.fileExtension)")
    }

    private func checkIsFree(_ destination: URL) throws {
        guard FileManager.default.fileExists(atPath: destination.path) else { return }
        throw CommandFailure("\(destination.path) already exists; move it away or give another --output", status: 2)
    }

    private func stops(of loaded: BankScript, _ values: [String: ParameterValue], _ services: HostServices)
        -> StepBreakpoints
    {
        StepBreakpoints(after: until.map(StepName.init), pausingAt: pauseAt.map(StepName.init)) { place, engine in
            Console.standard.line(
                "Before step \(place.number), \(place.words): `continue` resumes the run, `help` lists the commands.",
                .bold)
            let shell = ScriptShell(loaded, parameters: values, engine: engine, services: services)
            if try await ShellLoop(shell: shell).run() { throw RunStopped() }
        }
    }

    private func outputFolder() throws -> URL {
        if dryRun { return FileManager.default.temporaryDirectory }
        let folder = URL(filePath: output, directoryHint: .isDirectory)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
            throw CommandFailure("\(output) is not a folder; create it first: mkdir -p \(output)", status: 2)
        }
        return folder
    }

    private func keep(_ document: FetchedDocument, of loaded: BankScript, _ values: [String: ParameterValue]) throws {
        let destination = destination(of: loaded, values, in: document.file.deletingLastPathComponent())
        let about = "\(document.bytes) bytes, SHA-256 \(document.sha256)"
        if dryRun {
            try FileManager.default.removeItem(at: document.file)
            if !json { Console.standard.line("Dry run: would keep \(destination.lastPathComponent), \(about)") }
            return
        }
        do {
            try checkIsFree(destination)
        } catch {
            try FileManager.default.removeItem(at: document.file)
            throw error
        }
        try OwnersFile.close(document.file)
        try FileManager.default.moveItem(at: document.file, to: destination)
        if !json {
            Console.standard.line("\(loaded.usualKind.rawValue.uppercased()): \(destination.path) (\(about))")
        }
    }
}

extension String {
    /// The text with only letters, digits, - and _, for the name of a file.
    fileprivate var inFileName: String {
        String(prefix(60).map { $0.isLetter || $0.isNumber || $0 == "-" ? $0 : "_" })
    }
}
