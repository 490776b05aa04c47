import Automation
import BankScript
import Encodings

/// A person's name for a step: its number as printed, or some of its words.
public struct StepName: Sendable, Hashable {
    public let text: String

    public init(_ text: String) {
        self.text = text
    }

    func matches(_ place: StepPlace) -> Bool {
        if let number = Int(text) { return place.number == number && place.depth == 0 }
        return place.words.containsFolded(text)
    }

    /// Returns whether a run of the script can come to a step of this name. A step whose words hold a capture has no
    /// words before the run, so it may have any name.
    public func isPossible(in script: BankScript, parameters: [String: ParameterValue]) -> Bool {
        if let number = Int(text) { return (1..<script.stepsForOnePeriod.count + 1).contains(number) }
        let values = StatementPeriod.texts(of: parameters)
        return script.stepsBeforeTheEnd.contains { step in
            var isKnown = true
            let words = step.action.words { template in
                guard let filled = try? template.filled(with: values, locale: script.locale) else {
                    isKnown = false
                    return template.source
                }
                return filled
            }
            return !isKnown || words.containsFolded(text)
        }
    }
}

extension BankScript {
    fileprivate var stepsBeforeTheEnd: [Step] {
        let passed = interruptions.flatMap { interruption -> [Step] in
            if case .pass(let steps) = interruption.response { steps } else { [] }
        }
        return (stepsForOnePeriod + passed).flattened
    }
}
