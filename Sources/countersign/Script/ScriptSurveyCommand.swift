import ArgumentParser
import Automation
import BankScript
import Foundation
import HTMLEngine

struct ScriptSurveyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "survey", abstract: "Describe a bank’s pages to whoever writes the script, without what is yours.",
        discussion: """
            The survey says what the pages are made of: labels, names of fields, words of links, headings of tables, \
            members of JSON answers. Values, numbers and names are left out, and each line is shown to you before it is \
            written.

            The pages are those that a script meets, or those of a recording: in any browser, open the developer tools, \
            the Network panel, switch “Preserve log” on, visit the bank, and save with “Save all as HAR with content”. \
            Send the survey, never the recording: that holds your password.
            """)

    @Argument(help: "A bank’s id or a YAML file; leave it out with --har.")
    var script: String?

    @Option(help: "A recording of a visit.", completion: .file(extensions: ["har"]))
    var har: String?

    @Option(name: .customLong("at"), help: "Run the script against this origin instead of its own; once for each.")
    var origins: [String] = []

    @Option(name: .customLong("param"), help: "A parameter, such as month=1; give one for each.")
    var parameters: [String] = []

    @Option(help: "A JSON file with the credentials.")
    var credentials: String?

    @Option(
        name: .customLong("ca"), help: "A PEM file with one more certificate authority, such as a mock bank’s.",
        completion: .file(extensions: ["pem"]))
    var certificateAuthority: String?

    @Option(help: "The file that the survey is written to; it must not exist.")
    var output = "survey.txt"

    @Flag(name: .customLong("all"), help: "Show all lines at once, and ask once.")
    var isAtOnce = false

    func validate() throws {
        guard (script == nil) != (har == nil) else {
            throw ValidationError("name a script to run, or a recording with --har")
        }
    }

    func run() async throws {
        let survey: Survey
        do {
            survey = try Survey(of: try await visited())
        } catch let error as DraftError {
            throw CommandFailure("\(error)")
        }
        try SurveyReview(isAtOnce: isAtOnce).write(survey, to: output)
    }

    private func visited() async throws -> HTTPArchive {
        if let har { return try RecordingFile.read(har) }
        let argument = try ScriptArgument.parse([script ?? ""] + origins.flatMap { ["--at", $0] })
        let loaded = try argument.loadValid()
        let values = try ScriptParameters.parse(parameters, for: loaded)
        guard let credentials else {
            throw CommandFailure("the script signs in; give the credentials with --credentials", status: 2)
        }
        let answers = try CredentialsFile(path: credentials)
        let visited = VisitedPages()
        let services = HostServices(
            credentials: answers, person: FileOrTerminalPrompt(code: answers.code),
            downloads: FolderSink(FileManager.default.temporaryDirectory), observer: StepPrinter(json: false))
        let engine = EngineConfiguration(
            certificateAuthority: certificateAuthority.map { URL(filePath: $0) }, observer: visited.add)
        let runner = ScriptRunner(services: services) { try HTMLNavigationEngine(for: $0, configuration: engine) }
        do throws(RunFailure) {
            let document = try await runner.run(loaded, parameters: values)
            try? FileManager.default.removeItem(at: document.file)
        } catch {
            // The script's author needs the pages up to the failure.
            Console.standard.line("\(error)", .faint)
        }
        return visited.archive
    }
}
