import BankScript
import Encodings
import Languages
import Testing

@testable import ApprovalPage

@Suite("The question whether a script may run, on the page")
struct AcceptanceWordsTests {
    static let scripts = [
        "bank: x\nname: Bank\norigins: [https://a.example]\nsteps:\n  - download: PDF\n",
        """
        bank: x
        name: Bank
        origins: [https://a.example, https://b.example]
        steps:
          - fill: { User: $username, Word: $password }
          - second factor: { field: TAN, from: [person], within: 1 min }
          - capture: { token: { css: "#token" } }
          - request: { POST: "https://b.example/x", body: { t: { captured: token } } }
          - download: PDF
        """,
        """
        bank: x
        name: Bank
        origins: [https://a.example]
        credentials: [membership]
        steps:
          - fill: { Membership: $membership }
          - download: PDF
        """,
    ]

    @Test("is in English as at the terminal", arguments: scripts)
    func english(yaml: String) throws {
        let question = AcceptanceQuestion(try BankScript(yaml: yaml, file: "a.yaml"))
        #expect(AcceptanceWords.question(question) == question.description)
    }

    @Test("names every origin and all that leaves in each language", arguments: Language.allCases)
    func languages(language: Language) throws {
        let question = AcceptanceQuestion(try BankScript(yaml: Self.scripts[1], file: "a.yaml"))
        let words = PageText.$sentences.withValue(PageResources.sentences[language]) {
            AcceptanceWords.question(question)
        }
        #expect(words.contains("https://a.example, https://b.example"), "\(words)")
        #expect(!words.contains("{{") && words.contains("\(question.steps) ") && words.contains("2 "), "\(words)")
        #expect(question.sent == [.credential("username"), .credential("password"), .codes, .captured(1)])
    }

    @Test("is the same in parts, with each origin in one of its own", arguments: Language.allCases)
    func parts(language: Language) throws {
        for yaml in Self.scripts {
            let question = AcceptanceQuestion(try BankScript(yaml: yaml, file: "a.yaml"))
            let (whole, parts) = PageText.$sentences.withValue(PageResources.sentences[language]) {
                (AcceptanceWords.question(question), AcceptanceWords.parts(question))
            }
            #expect(parts.map(\.text).joined() == whole)
            #expect(parts.filter(\.isOrigin).map(\.text) == question.origins, "\(whole)")
        }
    }

    @Test("puts a name that an author made up in quotes in each language", arguments: Language.allCases)
    func quoted(language: Language) {
        let script = BankScript(
            id: "x", name: "Bank", origins: ["https://a.example"], credentials: ["nothing"],
            steps: [Step(.fill(.field(.name("a")), .credential("nothing")))])
        let words = PageText.$sentences.withValue(PageResources.sentences[language]) {
            AcceptanceWords.question(AcceptanceQuestion(script))
        }
        #expect(words.contains(/[“„«]\s?nothing\s?[”“»]/), "\(words)")
    }
}
