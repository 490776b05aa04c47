import FinTS
import Testing

@Suite("Codes of answers")
struct AnswerMeaningTests {
    @Test("each code has a sentence, and each failure an action")
    func complete() {
        for meaning in AnswerMeaning.all {
            #expect(meaning.code.utf8.count == 4 && meaning.code.allSatisfy(\.isNumber))
            #expect(meaning.sentence.first?.isUppercase == true && !meaning.sentence.hasSuffix("."))
            #expect((meaning.failure == nil) == meaning.action.isEmpty, "\(meaning.code)")
            #expect(meaning.action.isEmpty || meaning.action.hasSuffix("."))
            if meaning.code.hasPrefix("9") { #expect(meaning.failure != nil, "\(meaning.code)") }
        }
        #expect(Set(AnswerMeaning.all.map(\.code)).count == AnswerMeaning.all.count)
    }

    @Test(
        "the codes that lock or refuse a PIN end the sign-in",
        arguments: [
            ("9942", true), ("9931", true), ("9930", true), ("9933", true), ("3938", true), ("3931", true),
            ("9340", true),
            ("9910", true), ("9941", false), ("9800", false), ("3920", false), ("0020", false), ("9955", true),
            ("9399", true),
        ])
    func endsSignIn(_ code: String, _ ends: Bool) {
        #expect(AnswerMeaning.of(code).endsSignIn == ends)
    }

    @Test(
        "a code that is not in the list has the meaning of its class",
        arguments: [
            ("0999", nil), ("1000", nil), ("3999", nil), ("9188", FinTSFailure.Kind.garbled), ("9299", .refused),
            ("9899", .refused), ("9955", .wrongPIN),
        ])
    func classes(_ code: String, _ kind: FinTSFailure.Kind?) {
        #expect(!AnswerMeaning.isKnown(code))
        #expect(AnswerMeaning.of(code).failure == kind)
    }

    private func answers(_ codes: [(String, Int?)]) throws -> [BankAnswer] {
        let segments = codes.map { code, segment in
            Segment(
                segment == nil ? "HIRMG" : "HIRMS", version: 2, reference: segment,
                [[.text(code), .empty, .text("Wort")]])
        }
        return try BankAnswer.all(in: segments)
    }

    @Test("the refusal that says most wins, whatever its place")
    func ranks() throws {
        func first(_ codes: [(String, Int?)]) throws -> String? { Refusal.first(in: try answers(codes))?.code }
        #expect(try first([("9050", nil), ("9800", nil), ("9942", 3)]) == "9942")
        #expect(try first([("9942", 3), ("9931", nil)]) == "9931")
        #expect(try first([("9010", nil), ("9941", 4)]) == "9941")
        #expect(try first([("9050", nil), ("9210", 4)]) == "9210")
        #expect(try first([("0010", nil), ("3938", nil)]) == "3938")
        #expect(try first([("0010", nil), ("3040", 3), ("3010", 3)]) == nil)
        #expect(Refusal.first(in: try answers([("0010", nil), ("9210", 4)]), for: 3) == nil)
    }

    @Test("an answer without a code of four digits is refused", arguments: ["", "99", "99421", "99a2"])
    func malformed(_ code: String) {
        #expect(throws: FinTSFailure.self) { try answers([(code, nil)]) }
    }
}
