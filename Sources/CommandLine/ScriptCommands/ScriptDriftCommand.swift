import ArgumentParser
import Authoring
import BankScript
import Encodings
import Foundation
import Terminal

struct ScriptDriftCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drift", abstract: "Show what a bank changed on its pages between two recordings.",
        discussion: """
            The script is replayed against both recordings, and the pages before each step are compared: the names and the \
            kinds of links, buttons and fields. Rows of tables and lists do not count, and neither do names with digits. You \
            learn early what changed, and whether the script uses it.

            Exit status: 0 nothing that the script uses changed, 1 something did, 2 usage, 3 the script is invalid.
            """)

    @Argument(help: "A YAML file.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @Option(help: "A recording of a run that worked.", completion: .file(extensions: ["har"]))
    var old: String

    @Option(help: "A later recording.", completion: .file(extensions: ["har"]))
    var new: String

    @OptionGroup var parameters: TwoRecordingsOptions

    func run() async throws {
        let source = try ScriptFile(path: file)
        let script = try source.script()
        try ScriptLint.refuse(script, source: source.text)
        let (values, oldValues) = try parameters.values(for: script)
        let report: DriftReport
        do {
            report = try await DriftReport(
                script, old: try RecordingFile.read(old), new: try RecordingFile.read(new), oldParameters: oldValues,
                newParameters: values)
        } catch let refusal as MendRefusal {
            throw CommandFailure("refused (\(refusal.kind.rawValue)): \(refusal)")
        }
        let console = Console.standard
        var page: String?
        for drift in report.drifts {
            if drift.page != page { console.line(drift.page.inLine(limit: 120), .bold) }
            page = drift.page
            console.line(
                "  \(drift.words.inLine(limit: 300))\(drift.isUsed ? ", and the script uses it" : "")",
                drift.isUsed ? .bad : .plain)
        }
        let used = report.drifts.count(where: \.isUsed)
        if let step = report.endsAt {
            console.line("The new recording was compared up to: \(step.inLine(limit: 200))", .faint)
        }
        guard used > 0 else {
            console.line(
                report.drifts.isEmpty
                    ? "The pages are as they were."
                    : "\(report.drifts.count.counted("change")), and the script uses nothing of what changed.")
            return
        }
        throw CommandFailure(
            "\(used) of \(report.drifts.count.counted("change")) \(used == 1 ? "is" : "are") of what the script uses; to mend it: "
                + "countersign script mend \(file) --old \(old) --new \(new)")
    }
}
