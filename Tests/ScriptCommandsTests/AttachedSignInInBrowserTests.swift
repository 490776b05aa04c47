import Automation
import BankScript
import BrowserAutomation
import Crypto
import DefaultBank
import Encodings
import Foundation
import MockBank
import TestCases
import TestSupport
import Testing

@testable import ScriptCommands

/// A person signs in with their own hands, and the script goes on from there.
@Suite("A person's own sign-in", .serialized)
struct AttachedSignInInBrowserTests {
    private static func script(_ path: String) throws -> BankScript {
        let file = Repository.file("BankScripts/DefaultBank/" + path)
        return try BankScript(yaml: String(contentsOf: file, encoding: .utf8), file: path)
    }

    @Test(
        "leaves out what signs in, and what the bank says of it",
        arguments: [
            ("meridian-savings.yaml", ["open /login"]),
            ("Variants/single-page-app.yaml", ["open /"]),
            ("Variants/json-bank-in-a-browser.yaml", ["open /login", "expect", "search", "download"]),
        ])
    func steps(_ path: String, _ expected: [String]) throws {
        let attached = try #require(AttachedSignIn(Self.script(path)))
        let words = attached.script.steps.map(\.action.words)
        #expect(words.count == expected.count, "\(words)")
        for (step, start) in zip(words, expected) { #expect(step.hasPrefix(start), "\(words)") }
    }

    @Test("is refused for a script that opens no page, and for one that does not sign in")
    func refused() {
        func script(_ steps: [Step]) -> BankScript {
            BankScript(id: "bank", name: "Bank", origins: ["https://bank.example"], steps: steps)
        }
        #expect(AttachedSignIn(script([Step(.fill(.field("Password"), .credential("password")))])) == nil)
        #expect(AttachedSignIn(script([Step(.open("/"))])) == nil)
        let plain = script([
            Step(.open("/")), Step(.fill(.field("Password"), .credential("password"))),
            Step(.press(.button("Sign in"))),
            Step(.follow(.link("Statements"))),
        ])
        #expect(AttachedSignIn(plain)?.script.steps.map(\.action.words) == ["open /", "follow link “Statements”"])
    }

    @Test("is followed by the script's other steps, without a credential", .needsChromedriver, .timeLimit(.minutes(3)))
    func visit() async throws {
        let bank = try await MockBankServer.start()
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let attached = try #require(
            AttachedSignIn(Self.script("meridian-savings.yaml").served(at: bank.url, isForTesting: true)))
        var services = HostServices(
            credentials: TestCredentials(values: [:]), person: TestPerson(), downloads: FolderSink(folder.url))
        services.gate = attached.gate(before: OpenGate()) { engine in
            try await engine.fill(.field("Username"), with: .text("robin.ashdown"))
            try await engine.fill(.field("Password"), with: .text("correct horse"))
            try await engine.press(.button("Sign in"))
            try await engine.fill(.field("One-time code"), with: .text("123456"))
            try await engine.press(.button("Continue"))
        }
        let runner = ScriptRunner(services: services) { try await BrowserNavigationEngine.start(for: $0) }
        let document = try await runner.run(attached.script, parameters: ["month": 5, "year": 2025])
        let right = MockBankServer.statement(month: 5, year: 2025)
        #expect(document.sha256 == Base16.encode(SHA256.hash(data: right)))
        await bank.stop()
    }
}
