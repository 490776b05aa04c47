import Automation
import BankScript
import Foundation
import HTMLAutomation

/// The test of a draft against the recording that it was drafted from.
public struct DraftCheck: Sendable, Hashable {
    public enum Outcome: Sendable, Hashable {
        /// Lint finds no error, and the draft fetches the recorded document from the recording.
        case passed
        /// Lint finds errors.
        case lint([String])
        /// The script and the recording part ways.
        case replay(String)
        /// The recorded month is unknown, so the draft cannot be run for it.
        case periodUnknown
        /// Lint finds no error. The draft's source has no answers of the bank to replay against.
        case notReplayable(source: String)
    }

    public var outcome: Outcome
    /// The warnings of lint. A draft with warnings works.
    public var warnings: [String] = []
    /// The number of questions in the draft's comments.
    public var questions = 0
    /// The names of the submitted values that the recording hides or the draft leaves out, so that nothing could be compared.
    public var hidden: [String] = []

    /// The result and the next step for a person, in one or more lines.
    public var text: String {
        var lines: [String]
        switch outcome {
        case .passed:
            lines = ["The draft fetches the recorded document from its own recording, and lint finds no error."]
        case .lint(let faults): lines = ["The draft needs your hand, because lint finds:"] + faults
        case .replay(let why): lines = ["The draft does not replay against its own recording: \(why)"]
        case .periodUnknown:
            lines = [
                "The draft was not replayed, because the recording does not show which month it fetched: put "
                    + "{{ month.name }} and {{ year }} where they belong, then run `countersign script replay FILE --har HAR`."
            ]
        case .notReplayable(let source):
            lines = [
                "Lint finds no error. The draft was not replayed, because a \(source) has no answers of the bank: try it "
                    + "with `countersign script shell URL` or `countersign script run FILE`."
            ]
        }
        if questions > 0 {
            let all = questions == 1 ? "the question" : "the \(questions) questions"
            lines.append("Answer \(all) in the draft's comments.")
        }
        if !hidden.isEmpty {
            lines.append(
                "Not compared, because the recording hides them or the draft leaves them out: \(hidden.joined(separator: ", "))."
            )
        }
        if !warnings.isEmpty { lines += ["Lint warns:"] + warnings }
        return lines.joined(separator: "\n")
    }
}

extension ScriptDraft {
    /// Lints a draft whose source has no answers of the bank.
    ///
    /// - Parameter source: what the draft was made from, e.g. `survey`.
    public func review(as source: String) -> DraftCheck {
        var (check, _) = linted()
        if check.outcome == .lint([]) { check.outcome = .notReplayable(source: source) }
        return check
    }

    /// Lints the draft as its file will be read; without errors the outcome is an empty list of them.
    private func linted() -> (DraftCheck, BankScript?) {
        let questions = yaml.matches(of: /Question \d+:/).count
        let read: BankScript
        do {
            read = try BankScript(yaml: yaml, file: "draft.yaml")
        } catch {
            return (DraftCheck(outcome: .lint(["\(error)"]), questions: questions), nil)
        }
        // The draft's own questions are counted, and its recording knows no answer to them.
        let findings = ScriptLint.findings(in: read).filter { $0.rule != ScriptLint.openQuestion }
        func lines(_ severity: Finding.Severity) -> [String] {
            findings.filter { $0.severity == severity }
                .map { "\($0.mark.map { "line \($0.line): " } ?? "")\($0.message)" }
        }
        return (DraftCheck(outcome: .lint(lines(.error)), warnings: lines(.warning), questions: questions), read)
    }

    /// Lints the draft, and replays it against the recording that it was drafted from.
    public func check(against archive: HTTPArchive) async -> DraftCheck {
        let (linted, read) = linted()
        var check = linted
        guard check.outcome == .lint([]), let read else { return check }
        guard read.parameters.allSatisfy({ parameters[$0.name] != nil }) else {
            check.outcome = .periodUnknown
            return check
        }
        let transport = ReplayTransport(archive)
        let answers = ReplayAnswers()
        let services = HostServices(
            credentials: answers, person: answers, downloads: FolderSink(FileManager.default.temporaryDirectory))
        let runner = ScriptRunner(services: services) {
            try HTMLNavigationEngine(for: $0, configuration: EngineConfiguration(transport: transport))
        }
        do throws(RunFailure) {
            let document = try await runner.run(read, parameters: parameters)
            try? FileManager.default.removeItem(at: document.file)
            check.outcome = .passed
        } catch {
            check.outcome = .replay("\(error.message)" + (error.place.map { ", at: \($0.words)" } ?? ""))
        }
        check.hidden = transport.hidden
        return check
    }
}
