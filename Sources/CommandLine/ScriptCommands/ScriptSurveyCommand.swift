import ArgumentParser
import Authoring
import Automation
import BankScript
import Foundation
import HTMLAutomation
import HTMLEngine
import Terminal

struct ScriptSurveyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "survey", abstract: "Describe a bank's pages for a script's author, without your data.",
        discussion: """
            The survey describes the structure of the pages: labels, names of fields, texts of links, headings of tables, \
            members of JSON answers. Values, numbers and names are left out, and you see each line before it is written.

            The pages are those that a script visits, or those of a recording: in any browser, open the Network panel of \
            the developer tools, turn “Preserve log” on, visit the bank, and save with “Save all as HAR with content”. \
            Send the survey, never the recording, which holds your password.
            """)

    @Argument(help: "A bank's id or a YAML file; not with --har.")
    var script: String?

    @Option(help: "A recording of a visit.", completion: .file(extensions: ["har"]))
    var har: String?

    @Option(
        name: .customLong("at"), help: "Run the script against this origin instead of its own; repeat for each origin.")
    var origins: [String] = []

    @Option(name: .customLong("param"), help: "A parameter, e.g. month=1; repeat for each.")
    var parameters: [String] = []

    @Option(help: "A JSON file with the credentials.")
    var credentials: String?

    @OptionGroup var authority: AuthorityOption

    @Option(help: "The file for the survey; it must not exist yet.")
    var output = "survey.txt"

    @Flag(name: .customLong("all"), help: "Show all lines at once, with one question.")
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
        guard try SurveyReview(isAtOnce: isAtOnce).write(survey, to: output) else { throw ExitCode(1) }
    }

    private func visited() async throws -> HTTPArchive {
        if let har { return try RecordingFile.read(har) }
        let argument = try ScriptArgument.parse([script ?? ""] + origins.flatMap { ["--at", $0] })
        let loaded = try argument.loadValid()
        let values = try ScriptParameters.parse(parameters, for: loaded)
        guard let credentials else {
            throw CommandFailure("the script needs credentials to sign in; give them with --credentials", status: 2)
        }
        let authority = try authority.file
        let answers = try CredentialsFile(path: credentials, for: loaded)
        let visited = VisitedPages()
        let services = HostServices(
            credentials: answers, person: FileOrTerminalPrompt(code: answers.code),
            downloads: FolderSink(FileManager.default.temporaryDirectory), observer: StepPrinter(json: false))
        let engine = EngineConfiguration(certificateAuthority: authority, observer: visited.add)
        let runner = ScriptRunner(services: services) { try HTMLNavigationEngine(for: $0, configuration: engine) }
        do throws(RunFailure) {
            let document = try await runner.run(loaded, parameters: values)
            try? FileManager.default.removeItem(at: document.file)
        } catch {
            // The script's author needs the pages up to the failure.
            Console.standard.lines("\(error)", .faint)
        }
        return visited.archive
    }
}
