import ArgumentParser
import Authoring
import Automation
import BankScript
import Foundation
import HTMLAutomation
import Terminal

struct ScriptReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Run a script offline against a recording.",
        discussion: """
            The recording is a HAR file from a browser's developer tools (Network, “Save all as HAR with content”) or from \
            a trace, or one that `script run --record` made. Nothing is sent to a network, and no credentials are needed. \
            Every value that the script submits is compared with the recording, hidden fields included; a credential must \
            go where the recording has one. Values that the recording hides are named at the end.

            Exit status: 0 success, 1 the script does not match the recording, 2 usage, 3 the script is invalid.
            """)

    @OptionGroup var script: ScriptArgument

    @Option(help: "The recording.", completion: .file(extensions: ["har"]))
    var har: String

    @Option(name: .customLong("param"), help: "A parameter, e.g. month=1; repeat for each.")
    var parameters: [String] = []

    @Flag(help: "Print one JSON event per line.")
    var json = false

    @OptionGroup var watching: WatchingOptions

    func run() async throws {
        // No bank counts what is sent to a recording.
        let loaded = try script.loadValid(passing: [ScriptLint.openQuestion])
        guard !loaded.printsPage else {
            throw CommandFailure(
                "the script prints a page, and a recording has no browser to print it; run the script at the bank",
                status: 2)
        }
        let archive = try RecordingFile.read(har)
        let values = try ScriptParameters.parse(parameters, for: loaded)
        guard archive.exchanges.contains(where: { $0.responseBody?.isEmpty == false }) else {
            throw CommandFailure(
                "\(har) has no answer's body, so it cannot be replayed: a trace of a run in the browser has only the heads of "
                    + "exchanges. Record the visit as a HAR file with content, or trace a run with --engine html",
                status: 2)
        }
        let recording = ReplayTransport(archive)
        let watch = try watching.watch(loaded, source: script.source, printing: StepPrinter(json: json))
        let folder = FileManager.default.temporaryDirectory
        let answers = ReplayAnswers()
        let services = HostServices(
            credentials: answers, person: answers, downloads: FolderSink(folder),
            observer: watch.observer)
        let configuration = EngineConfiguration(transport: recording, observer: watch.exchanges)
        let runner = ScriptRunner(services: services) { script in
            watch.engine(try HTMLNavigationEngine(for: script, configuration: configuration))
        }
        let outcome = await runner.result(of: loaded, parameters: values)
        try watch.end()
        switch outcome {
        case .success(let document):
            try FileManager.default.removeItem(at: document.file)
            guard !json else { return }
            Console.standard.line("The script matches the recording; it used \(recording.used) exchanges.")
            if !recording.hidden.isEmpty {
                Console.standard.line(
                    "Not compared, because the recording hides them: \(recording.hidden.joined(separator: ", ")).")
            }
        case .failure(let failure): throw CommandFailure("\(failure)" + Self.limit(of: loaded, endedBy: failure))
        }
    }

    /// Explains a failure that a recording without a browser cannot avoid.
    private static func limit(of script: BankScript, endedBy failure: RunFailure) -> String {
        let isMissing = failure.code == .navigationFailed || failure.reason == .timeout
        guard failure.reason == .javascriptRequired || script.engine == .browser && isMissing else { return "" }
        return
            "\na recording has no browser: a page that JavaScript makes cannot be replayed. The steps before this one match the "
            + "recording; try this one at the bank: countersign script run FILE --engine browser"
    }
}

/// Reads HAR files.
enum RecordingFile {
    /// The most bytes of a recording. One of a visit with pictures and scripts may have hundreds of megabytes.
    private static let largest = 1 << 30

    /// - Throws: ``CommandFailure`` with status 2.
    static func read(_ path: String) throws -> HTTPArchive {
        let bytes = try TypedPath.bytes(path, atMost: largest)
        do {
            return try HTTPArchive(reading: bytes)
        } catch {
            throw CommandFailure("\(path): \(error)", status: 2)
        }
    }
}
