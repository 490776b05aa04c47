import BankScript
import Testing

@Suite("Lint of the plug-ins that a script calls for")
struct PluginLintTests {
    private static func script(engine: String = "html", from sources: String = "vault, person") throws -> BankScript {
        try BankScript(
            yaml: """
                bank: test
                name: Test
                origins: [https://bank.example]
                engine: \(engine)
                steps:
                  - open: /
                  - second factor: { field: TAN, from: [\(sources)], within: 1 min }
                  - fail: { BANK_LOGIN_FAILED: .error, reason: wrong_code }
                  - download: { open: "/{{ year }}/{{ month }}.pdf" }
                """, file: "test.yaml")
    }

    private static func findings(_ script: BankScript, _ plugged: PluggedNames = .standard) -> [Finding] {
        ScriptLint.findings(in: script, plugged: plugged).filter { ScriptLint.pluginRules.contains($0.rule) }
    }

    @Test(
        "names what is not plugged in, and what there is",
        arguments: [
            ("brwser", "person", "unknown-engine", "html, browser", "did you mean browser?"),
            ("recording", "person", "unknown-engine", "html, browser", "plugins list"),
            ("html", "vault, gateway", "unknown-source", "vault, person", "plugins list"),
            ("html", "perso", "unknown-source", "vault, person", "did you mean person?"),
        ])
    func unknown(_ engine: String, _ sources: String, _ rule: String, _ names: String, _ hint: String) throws {
        let findings = Self.findings(try Self.script(engine: engine, from: sources))
        #expect(findings.map(\.rule) == [rule])
        #expect(findings.allSatisfy { $0.severity == .error && $0.message.hasSuffix(": \(names)") })
        #expect(findings.first?.hint?.contains(hint) == true, "\(findings.first?.hint ?? "")")
    }

    @Test("finds nothing in a script whose plug-ins are there")
    func known() throws {
        let engine = try #require(ScriptEngine(rawValue: "recording"))
        let source = try #require(SecondFactorStep.Source(rawValue: "gateway"))
        let plugged = PluggedNames(engines: ScriptEngine.standard + [engine], codeSources: [source])
        let script = try Self.script(engine: "recording", from: "gateway")
        #expect(Self.findings(script, plugged).isEmpty)
        #expect(script.engine == engine)
        // Names travel: YAML, JSON and the digest have them.
        #expect(try BankScript(yaml: script.yaml(), file: "again.yaml").digest == script.digest)
        #expect(try Self.script(engine: "html", from: "gateway").digest != script.digest)
    }

    @Test(
        "refuses what cannot be a name",
        arguments: ["", "Browser", "a b", "-x", "x\u{E9}", String(repeating: "a", count: 41)])
    func invalid(_ name: String) {
        #expect(ScriptEngine(rawValue: name) == nil && SecondFactorStep.Source(rawValue: name) == nil)
    }
}
