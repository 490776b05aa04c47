/// One answer of the bank to a message or to a segment of it (FinTS 3.0, Formals, chapter B.7: HIRMG, HIRMS).
package struct BankAnswer: Sendable, Hashable {
    /// Four digits.
    package let code: String
    /// The number of the customer's segment that it answers; nil for the message as a whole.
    package let segment: Int?
    /// The bank's own words.
    package let words: String
    package let parameters: [String]

    /// The answers in a message, those to the whole message first.
    ///
    /// - Throws: ``FinTSFailure`` when an answer has no code of four digits.
    package static func all(in segments: [Segment]) throws(FinTSFailure) -> [BankAnswer] {
        var answers: [BankAnswer] = []
        for segment in segments where segment.code == "HIRMG" || segment.code == "HIRMS" {
            for group in segment.groups {
                guard let code = group.element(1).text, code.utf8.count == 4,
                    code.utf8.allSatisfy({ (48...57).contains($0) })
                else {
                    throw FinTSFailure(.garbled, "the bank answered with a code that has not four digits")
                }
                answers.append(
                    BankAnswer(
                        code: code, segment: segment.code == "HIRMG" ? nil : segment.reference,
                        words: group.element(3).text ?? "", parameters: group.dropFirst(3).compactMap(\.text)))
            }
        }
        return answers.sorted { ($0.segment ?? 0) < ($1.segment ?? 0) }
    }

    /// True for the class 9: the bank did not do what it was asked.
    package var isRefusal: Bool { code.utf8.first == UInt8(ascii: "9") }

    package var meaning: AnswerMeaning { AnswerMeaning.of(code) }

    /// The failure that the answer stands for; nil for one that ends nothing.
    package var failure: FinTSFailure? {
        guard let kind = meaning.failure else { return nil }
        return FinTSFailure(
            kind, "\(meaning.sentence). \(meaning.action)", code: code, bankWords: words.isEmpty ? nil : words)
    }
}
