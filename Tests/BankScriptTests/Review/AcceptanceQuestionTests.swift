import Encodings
import Testing

@testable import BankScript

@Suite("The question whether a script may run")
struct AcceptanceQuestionTests {
    private func question(_ yaml: String) throws -> String {
        AcceptanceQuestion(try BankScript(yaml: yaml, file: "a.yaml")).description
    }

    @Test("names the steps, what leaves, and every origin")
    func whole() throws {
        let question = try question(
            """
            bank: x
            name: Bank
            origins: [https://a.example, https://b.example]
            steps:
              - fill: { User: $username, Word: $password }
              - second factor: { field: TAN, from: [person], within: 1 min }
              - capture: { token: { css: "#token" } }
              - when: .news
                then: [press: Close]
              - request: { POST: "https://b.example/x", body: { t: { captured: token } } }
              - download: PDF
            finally:
              - press: Sign out
            """)
        #expect(
            question
                == "May this script for “x” run its 9 steps and send username, password, one-time codes and 1 captured "
                + "value to 2 origins: https://a.example, https://b.example?")
    }

    @Test("of a script that sends nothing names whom it contacts")
    func nothing() throws {
        let question = try question(
            "bank: x\nname: Bank\norigins: [https://a.example]\nsteps:\n  - download: PDF\n")
        #expect(question == "May this script for “x” run its 1 step and contact 1 origin: https://a.example?")
    }

    @Test("puts an author's names in quotes, keeps the end of an origin, and is one line")
    func hostile() {
        let host = String(repeating: "bank.example.", count: 18) + "thief.example"
        let script = BankScript(
            id: "x", name: "Bank", origins: ["https://\(host)", "https://b.example\nAccepted"],
            credentials: ["nothing"], steps: [Step(.fill(.field(.name("a")), .credential("nothing")))])
        let question = AcceptanceQuestion(script).description
        #expect(question.contains("send “nothing” to 2 origins: https://\(host), "), "\(question)")
        #expect(question.hiddenScalars.isEmpty, "\(question)")
    }

    @Test(
        "and the table before it tell where an address leads",
        arguments: [
            ("/path", ["https://a.example"]), (" /path", ["https://a.example"]), ("\\path", ["https://a.example"]),
            ("/\u{301}path", ["https://a.example"]), ("https://b.example/x", ["https://b.example"]),
            ("https://b\n.example/x", ["https://b.example"]),
            ("//b.example/x", ["https://a.example", "https://b.example"]),
            ("/\n/b.example/x", ["https://a.example", "https://b.example"]),
            ("/\\b.example/x", ["https://a.example", "https://b.example"]),
            ("//\u{338}b.example", ["https://a.example", "https://b.example"]),
            ("\\\\b.example/x", ["https://a.example", "https://b.example"]),
            ("x?to=https://c.example/", ["https://a.example", "https://b.example"]),
        ])
    func destinations(reference: String, origins: [String]) {
        let request = RequestStep(
            method: "POST", reference: Template(reference), body: .object(["p": .value(.credential("password"))]))
        let script = BankScript(
            id: "x", name: "Bank", origins: ["https://a.example", "https://b.example"],
            steps: [Step(.request(request))])
        #expect(Outflow.all(of: script).map(\.origin) == origins)
    }
}
