import Automation
import BankScript
import Foundation
import Secrets
import Synchronization
import Testing

@Suite("A second factor with several tries", .timeLimit(.minutes(3)))
struct CodeTriesTests {
    /// A person who types one code after the other.
    private final class Person: HumanPrompt {
        private let codes: Mutex<[String]>

        init(_ codes: [String]) {
            self.codes = Mutex(codes)
        }

        func answer(_ prompt: Prompt) async throws -> Secret {
            Secret(codes.withLock { $0.isEmpty ? "no-more-codes" : $0.removeFirst() })
        }
    }

    /// A bank that takes one code, and asks again after any other, in a page like the first.
    private static func bank(accepting code: String, refusingWith notice: String = "That is not right.") -> StagedBank {
        let form = "<form method=post action=/tan><label>TAN<input name=tan></label><button>Send</button></form>"
        return StagedBank { line, body in
            switch line {
            case "GET /": .page(form)
            case "GET /1.pdf": .pdf()
            default: .page(body.contains(code) ? "<p>Welcome" : "<p class=error>\(notice)</p>" + form)
            }
        }
    }

    private static func script(_ tries: String) -> String {
        """
        steps:
          - open: /
          - second factor: { field: TAN, question: "Which code?", from: [person]\(tries), within: 1 min }
          - fail: { BANK_LOGIN_FAILED: .error, reason: wrong_code }
          - download: { open: /1.pdf }
        """
    }

    @Test(
        "asks again as often as the script allows, and says what is left",
        arguments: [
            ("", ["right-code-91"], 1, true), ("", ["wrong-code-11"], 1, false),
            (", tries: 3", ["wrong-code-11", "right-code-91"], 2, true),
            (", tries: 3", ["wrong-code-11", "wrong-code-12", "right-code-91"], 3, true),
            (", tries: 3", ["wrong-code-11", "wrong-code-12", "wrong-code-13", "right-code-91"], 3, false),
            (", tries: 2", ["wrong-code-11", "wrong-code-12", "right-code-91"], 2, false),
        ])
    func asksAgain(_ tries: String, _ codes: [String], asked: Int, isIn: Bool) async throws {
        let bank = Self.bank(accepting: "right-code-91")
        let run = try await StagedRun.perform(Self.script(tries), at: bank, person: Person(codes))
        #expect(run.prompts.count == asked)
        #expect(bank.lines.filter { $0 == "POST /tan" }.count == asked)
        #expect(run.failure?.reason == (isIn ? nil : .wrongCode), "\(run.failure?.description ?? "no failure")")
        #expect(run.failure?.refusedCodes == (isIn ? nil : asked))
        #expect(run.prompts.first?.question == "Which code?")
        for (index, prompt) in run.prompts.enumerated().dropFirst() {
            let left = (tries.contains("3") ? 3 : 2) - index
            let words = left == 1 ? "1 try is left" : "\(left) tries are left"
            #expect(prompt.question == "The bank did not accept that code; \(words). Which code?")
        }
    }

    @Test("does not ask again when the bank shows another page")
    func elsewhere() async throws {
        let bank = StagedBank { line, _ in
            line == "GET /"
                ? .page("<form method=post action=/tan><label>TAN<input name=tan></label><button>Send</button></form>")
                : .page("<p class=error>Your account is locked.")
        }
        let run = try await StagedRun.perform(
            Self.script(", tries: 3"), at: bank, person: Person(["wrong-code-11", "wrong-code-12"]))
        #expect(run.prompts.count == 1 && run.failure?.reason == .wrongCode)
        #expect(run.failure?.refusedCodes == 1)
    }

    @Test(
        "leaves the last try to the person, at the bank's own page",
        arguments: [
            ("That is not right. You have 1 try left.", 1), ("Falsche TAN. Noch ein Versuch.", 1),
            ("That is not right. You have 2 tries left.", 3), ("Wrong. You have 9 attempts left.", 3),
        ])
    func bankCounts(_ notice: String, asked: Int) async throws {
        let bank = Self.bank(accepting: "right-code-91", refusingWith: notice)
        let codes = ["wrong-code-11", "wrong-code-12", "wrong-code-13"]
        let run = try await StagedRun.perform(Self.script(", tries: 3"), at: bank, person: Person(codes))
        #expect(run.prompts.count == asked && run.failure?.refusedCodes == asked)
        #expect(bank.lines.filter { $0 == "POST /tan" }.count == asked)
        #expect(run.failure?.reason == .wrongCode)
    }

    @Test("does not ask again on a page that ends the run")
    func interrupted() async throws {
        let bank = Self.bank(accepting: "right-code-91", refusingWith: "Your account is locked soon.")
        let interruptions =
            "interruptions:\n  - { when: { says: locked soon }, fail: BANK_LOGIN_FAILED, reason: account_locked }\n"
        let run = try await StagedRun.perform(
            interruptions + Self.script(", tries: 3"), at: bank, person: Person(["wrong-code-11", "right-code-91"]))
        #expect(run.prompts.count == 1 && run.failure?.reason == .accountLocked)
    }

    @Test("counts the refused codes of a run that ends for another reason")
    func unanswered() async throws {
        let bank = Self.bank(accepting: "right-code-91")
        let run = try await StagedRun.perform(
            Self.script(", tries: 3"), at: bank, person: Person(["wrong-code-11", "wrong-code-12", ""]))
        #expect(run.failure?.code == .bankSecondFactorTimeout && run.failure?.refusedCodes == 2)
    }

    @Test(
        "a right code ends the count, once a step shows that the bank took it",
        arguments: [
            ("expect: { says: Welcome }", 0), ("follow: Statements", 2), ("press: Nothing", 2), ("open: /list", 2),
            ("fail: { BANK_LOGIN_FAILED: .error }", 2),
        ])
    func rightCode(_ next: String, counted: Int) async throws {
        let form = "<form method=post action=/tan><label>TAN<input name=tan></label><button>Send</button></form>"
        let bank = StagedBank { line, body in
            switch line {
            case "GET /": .page(form)
            case "GET /list": .page("<p>No statements")
            default: .page(body.contains("right") ? "<p>Welcome <a href=/list>Statements</a>" : form)
            }
        }
        let steps = """
            steps:
              - open: /
              - second factor: { field: TAN, from: [person], tries: 3, within: 1 min }
              - \(next)
              - follow: Nowhere

            """
        let run = try await StagedRun.perform(
            steps, at: bank, person: Person(["wrong-code-11", "wrong-code-12", "right-code-91"]))
        #expect(run.prompts.count == 3 && run.failure?.code == .navigationFailed)
        #expect(run.failure?.refusedCodes == counted && run.failure?.isLastCodeRefused == false)
        #expect(run.failure?.isCodeConfirmed == (counted == 0))
    }

    @Test(
        "a right code also ends the count of earlier runs",
        arguments: [("expect: { says: Welcome }", 4), ("open: /next", 2)])
    func rightCodeAfterEarlierRuns(_ next: String, asked: Int) async throws {
        @Sendable func form(_ name: String) -> String {
            "<form method=post action=/\(name)><label>\(name)<input name=c></label><button>Send</button></form>"
        }
        let bank = StagedBank { line, body in
            switch line {
            case "GET /": .page(form("First"))
            case "GET /next": .page(form("Second"))
            case "POST /First": .page("<p>Welcome" + form("Second"))
            default: .page(form("Second"))
            }
        }
        let steps = """
            steps:
              - open: /
              - second factor: { field: First, from: [person], within: 1 min }
              - \(next)
              - second factor: { field: Second, from: [person], tries: 3, within: 1 min }
              - follow: Nowhere

            """
        let run = try await StagedRun.perform(
            steps, at: bank, person: Person((1...6).map { "some-code-\($0)" }), codesRefusedBefore: 2)
        #expect(run.prompts.count == asked, "\(run.failure?.description ?? "")")
        #expect(run.failure?.refusedCodes == asked - 1 && run.failure?.isLastCodeRefused == true)
    }

    @Test("a run sends three codes at most, however many steps and attempts there are")
    func product() async throws {
        let bank = Self.bank(accepting: "right-code-91")
        let step = "  - second factor: { field: TAN, from: [person], tries: 3, within: 1 min }\n"
        let run = try await StagedRun.perform(
            "attempts: 2\nsteps:\n  - open: /\n\(step)\(step)  - download: { open: /1.pdf }\n", at: bank,
            person: Person((1...6).map { "wrong-code-\($0)" }))
        #expect(bank.lines.filter { $0 == "POST /tan" }.count == 3)
        #expect(run.failure?.reason == .attemptsUsed && run.failure?.refusedCodes == 3)
    }

    @Test(
        "counts the codes that the bank refused in earlier runs", arguments: [(0, 3), (1, 2), (2, 1), (3, 1), (9, 1)])
    func earlierRuns(_ before: Int, asked: Int) async throws {
        let bank = Self.bank(accepting: "right-code-91")
        let run = try await StagedRun.perform(
            Self.script(", tries: 3"), at: bank, person: Person((1...4).map { "wrong-code-\($0)" }),
            codesRefusedBefore: before)
        #expect(bank.lines.filter { $0 == "POST /tan" }.count == asked)
        #expect(run.failure?.refusedCodes == asked && run.failure?.reason == .wrongCode)
        let left = run.prompts.dropFirst().map { $0.question.contains("1 try is left") }
        #expect(left == (asked < 2 ? [] : Array(repeating: false, count: asked - 2) + [true]), "\(run.prompts)")
    }

    @Test("another step sends no fourth code after three refused ones")
    func anotherStep() async throws {
        let bank = Self.bank(accepting: "right-code-91")
        func step(_ question: String) -> String {
            "  - second factor: { field: TAN, question: \"\(question)\", from: [person], tries: 3, within: 1 min }\n"
        }
        let run = try await StagedRun.perform(
            "steps:\n  - open: /\n\(step("Which code?"))\(step("And now?"))  - download: { open: /1.pdf }\n", at: bank,
            person: Person((1...6).map { "wrong-code-\($0)" }))
        #expect(bank.lines.filter { $0 == "POST /tan" }.count == 3)
        #expect(run.failure?.reason == .attemptsUsed)
        #expect(run.failure?.message.contains("3 one-time codes in a row") == true, "\(run.failure?.message ?? "")")
    }

    @Test("a number of tries that lint refuses stops no program", arguments: [0, -1])
    func outOfRange(_ tries: Int) async throws {
        let bank = Self.bank(accepting: "right-code-91")
        let run = try await StagedRun.perform(
            Self.script(""), at: bank, person: Person(["wrong-code-11", "right-code-91"])
        ) { script in
            guard var step = script.steps[1].action.as(SecondFactorStep.self) else { return }
            step.tries = tries
            script.steps[1].action = .secondFactor(step)
        }
        #expect(run.prompts.count == 1 && run.failure?.reason == .wrongCode)
    }

    @Test(
        "is refused where the person cannot be asked again",
        arguments: [
            "field: TAN, from: [vault], tries: 3", "as: code, tries: 2", "field: TAN, tries: 4", "field: TAN, tries: 0",
            "choice: .methods, tries: 2",
        ])
    func refused(_ parts: String) {
        #expect(throws: ScriptSyntaxError.self) {
            try BankScript(
                yaml: StagedRun.head + "steps:\n  - second factor: { \(parts), within: 1 min }\n", file: "bad.yaml")
        }
    }

    @Test("one try is the same script as none, and three are another")
    func digest() throws {
        func digest(_ tries: String) throws -> ScriptDigest {
            try BankScript(yaml: StagedRun.head + Self.script(tries), file: "tries.yaml").digest
        }
        #expect(try digest("") == digest(", tries: 1"))
        #expect(try digest("") != digest(", tries: 3"))
        // Scripts that were accepted before the word existed stay accepted.
        #expect(try digest("").short == BeforeTries.digest)
    }
}

/// The digest of ``CodeTriesTests``' script as the version before the word `tries` computed it.
private enum BeforeTries {
    static let digest = "eded95558435"
}
