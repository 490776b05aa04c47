import ArgumentParser
import Automation
import BankScript
import Foundation
import JSON
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

    func run() async throws {
        let loaded = try script.load()
        let source = script.source
        try ScriptLint.refuse(loaded, source: source)
        let values = try parsedParameters(for: loaded)
        let answers = try CredentialsFile(path: credentials)
        let folder = try outputFolder()
        let services = HostServices(
            credentials: answers, person: FileOrTerminalPrompt(code: answers.code), downloads: FolderSink(folder),
            observer: StepPrinter(json: json))
        let engine = EngineConfiguration(certificateAuthority: certificateAuthority.map { URL(filePath: $0) })
        let runner = ScriptRunner(services: services) { try HTMLNavigationEngine(for: $0, configuration: engine) }
        let document: FetchedDocument
        do {
            document = try await runner.run(loaded, parameters: values)
        } catch {
            throw CommandFailure(error.report(source: source))
        }
        try keep(document, of: loaded, values)
    }

    private func parsedParameters(for loaded: BankScript) throws -> [String: Int] {
        var values: [String: Int] = [:]
        for text in parameters {
            let halves = text.split(separator: "=", maxSplits: 1)
            guard halves.count == 2, let value = Int(halves[1]) else {
                throw CommandFailure("“\(text)” is no parameter; write for example --param month=1", status: 2)
            }
            values[String(halves[0])] = value
        }
        for parameter in loaded.parameters {
            guard let value = values[parameter.name] else {
                throw CommandFailure(
                    "the script needs \(parameter.name); add --param \(parameter.name)=\(parameter.range.lowerBound)",
                    status: 2)
            }
            guard parameter.range.contains(value) else {
                let range = "\(parameter.range.lowerBound) to \(parameter.range.upperBound)"
                throw CommandFailure("\(parameter.name) is \(value); it goes from \(range)", status: 2)
            }
        }
        return values
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

/// Credentials from a JSON file, for a run at the desk.
struct CredentialsFile: CredentialProvider {
    private let secrets: [String: Secret]

    /// All of them but the code.
    var all: [String: Secret] { secrets.filter { $0.key != "code" } }

    var code: Secret? { secrets["code"] }

    init(path: String) throws {
        let data: Data
        do {
            data =
                path == "-" ? FileHandle.standardInput.readDataToEndOfFile() : try Data(contentsOf: URL(filePath: path))
        } catch {
            throw CommandFailure("\(path) cannot be read; check that the file is there and yours to read", status: 2)
        }
        let json: JSONValue
        do {
            json = try JSONReader.read(data)
        } catch {
            throw CommandFailure("\(path) is not JSON: \(error)", status: 2)
        }
        guard case .object(let members) = json else {
            throw CommandFailure(
                "\(path) holds no JSON object; write {\"username\": \"…\", \"password\": \"…\"}", status: 2)
        }
        secrets = members.compactMapValues { $0.stringValue.map(Secret.init) }
    }

    func credential(named name: String, forBank bankID: String) async throws -> Secret? { secrets[name] }
}

/// Answers with the code of the credentials file, or asks at the terminal.
struct FileOrTerminalPrompt: HumanPrompt {
    let code: Secret?

    func answer(_ prompt: Prompt) async throws -> Secret {
        if case .confirmElsewhere = prompt.kind {
            Console.standard.line("\(prompt.bankName): \(prompt.question)")
            try await Task.sleep(for: .seconds(86_400))
            return Secret("")
        }
        if case .code = prompt.kind, let code { return code }
        return try await TerminalPrompt().answer(prompt)
    }
}
