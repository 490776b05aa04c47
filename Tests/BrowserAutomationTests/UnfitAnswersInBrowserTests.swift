import Automation
import BankScript
import Foundation
import HTMLAutomation
import MockBank
import Secrets
import Selectors
import Synchronization
import TestCases
import TestSupport
import Testing

@testable import BrowserAutomation

/// An answer that the code's field cannot hold does not count as a try at the bank, on both engines.
@Suite("An unfit answer in the browser", .serialized)
struct UnfitAnswersInBrowserTests {
    /// A person whose first answer is too long.
    private final class Person: HumanPrompt {
        private let answers: Mutex<[String]>
        private let asked = Mutex<[String]>([])

        var questions: [String] { asked.withLock { $0 } }

        init(_ answers: [String]) {
            self.answers = Mutex(answers)
        }

        func answer(_ prompt: Prompt) async throws -> Secret {
            asked.withLock { $0.append(prompt.question) }
            return Secret(answers.withLock { $0.removeFirst() })
        }
    }

    @Test(
        "is asked for again, and only the right code goes to the bank", .needsChromedriver, .timeLimit(.minutes(3)),
        arguments: ScriptEngine.standard)
    func asksAgain(_ kind: ScriptEngine) async throws {
        let requests = Mutex<[String]>([])
        var configuration = MockBankConfiguration()
        configuration.oneTimeCode = "839174"
        configuration.onRequest = { method, path in requests.withLock { $0.append("\(method) \(path)") } }
        let bank = try await MockBankServer.start(configuration)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = Repository.file("BankScripts/DefaultBank/meridian-savings.yaml")
        let script = try BankScript(yaml: String(contentsOf: file, encoding: .utf8), file: "meridian-savings.yaml")
            .served(at: bank.url, isForTesting: true)
        let person = Person(["four-and-twenty-letters-x", "839174"])
        let services = HostServices(
            credentials: TestCredentials(
                values: ["username": configuration.username, "password": configuration.password]),
            person: person, downloads: FolderSink(folder.url))
        let runner = ScriptRunner(services: services) {
            guard kind == .browser else { return try HTMLNavigationEngine(for: $0) }
            return try await BrowserNavigationEngine.start(for: $0)
        }
        let document = try await runner.run(script, parameters: ["month": 11, "year": 2025])
        await bank.stop()
        #expect(document.bytes > 0)
        #expect(person.questions.count == 2)
        #expect(person.questions.last?.hasPrefix("The code must have at most 6 characters. ") == true)
        #expect(requests.withLock { $0 }.filter { $0 == "POST /code" }.count == 1)
    }

    @Test("is found in the fields as they are on the page", .needsChromedriver, .timeLimit(.minutes(3)))
    func rules() async throws {
        // The page's script sets the limits, which only the browser can know.
        let page = """
            <title>Bank</title><label>Code <input id=code></label><form><label>PIN <input id=pin></label></form>
            <script>code.maxLength = 6; pin.pattern = "[0-9]{4}";</script>
            """
        try await BrowserVisit.run(
            page: { _ in page },
            { engine, origin in
                try await engine.open(origin + "/")
                let answer = Secret("four-and-twenty-letters-y")
                #expect(try await engine.rule(of: .field("Code"), brokenBy: answer) == "must have at most 6 characters")
                #expect(try await engine.rule(of: .field("PIN"), brokenBy: answer) == "must have 4 digits")
                #expect(try await engine.rule(of: .field("Code"), brokenBy: Secret("839174")) == nil)
            })
    }
}
