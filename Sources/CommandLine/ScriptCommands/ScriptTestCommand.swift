import ArgumentParser
import Authoring
import BankScript
import Foundation
import ScriptTesting
import Terminal

struct ScriptTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Run a script against the mock bank and recordings, as a matrix says.",
        discussion: """
            A matrix is a YAML file with the expected outcome of each scenario: a statement, or an error code with its \
            reason. A row may name a recording of the real bank instead of a scenario, as `script run --record` or a \
            browser makes it: “- har: wrong-pin.har” and “expect: { BANK_LOGIN_FAILED: wrong_credentials }”; it runs \
            without a network and without credentials. At the end stand the outcomes that the script declares and no \
            row exercised. The matrix of SCRIPT.yaml is SCRIPT.test.yaml beside it. An unexpected success is a failure.

            Exit status: 0 everything as expected, 1 an unexpected outcome, 2 usage, 3 a script or the matrix is invalid.
            """)

    @Argument(help: "A YAML file.", completion: .file(extensions: ["yaml", "yml"]))
    var script: String

    @Option(help: "The matrix; by default the one beside the script.", completion: .file(extensions: ["yaml", "yml"]))
    var matrix: String?

    @Option(help: ArgumentHelp("Also write a JUnit XML report to this file.", valueName: "file"))
    var junit: String?

    @Flag(help: "Print TAP version 13 instead of a table.")
    var tap = false

    @Flag(help: "Print JSON instead of a table.")
    var json = false

    @Option(help: "The number of scenarios that run at a time; by default 8, and 2 in a browser.")
    var jobs: Int?

    @Option(help: "The engine: html, or browser for Chromium.")
    var engine = ScriptEngine.html

    @Flag(help: .sharedNetwork)
    var sharedNetwork = false

    func validate() throws {
        guard !(tap && json) else { throw ValidationError("give --tap or --json, not both") }
        guard ScriptEngine.standard.contains(engine) else {
            throw ValidationError("--engine must be html or browser: the bundled bank has no other")
        }
        guard (1...64).contains(jobs ?? 1) else { throw ValidationError("--jobs must be 1 to 64") }
    }

    func run() async throws {
        if let matrix, matrix != "-", !FileManager.default.fileExists(atPath: TypedPath.expanded(matrix)) {
            throw CommandFailure(
                "the matrix \(matrix) does not exist; name the YAML file with the expected outcome of each scenario",
                status: 2)
        }
        guard
            script == "-" || ScriptFile.isName(script)
                || FileManager.default.fileExists(atPath: TypedPath.expanded(script))
        else {
            throw CommandFailure(
                "script test takes the file of a script, such as my-bank.yaml, and not a name such as “\(script.inLine(limit: 80))”",
                status: 2)
        }
        let file = try ScriptFile(path: script)
        guard matrix != nil || FileManager.default.fileExists(atPath: TypedPath.expanded(matrixPath)) else {
            throw CommandFailure(
                "\(script) has no tests: \(matrixPath) does not exist. Write it (docs/scripts.md tells how), or name another "
                    + "file with --matrix", status: 2)
        }
        let rows = try read(ScriptFile(path: matrixPath), of: try subject(file))
        // A browser takes half a gigabyte.
        let runner = MatrixRunner(
            simultaneous: jobs ?? (engine == .browser ? 2 : 8), engine: engine, sharesNetwork: sharedNetwork)
        let report = try await runner.run(rows)
        if let junit { try write(report.junit(suite: script), to: junit) }
        let console = Console.standard
        if tap {
            console.lines(report.tap)
        } else if json {
            console.line(report.json.compactText())
        } else {
            console.lines(report.table)
        }
        if !report.failed.isEmpty { throw ExitCode(1) }
    }

    private var matrixPath: String {
        if let matrix { return matrix }
        guard let dot = script.lastIndex(of: ".") else { return script + ".test.yaml" }
        return script[..<dot] + ".test.yaml"
    }

    private func subject(_ file: ScriptFile) throws -> ScriptMatrix.Subject {
        let loaded = try file.script()
        try ScriptLint.refuse(loaded, source: file.text)
        return ScriptMatrix.Subject(loaded, source: file.text)
    }

    private func read(_ file: ScriptFile, of subject: ScriptMatrix.Subject) throws -> ScriptMatrix {
        let folder = URL(filePath: file.path).deletingLastPathComponent()
        do {
            return try ScriptMatrix(yaml: file.text, file: file.path, of: subject, recording: recordings(in: folder)) {
                path in
                try self.subject(ScriptFile(path: folder.appending(path: path).relativePath))
            }
        } catch let error as ScriptSyntaxError {
            throw CommandFailure(error.described(in: file.text), status: 3)
        }
    }

    private func recordings(in folder: URL) -> (String) throws -> HTTPArchive {
        { path in try RecordingFile.read(folder.appending(path: path).relativePath) }
    }

    private func write(_ text: String, to path: String) throws {
        do {
            try Data(text.utf8).write(to: URL(filePath: path))
        } catch {
            throw CommandFailure(
                "\(path) cannot be written; check that its folder exists and that you may write to it", status: 2)
        }
    }
}
