import BankScript

/// A remark of a draft that only a person can answer. Remarks that begin with the mark are numbered in the order of the
/// file, so that a person can count those that are left.
enum DraftQuestion {
    static let mark = "? "
}

extension ScriptRemarks {
    /// Returns the remarks with their questions numbered: `Question 1: …`.
    func numberingQuestions() -> ScriptRemarks {
        var copy = self
        var number = 0
        func numbered(_ line: String) -> String {
            guard line.hasPrefix(DraftQuestion.mark) else { return line }
            number += 1
            return "Question \(number): \(line.dropFirst(DraftQuestion.mark.count))"
        }
        copy.head = head.map(numbered)
        for index in steps.keys.sorted() { copy.steps[index] = steps[index]?.map(numbered) }
        copy.foot = foot.map(numbered)
        return copy
    }
}
