import Automation
import BankScript
import Foundation
import Secrets
import Synchronization
import Testing

/// An answer that the code's field cannot hold is a slip of the person, and does not count as a try at the bank.
@Suite("An answer that the code's field cannot hold", .timeLimit(.minutes(3)))
struct UnfitAnswersTests {
    /// A person who types one answer after the other, and the last one for ever.
    private final class Person: HumanPrompt {
        private let answers: Mutex<[String]>

        init(_ answers: [String]) {
            self.answers = Mutex(answers)
        }

        func answer(_ prompt: Prompt) async throws -> Secret {
            Secret(answers.withLock { $0.count == 1 ? $0[0] : $0.removeFirst() })
        }
    }

    /// A bank whose field has these attributes, and that takes one code.
    private static func bank(_ attributes: String, accepting code: String, formWith form: String = "") -> StagedBank {
        let form =
            "<form method=post action=/tan \(form)><label>TAN<input name=tan \(attributes)></label>"
            + "<button>Send</button></form>"
        return StagedBank { line, body in
            switch line {
            case "GET /": .page(form)
            case "GET /1.pdf": .pdf()
            default: .page(body.contains(code) ? "<p>Welcome" : "<p class=error>That is not right.</p>" + form)
            }
        }
    }

    private static func script(_ parts: String = "from: [person]") -> String {
        """
        steps:
          - open: /
          - second factor: { field: TAN, question: "Which code?", \(parts), within: 1 min }
          - fail: { BANK_LOGIN_FAILED: .error, reason: wrong_code }
          - download: { open: /1.pdf }
        """
    }

    static let fields: [(attributes: String, answer: String, code: String, words: String)] = [
        ("maxlength=6", "twenty-four-characters-7", "914275", "must have at most 6 characters"),
        ("minlength=12", "84-13-06", "91-42-75-84-13", "must have at least 12 characters"),
        ("type=number", "nine-one-four-two", "914275", "must be a number such as 12 or 12.50"),
        ("pattern='[0-9]{6}'", "91427-unfit", "914275", "must have 6 digits"),
        (#"pattern='\d{4,8}'"#, "91427-unfit", "914275", "must have 4 to 8 digits"),
        ("pattern='[0-9]*'", "91427-unfit", "914275", "must have digits only"),
        ("pattern='[A-Z]-[0-9]{6}'", "91427-unfit", "K-914275", "must have another format"),
    ]

    @Test("is asked for again with the reason, and is not sent", arguments: fields)
    func asksAgain(_ attributes: String, _ answer: String, _ code: String, _ words: String) async throws {
        let bank = Self.bank(attributes, accepting: code)
        let run = try await StagedRun.perform(
            Self.script(), at: bank, person: Person([answer, answer, code]))
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
        #expect(
            run.prompts.map(\.question) == ["Which code?"]
                + Array(repeating: "The code \(words). Which code?", count: 2))
        #expect(bank.seen.filter { $0.line == "POST /tan" }.map(\.body) == ["tan=\(code)"])
    }

    @Test("does not count: the tries of the script and the refused codes stay as they are")
    func noTry() async throws {
        let bank = Self.bank("maxlength=8", accepting: "91-42-75")
        let run = try await StagedRun.perform(
            Self.script("from: [person], tries: 2"), at: bank,
            person: Person(["too-long-for-the-field-1", "84-13-06", "too-long-for-the-field-2", "91-42-75"]))
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
        let corrected = "The code must have at most 8 characters. Which code?"
        #expect(
            run.prompts.map(\.question) == [
                "Which code?", corrected, "The bank did not accept that code; 1 try is left. Which code?", corrected,
            ])
        #expect(bank.lines.filter { $0 == "POST /tan" }.count == 2)
    }

    @Test("ends the run after three of them, with nothing sent")
    func bounded() async throws {
        let bank = Self.bank("maxlength=6", accepting: "914275")
        let run = try await StagedRun.perform(
            Self.script("from: [person], tries: 3"), at: bank,
            person: Person(["twenty-four-characters-6", "twenty-four-characters-7"]))
        #expect(run.prompts.count == 3)
        #expect(run.failure?.code == .navigationFailed && run.failure?.reason == .layoutChanged)
        #expect(run.failure?.message.contains("a code there must have at most 6 characters") == true)
        #expect(run.failure?.refusedCodes == 0)
        #expect(bank.lines.contains("POST /tan") == false)
        let all = "\(String(describing: run.failure)) \(run.steps)"
        #expect(!all.contains("twenty-four-characters-7"))
    }

    @Test("is blamed on neither the page nor the sign-in where it is the same each time, as out of a file")
    func sameAnswer() async throws {
        let bank = Self.bank("maxlength=6", accepting: "914275")
        let run = try await StagedRun.perform(Self.script(), at: bank, person: Person(["1234567"]))
        #expect(run.failure?.code == .bankSecondFactorTimeout && run.failure?.reason == .noAnswer)
        #expect(
            run.failure?.message
                == "the code does not fit field “TAN”, and was not sent: a code there must have at most 6 characters")
        #expect(!bank.lines.contains("POST /tan"))
    }

    @Test("is sent where the form is not validated, and where nothing limits the field")
    func unlimited() async throws {
        for (attributes, form) in [("pattern='[0-9]{6}'", "novalidate"), ("inputmode=numeric", "")] {
            let bank = Self.bank(attributes, accepting: "letters-and-all", formWith: form)
            let run = try await StagedRun.perform(Self.script(), at: bank, person: Person(["letters-and-all"]))
            #expect(run.failure == nil && run.prompts.count == 1, "\(attributes)")
        }
    }

    @Test("ends the run where the person may not be asked")
    func vaultAlone() async throws {
        struct Vault: SecondFactorProvider {
            func code(for challenge: SecondFactorChallenge) async throws -> Secret? { Secret("a-code-of-the-vault-9") }
        }
        let bank = Self.bank("maxlength=6", accepting: "914275")
        let run = try await StagedRun.perform(Self.script("from: [vault]"), at: bank, secondFactor: Vault())
        #expect(run.prompts.isEmpty && run.failure?.code == .navigationFailed)
        #expect(run.failure?.message.contains("must have at most 6 characters; the value has 21") == true)
        let other = Self.bank("maxlength=6", accepting: "914275")
        let asked = try await StagedRun.perform(
            Self.script("from: [vault, person]"), at: other, person: Person(["914275"]), secondFactor: Vault())
        #expect(asked.failure == nil, "\(asked.failure?.description ?? "")")
        #expect(asked.prompts.map(\.question) == ["The code must have at most 6 characters. Which code?"])
    }
}
