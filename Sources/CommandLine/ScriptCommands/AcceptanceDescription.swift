import Automation
import BankScript
import CountersignPlugins
import Encodings
import Foundation
import Terminal

/// Everything that a person reads before accepting a script: what it does, what leaves and where to, what lint says, and
/// what has changed since the version that was accepted last.
struct AcceptanceDescription: Sendable {
    let lines: [StyledLine]

    init(of script: BankScript, after previous: AcceptedScripts.Acceptance?) {
        let disclosure = ScriptDisclosure(script)
        var lines = [StyledLine(disclosure.lines.first ?? script.name.inLine(), .bold)]
        lines.append(StyledLine("  digest \(script.digest.hex)"))
        lines += disclosure.lines.dropFirst().map { StyledLine("  \($0)") }
        lines += disclosure.outflowTable
        lines += disclosure.warnings.map { StyledLine("  warning: \($0)", .bad) }
        for finding in ScriptLint.findings(in: script, plugged: Plugins.current.names)
        where !ScriptLint.originRules.contains(finding.rule) {
            lines.append(StyledLine("  \(finding.severity.rawValue): \(finding.message)"))
        }
        if let previous { lines += Self.changes(to: disclosure, since: previous) }
        self.lines = lines
    }

    private static func changes(
        to disclosure: ScriptDisclosure, since previous: AcceptedScripts.Acceptance
    ) -> [StyledLine] {
        let day = previous.date.formatted(.iso8601.year().month().day())
        guard let before = previous.disclosure else {
            return [
                StyledLine(
                    "  Another version was accepted on \(day), without a record of what it did: read all of this one.")
            ]
        }
        return [StyledLine("Changed since \(previous.digest.short), accepted on \(day):", .bold)]
            + difference(of: disclosure, from: before)
    }

    /// Returns what a script says that another version did not say, and the reverse.
    ///
    /// - Parameter before: the other version's ``ScriptDisclosure/comparable``.
    static func difference(of disclosure: ScriptDisclosure, from before: [String]) -> [StyledLine] {
        let changes = disclosure.comparable.difference(from: before)
        guard !changes.isEmpty else { return [StyledLine("  nothing that a script says")] }
        return changes.map { change in
            switch change {
            case .remove(_, let line, _): StyledLine("  - \(shown(line))", .faint)
            case .insert(_, let line, _): StyledLine("  + \(shown(line))", .bold)
            }
        }
    }

    /// Returns a changed line, which can be a whole text of the author's: without what fills a row of the screen, and cut
    /// where it is long. The indent of a step stays.
    private static func shown(_ line: String) -> String {
        let text = line.drop { $0 == " " }
        // No step stands as deep as this.
        let indent = String(repeating: " ", count: min(line.count - text.count, 40))
        return indent + String(text).inLine(limit: 600)
    }
}
