import ArgumentParser
import Authoring
import Automation
import BankScript
import Foundation
import Terminal

struct ScriptNewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Write a first script.",
        discussion: """
            Without a recording, writes a template with a comment on each part. To make a recording, open the Network \
            panel of any browser's developer tools, turn “Preserve log” on, sign in, fetch one statement, sign out, and \
            save with “Save all as HAR with content”. The recording holds your password: delete it afterwards. The draft is \
            linted and replayed against the recording, and you see what came of it.
            """)

    @Option(
        help: ArgumentHelp("Start from a recording of a visit that fetched a statement.", valueName: "file"),
        completion: .file(extensions: ["har"]))
    var fromHar: String?

    @Option(
        help: ArgumentHelp("Start from a survey that a user sent.", valueName: "file"),
        completion: .file(extensions: ["txt"]))
    var fromSurvey: String?

    @Option(help: "Write to this file instead of standard output; it must not exist yet.")
    var output: String?

    func validate() throws {
        guard fromHar == nil || fromSurvey == nil else {
            throw ValidationError("start from a recording or from a survey, not from both")
        }
    }

    func run() async throws {
        let archive = try fromHar.map(RecordingFile.read)
        let draft = try draft(archive)
        let text = draft?.yaml ?? ScriptDraft.template
        guard let output else {
            Console.standard.text(text)
            if let archive, let draft { Console.standard.error(await draft.check(against: archive).text) }
            return
        }
        guard FileManager.default.createFile(exclusively: output, Data(text.utf8)) else {
            throw CommandFailure(
                "\(output) cannot be created; if it already exists, move it away or give another name", status: 2)
        }
        Console.standard.line("Wrote \(output); check it with: countersign script lint \(output)")
        if let archive, let draft { Console.standard.line(await draft.check(against: archive).text) }
    }

    /// Returns nil for the template.
    private func draft(_ archive: HTTPArchive?) throws -> ScriptDraft? {
        do {
            if let archive { return try ScriptDraft(recording: archive) }
            guard let fromSurvey else { return nil }
            guard let data = FileManager.default.contents(atPath: fromSurvey) else {
                throw CommandFailure(
                    "\(fromSurvey) cannot be read; check that the file exists and that you may read it", status: 2)
            }
            return try ScriptDraft(survey: Survey(reading: String(decoding: data, as: UTF8.self)))
        } catch let error as DraftError {
            throw CommandFailure("\(fromHar ?? fromSurvey ?? ""): \(error)")
        }
    }
}
