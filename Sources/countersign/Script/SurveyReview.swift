import Automation
import Foundation

/// Shows a survey to the person whose pages it is of, before it is written.
struct SurveyReview {
    let console = Console.standard
    /// All at once, with one question, instead of line by line.
    var isAtOnce = false

    /// - Returns: the survey as far as the person lets it go out; nil when they do not.
    func approved(_ survey: Survey) -> Survey? {
        isAtOnce ? whole(survey) : lineByLine(survey)
    }

    private func whole(_ survey: Survey) -> Survey? {
        console.text(survey.text)
        return Asking.yes("Write these \(survey.lines.count) lines?") ? survey : nil
    }

    private func lineByLine(_ survey: Survey) -> Survey? {
        console.line(
            "Each line is shown before it is written. Enter keeps it, n leaves it out, a keeps all the rest, q quits.")
        var kept = survey
        // The first line says what the file is, and nothing of anybody.
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

    /// Writes what the person has approved.
    ///
    /// - Returns: whether a file was written.
    /// - Throws: ``CommandFailure`` when it cannot be.
    @discardableResult
    func write(_ survey: Survey, to path: String) throws -> Bool {
        // Said before a person reads eighty lines for nothing.
        guard !FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure("\(path) is there already; move it away or give another --output", status: 2)
        }
        guard let approved = approved(survey) else {
            console.line("Nothing was written.")
            return false
        }
        guard FileManager.default.createFile(exclusively: path, Data(approved.text.utf8)) else {
            throw CommandFailure("\(path) cannot be made; check that its folder is there and yours", status: 2)
        }
        console.line("Wrote \(path): \(approved.lines.count) lines. Whoever writes the script begins with it:")
        console.line("  countersign script new --from-survey \(path)")
        return true
    }
}
