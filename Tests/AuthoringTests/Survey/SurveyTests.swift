import Automation
import BankScript
import DefaultBank
import Foundation
import HTMLAutomation
import HTMLEngine
import MockBank
import Secrets
import Synchronization
import TestCases
import Testing

@testable import Authoring

@Suite("A survey of a bank's pages")
struct SurveyTests {
    /// Every exchange of a run, as it was.
    private final class Wire: Sendable {
        private let exchanges = Mutex<[Exchange]>([])
        func add(_ exchange: Exchange) { exchanges.withLock { $0.append(exchange) } }
        var all: [Exchange] { exchanges.withLock { $0 } }
    }

    private func visited() async throws -> HTTPArchive {
        var configuration = MockBankConfiguration()
        configuration.today = RecordedRun.today
        let bank = try await MockBankServer.start(configuration)
        let wire = Wire()
        let services = HostServices(
            credentials: TestCredentials(values: RecordedRun.login), person: TestPerson(code: "123456"),
            downloads: FolderSink(FileManager.default.temporaryDirectory))
        let runner = ScriptRunner(services: services) {
            try HTMLNavigationEngine(for: $0, configuration: EngineConfiguration(observer: wire.add))
        }
        let script = MeridianSavings.script.served(at: bank.url, isForTesting: true)
        let document = try await runner.run(script, parameters: RecordedRun.period)
        try FileManager.default.removeItem(at: document.file)
        await bank.stop()
        return HTTPArchive(wire.all)
    }

    /// The mock bank's texts that name its customer or the bank itself.
    private static let personal = [
        "robin", "ashdown", "meridian", "savings", "everyday", "rainy", "correct", "horse", "123456", "2071", "8836",
        "9914", "£", "ending in", "42", "1874", "2026", "2025", "january", "october", ".00",
    ]

    @Test("has no personal names, numbers or amounts")
    func nothingPersonal() async throws {
        let archive = try await visited()
        var survey = try Survey(of: archive)
        // Where the mock bank happens to listen.
        survey.lines.removeAll { $0.kind == "origin" }
        let text = survey.text.lowercased()
        for word in Self.personal { #expect(!text.contains(word), "\(word)") }
        // Whatever looks like an amount or an account number on any page is in no line.
        let pages = archive.exchanges.compactMap(\.responseBody).map { String(decoding: $0, as: UTF8.self) }
        let numbers = Set(pages.flatMap { $0.matches(of: /[0-9][0-9,. ]{3,}[0-9]/).map { String($0.0) } })
        #expect(!numbers.isEmpty)
        for number in numbers { #expect(!text.contains(number), "\(number)") }
    }

    @Test("is enough to draft the sign-in and the way to the statements")
    func enough() async throws {
        let survey = try Survey(of: try await visited())
        let sent = try Survey(reading: "# from a friend\n" + survey.text)
        #expect(sent.lines == survey.lines)
        let draft = try ScriptDraft(survey: sent)
        let script = try BankScript(yaml: draft.yaml, file: "surveyed.yaml")
        // No recording of a right password shows what a wrong one brings.
        #expect(ScriptLint.findings(in: script).map(\.rule) == ["no-refusal"])
        #expect(
            script.steps.map(\.action.words) == [
                "open /login", "fill field “Username” with the username", "fill field “Password” with the password",
                "press button “Sign in”", "second factor: a code for field “One-time code”", "follow link “Statements”",
                "choose “{{ year }}” in field “Year”", "press button “Show”",
                "search for row “{{ month.name }} {{ year }}”, at most 12 pages", "download button or link “PDF”",
            ])
        #expect(script.finally.map(\.action.words) == ["press button “Sign out”"])
    }

    private func survey(_ html: String, json: String? = nil) throws -> String {
        var visit = ImaginedVisit()
        visit.get("/account/4711-2/kim-sample/list", html)
        var exchanges = visit.exchanges
        if let json {
            var answer = exchanges[0]
            answer.url = "https://www.bank.example/api/accounts?session=abc"
            answer.responseHeaders = [.init("Content-Type", "application/json")]
            answer.responseBody = Array(json.utf8)
            exchanges.append(answer)
        }
        return try Survey(of: HTTPArchive(exchanges)).text
    }

    @Test("leaves a gap for every word of a heading, link or title that is not about banking")
    func gaps() throws {
        let text = try survey(
            """
            <title>Kim Sample, your accounts</title><h1>Good morning, Kim!</h1><h2>Account DE89 3704</h2>
            <a href="/u/kim">Kim Sample</a><a href="/docs?owner=kim">Documents for Kim and Alex</a>
            <table><tr><th>Owner<th>Kim\u{2019}s share<tr><td>Kim Sample<td>12</table>
            <form><label>Recipient <input name=to value="Alex Other"></label><button>Pay Alex</button></form>
            """)
        #expect(text.contains("heading \"Good morning, …\""))
        #expect(text.contains("heading \"Account …\""))
        #expect(text.contains("link \"…\" to=/u/…"))
        #expect(text.contains("link \"Documents for … and …\" to=/docs?owner"))
        #expect(text.contains("column \"Owner\""))
        #expect(text.contains("field \"Recipient\""))
        #expect(text.contains("button \"Pay …\""))
        for word in ["kim", "sample", "alex", "other", "4711", "3704", "DE89"] {
            #expect(!text.lowercased().contains(word.lowercased()), "\(word): \(text)")
        }
    }

    @Test("lists the members of JSON answers with their types, without values")
    func json() throws {
        let text = try survey(
            "<title>x</title>",
            json:
                #"{"accounts": [{"iban": "DE89", "balance": 12.5, "open": true, "month": "2026-01"}, {"iban": null}]}"#)
        #expect(text.contains("json by=GET at=/api/accounts?session status=200"))
        #expect(text.contains("member at=$.accounts[*].iban type=null,string:text"))
        #expect(text.contains("member at=$.accounts[*].balance type=number"))
        #expect(text.contains("member at=$.accounts[*].month type=string:month-and-year"))
        for value in ["DE89", "12.5", "2026"] { #expect(!text.contains(value)) }
    }

    @Test("of an app is enough to draft its requests, with the tokens traced and every value left out")
    func app() async throws {
        var visit = ImaginedVisit()
        visit.get("/app", "<html lang=en><title>App</title><div id=root></div><script src=app.js></script>")
        visit.json(
            "/api/login", #"{"user": "kim", "password": "geheim", "device": "kims-laptop", "remember": true}"#,
            answer: #"{"access": {"token": "tok-4711-abcdef"}, "owner": "Kim Sample"}"#)
        let token = [("Authorization", "Bearer tok-4711-abcdef")]
        visit.json("/api/session/code", #"{"otp": "654321"}"#, answer: #"{"state": "open"}"#, headers: token)
        visit.json(
            get: "/api/documents?year=2026",
            answer: #"{"documents": [{"id": "doc-77", "period": "2026-04"}, {"id": "doc-76", "period": "2026-03"}]}"#,
            headers: token)
        visit.pdf("/api/doc/doc-76/content", headers: token)
        let survey = try Survey(reading: Survey(of: visit.archive).text)
        for secret in ["kim", "geheim", "4711", "654321", "laptop", "sample", "2026", "76"] {
            #expect(!survey.text.lowercased().contains(secret), "\(secret): \(survey.text)")
        }
        let draft = try ScriptDraft(survey: survey)
        let script = try BankScript(yaml: draft.yaml, file: "surveyed.yaml")
        let errors = ScriptLint.findings(in: script).filter { $0.severity == .error }
        #expect(Set(errors.map(\.rule)) == [ScriptLint.openQuestion], "\(draft.yaml)")
        let yaml = draft.yaml.split(separator: "\n").filter { !$0.contains("#") }.joined(separator: "\n")
        let steps = yaml[(yaml.range(of: "steps:")?.lowerBound ?? yaml.startIndex)...]
        #expect(
            steps == """
                steps:
                  - request: { POST: /api/login, body: { device: "…", password: $password, remember: "…", user: $username } }
                  - capture: { token: { json: $.access.token, secret: true } }
                  - second factor: { as: code, from: [vault, person], within: 2 min }
                  - request: { POST: /api/session/code, headers: { Authorization: { scheme: Bearer, captured: token } }, body: { otp: { captured: code } } }
                  - request: { GET: "/api/documents?year={{ year }}", headers: { Authorization: { scheme: Bearer, captured: token } } }
                  - capture: { id: { json: "$.documents[?@.period == '{{ year }}-{{ month | pad: 2 }}'].id" } }
                  - download: { request: { GET: "/api/doc/{{ id }}/content", headers: { Authorization: { scheme: Bearer, captured: token } } } }
                """, "\(draft.yaml)\n\(survey.text)")
        let questions = draft.yaml.matches(of: /Question \d+: [^\n]*/).map { String($0.output) }
        #expect(
            questions == [
                "Question 1: What does POST /api/login send as $.device? The survey leaves the value out; write it below.",
                "Question 2: What does POST /api/login send as $.remember? The survey leaves the value out; write it below.",
                "Question 3: What does the bank answer to a wrong password? Describe it below: "
                    + "- fail: { BANK_LOGIN_FAILED: { json: $.error }, reason: wrong_credentials }",
            ])
        // Written by hand, the two values make it fetch the document.
        var finished = draft
        finished.script = try BankScript(
            yaml: draft.yaml.replacing("device: \"…\"", with: "device: kims-laptop").replacing(
                "remember: \"…\"", with: "remember: true"), file: "finished.yaml")
        finished.parameters = ["month": 3, "year": 2026]
        let check = await finished.check(against: visit.archive)
        #expect(check.outcome == .passed, "\(check.text)")
    }

    @Test(
        "with names that no script can have gives no draft",
        arguments: ["call by=BREW at=/pot", "call by=GET at=/a\n  puts at=$.pin value=\"$two words\""])
    func strange(lines: String) throws {
        let survey = try Survey(reading: "countersign-survey version=1\norigin at=https://b.example\n\(lines)\n")
        let error = #expect(throws: DraftError.self) { try ScriptDraft(survey: survey) }
        #expect(error?.message.contains("cannot be written into a script") == true)
    }

    @Test(
        "reads a line back as it was written",
        arguments: [
            SurveyLine(0, "origin", nil, [("at", "https://b.example")]),
            SurveyLine(2, "field", "User name", [("type", "text"), ("required", nil), ("link", "Get it")]),
            SurveyLine(1, "heading", ""), SurveyLine(1, "link", "a \"b\"", [("to", "/x?y&z")]),
            SurveyLine(0, "field", nil, [("\"na\"me", "a\"b")]),
        ])
    func lines(line: SurveyLine) {
        #expect(SurveyLine(reading: "\(line)")?.description == "\(line)")
    }

    @Test("reads back with the line endings of other programs")
    func lineEnds() throws {
        let text = "countersign-survey version=1 language=en\norigin at=https://b.example\n"
        let sent = try Survey(reading: text.replacing("\n", with: "\r\n"))
        #expect(sent.text == text)
        #expect(try Survey(reading: text.replacing("\n", with: "\r\r\r\n")).text == text)
        let noted = try Survey(reading: text + " # a person's remark\n")
        #expect(noted.text == text)
    }

    @Test("refuses a file that is not a survey")
    func refused() {
        #expect(throws: DraftError.self) { try Survey(reading: "hello\n") }
        #expect(throws: DraftError.self) { try Survey(of: HTTPArchive([])) }
    }

    @Test("discloses nothing of a password's nature, and skips disabled fields")
    func passwords() throws {
        var visit = ImaginedVisit()
        visit.get(
            "/login",
            """
            <html lang=en><title>Sign in</title><form method=post action=/login>
            <label>PIN <input type=password name=pin inputmode=numeric maxlength=5></label>
            <label>Code <input name=otp inputmode=numeric maxlength=6></label>
            <label>Old <input name=old disabled></label><button>Sign in</button></form></html>
            """)
        visit.json("/api/session", #"{"password": "12345", "pin": 98765, "page": 1}"#, answer: #"{"ok": true}"#)
        let text = try Survey(of: visit.archive).text
        #expect(text.contains("field \"PIN\" type=password name=pin\n"), "\(text)")
        #expect(text.contains("maxlength=6"))
        #expect(!text.contains("name=old"))
        #expect(text.contains("sends at=$.password type=secret") && text.contains("sends at=$.pin type=secret"))
        #expect(text.contains("sends at=$.page type=number"))
    }
}
