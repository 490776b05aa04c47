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
            Without a file to start from, writes a template with a comment on each part. `countersign script record URL` makes a \
            script of a visit. --from knows these kinds by content:

              HAR file         of a visit; the draft is replayed against it
              Chrome Recorder  exported as JSON; it has your clicks, not the pages
              Selenium IDE     a project (.side)
              survey           written by `countersign script survey`

            For a HAR file, open the Network panel of any browser's developer tools, turn “Preserve log” on, sign in, \
            fetch one statement, sign out, and save with “Save all as HAR with content”.

            A recording holds your password, so delete it afterwards. The draft has neither the password nor the name of \
            the user, and no text that was typed into a recorder of steps. What a recording does not tell becomes a \
            numbered question in a comment.
            """)

    @Option(help: ArgumentHelp("Start from this recording or survey, whatever its kind is.", valueName: "file"))
    var from: String?

    @Option(
        help: ArgumentHelp("Start from a HAR file of a visit that fetched a statement.", valueName: "file"),
        completion: .file(extensions: ["har"]))
    var fromHar: String?

    @Option(
        help: ArgumentHelp("Start from a survey that a user sent.", valueName: "file"),
        completion: .file(extensions: ["txt"]))
    var fromSurvey: String?

    @Option(help: ArgumentHelp("The test of a Selenium IDE project that has several.", valueName: "name"))
    var test: String?

    @Option(help: "Write to this file instead of standard output; it must not exist yet.")
    var output: String?

    func validate() throws {
        guard [from, fromHar, fromSurvey].compactMap(\.self).count <= 1 else {
            throw ValidationError("start from one recording or survey, not from both; --from knows every kind")
        }
        guard test == nil || from != nil else {
            throw ValidationError("--test names a test of a Selenium IDE project; add --from project.side")
        }
    }

    func run() async throws {
        let begun = try await begin()
        guard let output else {
            Console.standard.text(begun.text)
            if let report = begun.report { Console.standard.error(report) }
            return
        }
        try FileManager.default.createFile(exclusively: output, Data(begun.text.utf8))
        Console.standard.line("Wrote \(output); check it with: countersign script lint \(output)")
        if let report = begun.report { Console.standard.lines(report) }
    }

    /// Returns the script, and what a person should know of the draft; nil for the template.
    private func begin() async throws -> (text: String, report: String?) {
        guard let path = from ?? fromHar ?? fromSurvey else { return (ScriptDraft.template, nil) }
        let source = try source(path)
        do {
            switch source {
            case .visit(let archive):
                let draft = try ScriptDraft(recording: archive)
                return (draft.yaml, await draft.check(against: archive).text)
            case .steps(let recording):
                let draft = try ScriptDraft(recording: recording)
                return (draft.yaml, draft.review(as: "recording").text)
            case .survey(let survey):
                let draft = try ScriptDraft(survey: survey)
                return (draft.yaml, draft.review(as: "survey").text)
            }
        } catch {
            throw CommandFailure("\(path): \(error)")
        }
    }

    private func source(_ path: String) throws -> DraftSource {
        if fromHar != nil { return .visit(try RecordingFile.read(path)) }
        let data = try TypedPath.bytes(path, atMost: 64 << 20)
        do {
            return fromSurvey == nil
                ? try DraftSource(reading: data, test: test)
                : .survey(try Survey(reading: String(decoding: data, as: UTF8.self)))
        } catch let error as DraftError {
            throw CommandFailure("\(path): \(error)")
        } catch {
            throw CommandFailure("\(path): \(error)", status: 2)
        }
    }
}
