import Automation
import BankScript
import Messages
import Synchronization

/// The outcomes that a script declares, and those that the rows of a matrix met: the statement, each `fail` step, and each
/// interruption.
package struct DeclaredOutcomes: Sendable {
    package struct Outcome: Sendable {
        package var words: String
        package var line: Int?
        package var isInterruption: Bool
        package var isMet: Bool
    }

    package private(set) var outcomes: [Outcome]

    package var met: [Outcome] { outcomes.filter(\.isMet) }
    package var missed: [Outcome] { outcomes.filter { !$0.isMet } }

    /// The outcomes of every script in the report.
    package init(of report: MatrixReport) {
        var scripts: [BankScript] = []
        for entry in report.entries where !scripts.contains(where: { $0.digest == entry.row.script.digest }) {
            scripts.append(entry.row.script)
        }
        outcomes = scripts.flatMap { script in
            Self.outcomes(of: script, in: report.entries.filter { $0.row.script.digest == script.digest })
        }
    }

    private static func outcomes(of script: BankScript, in entries: [MatrixReport.Entry]) -> [Outcome] {
        let failures = entries.compactMap { entry in
            if case .failure(let failure) = entry.outcome { failure } else { nil }
        }
        let passed = Set(entries.flatMap(\.steps))
        let steps = script.stepsForOnePeriod.flattened
        let failing = steps.filter { $0.action.kind.facts.contains(.declaresFailure) }
        let marks = Set(failing.compactMap(\.mark))
        let hasStatement = entries.contains { if case .statement = $0.outcome { true } else { false } }
        var outcomes = [Outcome(words: "the statement", line: nil, isInterruption: false, isMet: hasStatement)]
        outcomes += failing.map { step in
            Outcome(
                words: step.action.words, line: step.mark?.line, isInterruption: false,
                isMet: failures.contains { $0.place?.mark == step.mark && step.mark != nil })
        }
        outcomes += script.interruptions.map { interruption in
            let isMet: Bool
            let words: String
            switch interruption.response {
            case .fail(let code, let reason):
                words = "interruption \(code.rawValue) (\(reason.rawValue))"
                isMet = failures.contains { failure in
                    failure.code == code && failure.reason == reason
                        && failure.place?.mark.map(marks.contains) != true
                }
            case .pass(let steps):
                words = "interruption passed by: " + steps.map(\.action.words).joined(separator: ", ")
                isMet = steps.compactMap(\.mark).contains(where: passed.contains)
            }
            return Outcome(words: words, line: interruption.mark?.line, isInterruption: true, isMet: isMet)
        }
        return outcomes
    }

    /// “14 of 16 declared outcomes were exercised”, and a line for each that was not.
    package var text: String {
        let lines = missed.map { outcome in
            "  never\(outcome.line.map { ", line \($0)" } ?? ""): \(outcome.words)"
        }
        return (["\(met.count) of \(outcomes.count) declared outcomes were exercised"] + lines).joined(separator: "\n")
    }
}

/// Notes the places of the steps that a run begins.
final class BegunSteps: RunObserver {
    private let begun = Mutex<Set<Mark>>([])

    var marks: Set<Mark> { begun.withLock { $0 } }

    func observe(_ event: RunEvent) {
        guard case .stepBegan(let place) = event, let mark = place.mark else { return }
        begun.withLock { _ = $0.insert(mark) }
    }
}
