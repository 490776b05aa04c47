/// Chooses among a bank's refusals the one that says most.
package enum Refusal {
    /// Returns the failure that the answers stand for; nil when the bank refused nothing.
    ///
    /// A bank gives several codes at once: one for the message, such as 9050, and the one that says why for a segment.
    ///
    /// - Parameter segment: the number of the segment that matters; nil for all.
    package static func first(in answers: [BankAnswer], for segment: Int? = nil) -> FinTSFailure? {
        let failures = answers.filter { $0.segment == nil || segment == nil || $0.segment == segment }
            .filter { $0.isRefusal || $0.meaning.endsSignIn }
            .compactMap { answer in answer.failure.map { (rank(answer), $0) } }
        return failures.min { $0.0 < $1.0 }?.1
    }

    private static func rank(_ answer: BankAnswer) -> Int {
        switch answer.meaning.failure {
        case .locked: 0
        case .wrongPIN: AnswerMeaning.isKnown(answer.code) ? 1 : 3
        case .refused, .garbled: ["9010", "9050", "9800"].contains(answer.code) ? 5 : 4
        default: 2
        }
    }
}
