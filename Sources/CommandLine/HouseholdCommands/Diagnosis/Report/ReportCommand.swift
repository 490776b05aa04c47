import ArgumentParser
import Foundation
import Machine
import Terminal

package struct ReportCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Write what helps to understand a problem into a file, without secrets.",
        discussion: """
            The file has versions, the findings of countersign doctor, which variables are set, and the end of the logs. \
            Secrets, names, addresses and long numbers are left out. You see all of it before it is written. Nothing is sent.
            """)

    @Argument(help: "The file to write; it must not exist yet.", completion: .file())
    var file = "countersign-report.md"

    @OptionGroup var home: HomeOption

    @Option(help: "How many lines of each log.")
    var lines = 40

    @Flag(help: "Write it without a question.")
    var yes = false

    package init() {}

    package func validate() throws {
        guard (0...1_000).contains(lines) else { throw ValidationError("--lines goes from 0 to 1000") }
    }

    package func run() async throws {
        try await reportingFailures {
            let place = URL(filePath: TypedPath.expanded(file)).standardizedFileURL
            guard !FileManager.default.fileExists(atPath: place.path) else {
                throw CommandFailure("\(file) exists already; give another name, or move it away")
            }
            let installation = Installation(
                environment: ProcessInfo.processInfo.environment, phoneHome: home.folder)
            let findings = await Examination(installation: installation).findings()
            let text = IssueReport(installation: installation, findings: findings, lines: lines).text
            Console.standard.text(text)
            guard yes || Asking.isPossible else {
                throw CommandFailure("nothing was written; read the report above, and give --yes", status: 2)
            }
            guard yes || Asking.yes("Write this to \(file)?") else { throw CommandFailure("nothing was written") }
            try AtomicFile.write(Array(text.utf8), to: place)
            Console.standard.line("\(file) is written; attach it to your issue", .good)
        }
    }
}
