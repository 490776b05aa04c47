import Authoring
import Automation
import Encodings
import Foundation
import Terminal

/// Shows a survey to the person whose pages it describes, before it is written.
struct SurveyReview {
    let console = Console.standard
    /// Shows the survey at once, with one question, instead of line by line.
    var isAtOnce = false

    /// Asks the person which lines may be written.
    ///
    /// - Returns: the approved lines; nil when the person refuses.
    func approved(_ survey: Survey) -> Survey? {
        isAtOnce ? whole(survey) : lineByLine(survey)
    }

    private func whole(_ survey: Survey) -> Survey? {
        console.text(survey.text)
        let all = survey.lines.count == 1 ? "this line" : "these \(survey.lines.count) lines"
        return Asking.yes("Write \(all)?") ? survey : nil
    }

    private func lineByLine(_ survey: Survey) -> Survey? {
        console.line(
            "Each line is shown before it is written. Enter keeps it, n leaves it out, a keeps all the others, q quits."
        )
        var kept = survey
        // The first line only says what the file is.
        kept.lines = Array(survey.lines.prefix(1))
        for (index, line) in survey.lines.enumerated().dropFirst() {
            guard let answer = Asking.line("\(line)  [Y/n/a/q]")?.lowercased() else { return nil }
            switch answer {
            case "", "y", "yes": kept.lines.append(line)
            case "a", "all":
                kept.lines += survey.lines[index...]
                return kept
            case "q", "quit": return nil
            default: continue
            }
        }
        return kept
    }

    /// Writes the lines that the person approves.
    ///
    /// - Returns: whether a file was written.
    /// - Throws: ``CommandFailure`` when the file exists or cannot be written.
    @discardableResult
    func write(_ survey: Survey, to path: String) throws -> Bool {
        // Check first, before the person reads eighty lines in vain.
        guard !FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure("\(path) already exists; move it away or give another --output", status: 2)
        }
        guard let approved = approved(survey) else {
            console.line("Nothing was written.")
            return false
        }
        try FileManager.default.createFile(exclusively: path, Data(approved.text.utf8))
        console.line("Wrote \(path): \(approved.lines.count.counted("line")). The script's author can start from it:")
        console.line("  countersign script new --from-survey \(path)")
        return true
    }
}
