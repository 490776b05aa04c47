import ArgumentParser
import Authoring
import Automation
import BankScript
import CountersignPlugins
import Encodings
import Foundation
import HTMLAutomation
import Terminal

struct ScriptMendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mend", abstract: "Propose changes to a script whose bank has changed its page.",
        discussion: """
            The old recording is one of a run that worked, and the new one is of the run that failed, or of a visit to the \
            changed bank: `script run --record` writes both. The script is replayed against the new recording. Where a step \
            finds nothing, the page's other names and ways are compared with the old page, and each change is replayed against \
            both recordings. You see each change with its reason, the difference in the file, and the difference in what you \
            would accept.

            A credential never goes to another field, form or origin: such a change is refused. So is a page that shows \
            trouble, asks for a consent, or is another bank's. Nothing is accepted or sent, and the file stays as it is.

            Exit status: 0 a changed script, or nothing to change; 1 refused; 2 usage; 3 the script is invalid.
            """)

    @Argument(help: "A YAML file.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @Option(
        help: "A recording of a run that worked, as script run --record writes it.",
        completion: .file(extensions: ["har"]))
    var old: String?

    @Option(
        help: "A recording of the run that failed, or of a visit to the changed bank.",
        completion: .file(extensions: ["har"]))
    var new: String?

    @OptionGroup var parameters: TwoRecordingsOptions

    @Option(
        help: ArgumentHelp("Write the changed script to this new file.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var output: String?

    func validate() throws { _ = try recordings() }

    /// Returns the paths of both recordings. One message speaks of both.
    private func recordings() throws -> (old: String, new: String) {
        guard let old, let new else {
            throw ValidationError(
                "give --old FILE, a recording of a run that worked, and --new FILE, one of the run that failed; each is written by: "
                    + "countersign script run \(file) --record FILE")
        }
        return (old, new)
    }

    func run() async throws {
        let (old, new) = try recordings()
        let source = try ScriptFile(path: file)
        let script = try source.script()
        try ScriptLint.refuse(script, source: source.text)
        guard script.documentSource == nil, !script.printsPage else {
            throw CommandFailure("a mend replays pages, and this script has none to replay", status: 2)
        }
        if let output, FileManager.default.fileExists(atPath: output) {
            throw CommandFailure("\(output) already exists; move it away or give --output another name", status: 2)
        }
        let (values, oldValues) = try parameters.values(for: script)
        let mend = ScriptMend(
            script, old: try RecordingFile.read(old), new: try RecordingFile.read(new), oldParameters: oldValues,
            newParameters: values)
        let mended: MendedScript
        do {
            mended = try await mend.propose()
        } catch {
            throw CommandFailure("refused (\(error.kind.rawValue)): \(error)")
        }
        guard !mended.changes.isEmpty else {
            Console.standard.line("The script matches both recordings: there is nothing to change.")
            return
        }
        let text = MendedText(mended, of: script, source: source.text)
        show(mended, text, of: script, source)
        if let output {
            try FileManager.default.createFile(exclusively: output, Data(text.text.utf8))
            Console.standard.line("Written: \(output). Try it, and then: countersign script accept \(output)")
        } else {
            Console.standard.line("Nothing is written: give --output for that.", .faint)
        }
    }

    private func show(_ mended: MendedScript, _ text: MendedText, of script: BankScript, _ source: ScriptFile) {
        let console = Console.standard
        for change in mended.changes {
            console.line("\(change.step.inLine(limit: 200))", .bold)
            console.line("  \(change.words.inLine(limit: 300))")
            console.line("  because \(change.reason.inLine(limit: 400))")
            console.line(
                "  score \(String(format: "%.2f", change.score)), "
                    + (change.isConfirmed ? "and the recording confirms it" : "and the recording ends before it shows"))
        }
        if let step = mended.endsAt {
            console.line(
                "The new recording ends at: \(step.inLine(limit: 200)). Run the changed script, and mend again if it stops later."
            )
        } else {
            console.line("The changed script goes to its end in both recordings.")
        }
        console.line("")
        console.line("The file", .bold)
        for line in LineDifference(from: source.text, to: text.text).lines {
            console.line("  \(line.visible)", line.hasPrefix("+") ? .bold : .faint)
        }
        if text.isRewritten {
            console.line("  The whole file is written anew, without its comments.", .bad)
        }
        console.line("What you would accept", .bold)
        console.show(
            AcceptanceDescription.difference(
                of: ScriptDisclosure(mended.script), from: ScriptDisclosure(script).comparable))
        console.line("  sends to the same origins, the same secrets in the same places")
    }
}
