import Messages
import Testing

@testable import BankScript

@Suite("Files of banks that name a source")
struct SourceFileTests {
    private static let yaml = """
        bank: musterbank
        name: Musterbank
        source: fints
        at: https://fints.musterbank.example/fints
        bank code: "12345678"
        fetch: [pdf, camt]

        """

    private func read(_ text: String) throws -> BankScript { try BankScript(yaml: text, file: "bank.yaml") }

    @Test("reads as the value in Swift, and writes back to the same digest")
    func reads() throws {
        let file = try read(Self.yaml)
        let swift = BankScript(
            "musterbank", named: "Musterbank",
            from: SourceDeclaration(
                .fints, at: "https://fints.musterbank.example/fints", settings: ["bank code": "12345678"],
                fetching: [.camt, .pdf]))
        #expect(file.digest == swift.digest)
        #expect(try read(file.yaml()).digest == file.digest)
        #expect(file.origins == ["https://fints.musterbank.example"])
        #expect(file.kinds == [.pdf, .camt] || file.kinds == [.camt, .pdf])
        #expect(file.fetchesSeveral && file.listsAccounts)
        #expect(ScriptLint.findings(in: file).isEmpty, "\(ScriptLint.findings(in: file))")
    }

    @Test("each part counts in the digest")
    func digest() throws {
        let digest = try read(Self.yaml).digest
        for (old, new) in [
            ("12345678", "12345679"), ("[pdf, camt]", "[pdf]"), ("/fints\n", "/other\n"),
            ("musterbank.example", "musterbank2.example"),
        ] {
            #expect(try read(Self.yaml.replacing(old, with: new)).digest != digest, "\(old)")
        }
    }

    @Test("a script with `source: web` is the same as one without")
    func web() throws {
        let script = "bank: a\nname: A\norigins: [https://a.example]\nsteps:\n  - open: /\n  - download: PDF\n"
        #expect(try read("source: web\n" + script).digest == (try read(script)).digest)
    }

    @Test(
        "says what is wrong",
        arguments: [
            ("source: fints", "source: fnits", "unknown-document-source", "did you mean fints?"),
            ("bank code: \"12345678\"\n", "", "source-setting", "bank code: \"12345678\""),
            ("12345678", "1234567", "source-setting", "eight digits"),
            ("bank code", "bank cod", "source-setting", "it has: bank code"),
            ("[pdf, camt]", "[pdf, qif]", "source-kind", "pdf, camt, mt940"),
            ("[pdf, camt]", "[]", "no-download", "fetch: "),
            ("https://fints", "http://fints", "plain-http", "use https"),
        ])
    func lint(_ old: String, _ new: String, _ rule: String, _ hint: String) throws {
        let findings = ScriptLint.findings(in: try read(Self.yaml.replacing(old, with: new)))
        #expect(
            findings.contains { $0.rule == rule && $0.severity == .error && $0.hint?.contains(hint) == true },
            "\(findings)")
    }

    @Test(
        "refuses what cannot be read, with the line",
        arguments: [
            ("fetch: [pdf, camt]", "fetch: pdf"), ("fetch: [pdf, camt]", "fetch: [fax]"),
            ("source: fints", "source: FinTS!"),
            ("at: https://fints.musterbank.example/fints\n", ""), ("bank: musterbank", "bank: Muster Bank"),
            ("fetch: [pdf, camt]", "fetch: [pdf]\nsteps:\n  - open: /"), ("bank code: \"12345678\"", "bank code: [1]"),
        ])
    func refuses(_ old: String, _ new: String) {
        #expect(throws: ScriptSyntaxError.self) { try read(Self.yaml.replacing(old, with: new)) }
    }

    @Test("the person who accepts the file reads what it does, and what it cannot do")
    func disclosure() throws {
        let disclosure = ScriptDisclosure(try read(Self.yaml))
        let lines = disclosure.lines.joined(separator: "\n")
        for words in [
            "source fints", "https://fints.musterbank.example/fints", "bank code: 12345678", "fetch camt, pdf",
            "cannot pay",
            "does not acknowledge",
        ] {
            #expect(
                lines.contains(words) || lines.contains("fetch pdf, camt") && words.hasPrefix("fetch"),
                "\(words)\n\(lines)")
        }
        #expect(disclosure.summary.joined().contains("the password"))
        #expect(
            "\(AcceptanceQuestion(try read(Self.yaml)))"
                == "May this script for “musterbank” use the source “fints” and send username, password and one-time "
                + "codes to 1 origin: https://fints.musterbank.example?")
    }

    @Test("moves to a test bank with its path")
    func served() throws {
        let moved = try read(Self.yaml).served(at: "http://localhost:8080", isForTesting: true)
        #expect(moved.documentSource?.address == "http://localhost:8080/fints")
        #expect(moved.origins == ["http://localhost:8080"])
    }
}
