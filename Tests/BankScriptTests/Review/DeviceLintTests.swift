import Selectors
import Testing

@testable import BankScript

@Suite("A script that names the cookies of the device")
struct DeviceLintTests {
    private static let head = "bank: a\nname: A\norigins: [https://bank.example]\n"
    private static let when = """
        steps:
          - open: /{{ year }}/{{ month }}
          - when: { shows: { field: Code } }
            then:
              - second factor: { field: Code, from: [person], within: 1 min }
          - download: PDF
        """

    private static func script(_ device: String, steps: String = when) throws -> BankScript {
        try BankScript(yaml: head + device + "\n" + steps, file: "device.yaml")
    }

    @Test("is written as it was read, and in Swift")
    func read() throws {
        let script = try Self.script("device: [trusted, __Host-dfp]")
        #expect(script.device == ["trusted", "__Host-dfp"])
        let again = try BankScript(yaml: script.yaml(), file: "again.yaml")
        #expect(again.digest == script.digest && again.device == script.device)
        let swift = BankScript("a", named: "A", at: "https://bank.example", device: ["trusted", "__Host-dfp"]) {
            Open("/{{ year }}/{{ month }}")
            When(.shows(.field("Code"))) { SecondFactor("Code", from: .person, within: .minutes(1)) }
            Download("PDF")
        }
        #expect(swift.json == script.json)
        #expect(ScriptLint.findings(in: script).isEmpty)
    }

    @Test("has another digest than the script without, whose digest is as before")
    func digest() throws {
        let (with, without) = (try Self.script("device: [trusted]"), try Self.script(""))
        #expect(with.digest != without.digest)
        #expect(without.json["device"] == nil)
    }

    @Test("says at acceptance what is kept and where it goes")
    func disclosed() throws {
        let disclosure = ScriptDisclosure(try Self.script("device: [trusted]"))
        #expect(
            disclosure.lines.contains(
                "device: keeps the bank's cookie “trusted” over visits, so that the bank knows this device; sealed in the vault, and sent to this bank only"
            ))
        #expect(disclosure.summary == ["https://bank.example: a one-time code, the cookies of this device"])
        let question = AcceptanceQuestion(try Self.script("device: [trusted]")).description
        #expect(question.contains("one-time codes and the cookies of this device to 1 origin"), "\(question)")
        let before = ScriptDisclosure(try Self.script("")).comparable
        #expect(Set(disclosure.comparable).subtracting(before).count == 2)
    }

    @Test(
        "is refused where it can be neither a cookie nor a credential",
        arguments: [
            ("device: [a b]", "cannot be the name of a cookie"),
            ("device: [\"a=b\"]", "cannot be the name of a cookie"),
            ("device: [c1, c2, c3, c4, c5, c6, c7, c8, c9]", "may name 8 cookies"),
            ("device: [a]\nengine: other-engine", "keeps no cookies"),
        ])
    func refused(device: String, words: String) throws {
        let findings = ScriptLint.findings(in: try Self.script(device))
        #expect(findings.contains { $0.rule == "device" && $0.severity == .error && $0.message.contains(words) })
    }

    @Test("is refused twice, and as a text")
    func syntax() {
        #expect(throws: ScriptSyntaxError.self) { try Self.script("device: [a, a]") }
        #expect(throws: ScriptSyntaxError.self) { try Self.script("device: {}") }
    }

    @Test(
        "may be captured by no step",
        arguments: [("{ cookie: trusted }", true), ("{ header: set-cookie }", true), ("{ cookie: other }", false)])
    func captured(source: String, isRefused: Bool) throws {
        let steps = Self.when.replacing(
            "  - download: PDF", with: "  - capture: { id: \(source) }\n  - download: \"{{ id }}\"")
        let findings = ScriptLint.findings(in: try Self.script("device: [trusted]", steps: steps))
        #expect(findings.contains { $0.rule == "device" && $0.severity == .error } == isRefused)
        #expect(!ScriptLint.findings(in: try Self.script("", steps: steps)).contains { $0.rule == "device" })
    }

    @Test("is warned of where the code is asked for at each visit, or at none")
    func code() throws {
        let always =
            "steps:\n  - open: /{{ year }}/{{ month }}\n  - second factor: { field: Code, from: [person], within: 1 min }\n  - download: PDF"
        let never = "steps:\n  - open: /{{ year }}/{{ month }}\n  - download: PDF"
        for (steps, words) in [(always, "asks for a code at each visit"), (never, "no step asks for a code")] {
            let findings = ScriptLint.findings(in: try Self.script("device: [trusted]", steps: steps))
            #expect(findings.contains { $0.severity == .warning && $0.message.contains(words) }, "\(findings)")
        }
    }
}
