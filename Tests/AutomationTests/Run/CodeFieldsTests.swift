import Automation
import BankScript
import Secrets
import Synchronization
import Testing

@Suite("A code in several fields", .timeLimit(.minutes(3)))
struct CodeFieldsTests {
    /// A person who types one answer after the other.
    private final class Person: HumanPrompt {
        private let answers: Mutex<[String]>

        init(_ answers: [String]) {
            self.answers = Mutex(answers)
        }

        func answer(_ prompt: Prompt) async throws -> Secret {
            Secret(answers.withLock { $0.count == 1 ? $0[0] : $0.removeFirst() })
        }
    }

    private static let digits = (1...6).map { "<input name=d\($0) maxlength=1 aria-label='Digit \($0)'>" }.joined()

    private static func bank(_ fields: String, accepting code: String = "839174") -> StagedBank {
        let form = "<form method=post action=/code>\(fields)<button>Verify</button></form>"
        let right = code.enumerated().map { "d\($0.offset + 1)=\($0.element)" }.joined(separator: "&")
        return StagedBank { line, body in
            switch line {
            case "GET /": .page(form)
            case "GET /1.pdf": .pdf()
            default: .page(body == right ? "<p>Welcome" : "<p class=error>That is not right.</p>" + form)
            }
        }
    }

    private static func script(_ field: String, _ parts: String = "") -> String {
        """
        steps:
          - open: /
          - second factor: { field: \(field), from: [person], question: "Which code?", \(parts)within: 1 min }
          - fail: { BANK_LOGIN_FAILED: .error, reason: wrong_code }
          - download: { open: /1.pdf }
        """
    }

    @Test(
        "is typed one character into each",
        arguments: [
            ("<fieldset><legend>Code</legend>\(digits)</fieldset>", "Code"),
            ("<div role=group aria-label='Your code'>\(digits)</div>", "Your code"),
            ("<p>Sent to your phone</p><div class=code>\(digits)</div>", "{ css: .code }"),
            ("<p>Sent to your phone</p><div>\(digits)</div>", "{ css: \"input[maxlength='1']\" }"),
            ("<p>Sent to your phone</p><div>\(digits)</div>", "Digit 1"),
        ])
    func typed(_ fields: String, _ field: String) async throws {
        let bank = Self.bank(fields)
        let run = try await StagedRun.perform(Self.script(field), at: bank, person: Person(["839174"]))
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
        #expect(bank.seen.filter { $0.line == "POST /code" }.map(\.body) == ["d1=8&d2=3&d3=9&d4=1&d5=7&d6=4"])
    }

    @Test("is asked for again where it has another length, and is not sent")
    func otherLength() async throws {
        let bank = Self.bank("<fieldset><legend>Code</legend>\(Self.digits)</fieldset>")
        let run = try await StagedRun.perform(Self.script("Code"), at: bank, person: Person(["83917", "839174"]))
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
        #expect(
            run.prompts.map(\.question) == ["Which code?", "The code must have 6 characters. Which code?"])
        #expect(bank.seen.filter { $0.line == "POST /code" }.count == 1)
    }

    @Test("counts as one code each time the bank refuses it")
    func tries() async throws {
        let bank = Self.bank("<fieldset><legend>Code</legend>\(Self.digits)</fieldset>")
        let run = try await StagedRun.perform(
            Self.script("Code", "tries: 2, "), at: bank, person: Person(["274913", "839174"]))
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
        #expect(run.prompts.count == 2)
        #expect(bank.seen.filter { $0.line == "POST /code" }.count == 2)
    }
}
