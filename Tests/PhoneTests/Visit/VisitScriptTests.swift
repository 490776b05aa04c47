import BankScript
import Encodings
import Testing

@testable import Phone

@Suite("A script on its way to the process of a visit")
struct VisitScriptTests {
    private static let yaml = """
        # Comments and lines count for the places of steps.
        bank: north
        name: North Bank
        origins: [https://north.example, https://files.north.example]
        pins: { https://north.example: [sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=] }
        credentials: [username, password, pin]
        device: [dev]
        interruptions:
          - when: { says: News }
            pass:
              - press: Later
          - { when: { says: Locked }, fail: BANK_LOGIN_FAILED, reason: account_locked }
        steps:
          - open: /login
          - fill: { Username: $username, Password: $password }

          - press: Sign in
          - when: { shows: "#code" }
            then:
              - second factor: { field: Code, within: 2 min }
            otherwise:
              - press: Go on
        for each period:
          - follow: Statements
          - download: PDF
        finally:
          - press: Sign out
        """

    private static func marks(_ script: BankScript) -> [Mark?] {
        let passed = script.interruptions.flatMap { interruption -> [Step] in
            if case .pass(let steps) = interruption.response { steps } else { [] }
        }
        return (script.steps + script.forEachPeriod + script.finally + passed).flattened.map(\.mark)
            + script.interruptions.map(\.mark)
    }

    @Test("arrives as the same script, with the places of its steps")
    func whole() throws {
        let script = try BankScript(yaml: Self.yaml, file: "north.yaml")
        let json = try JSONReader.read(VisitScript.json(of: script).compactText())
        let arrived = try #require(VisitScript.script(json, compiled: [], steps: .standard))
        #expect(arrived.digest == script.digest)
        #expect(Self.marks(arrived) == Self.marks(script))
        #expect(Set(Self.marks(script)).count > 8, "the test's script has many places")
        #expect(arrived.source == "north.yaml")
    }

    @Test("that is compiled in is taken from the program, also for another host")
    func compiled() throws {
        let script = BankScript("north", named: "North", at: "https://north.example") {
            Open("/")
            // This text cannot be written as YAML.
            Request("POST", "/pay", body: .object(["a": .value(.template("$b"))]))
        }
        for served in [script, script.served(at: "http://127.0.0.1:1", isForTesting: true)] {
            let json = VisitScript.json(of: served)
            #expect(VisitScript.script(json, compiled: [script], steps: .standard)?.digest == served.digest)
            #expect(VisitScript.script(json, compiled: [], steps: .standard) == nil, "it would be another script")
        }
    }

    @Test("that is another one than its digest says does not run")
    func other() throws {
        let script = try BankScript(yaml: Self.yaml, file: "north.yaml")
        guard case .object(var members) = VisitScript.json(of: script) else { return }
        members["yaml"] = .string(script.yaml().replacing("Sign in", with: "Sign up"))
        #expect(VisitScript.script(.object(members), compiled: [], steps: .standard) == nil)
    }
}
