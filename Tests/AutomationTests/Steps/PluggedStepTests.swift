import BankScript
import Encodings
import LookUp
import Testing

@testable import Automation

/// ``LookUpStep`` is declared in the examples, which see public API alone, outside the language and the interpreter. Putting it into the list is all that it takes.
@Suite("A step that is plugged in")
struct PluggedStepTests {
    private static let language = StepList.standard + [LookUpStep.self]

    private static let yaml = """
        steps:
          - open: /
          - look-up: { field: Search, for: "{{ month.name }} {{ year }}", form: "#search" }
          - download: PDF
        """

    private static func script(_ yaml: String = yaml) throws -> BankScript {
        try BankScript(yaml: StagedRun.head + yaml, file: "staged.yaml", steps: language)
    }

    @Test("is read, written and disclosed, and counts in the digest")
    func text() throws {
        let script = try Self.script()
        let again = try BankScript(yaml: script.yaml(), file: "again.yaml", steps: Self.language)
        #expect(again.digest == script.digest)
        let other = try Self.script(Self.yaml.replacing("Search,", with: "Find,"))
        #expect(other.digest != script.digest)
        let lines = ScriptDisclosure(script).lines
        #expect(lines.contains("- look up “{{ month.name }} {{ year }}” in field “Search”"), "\(lines)")
        #expect(lines.contains { $0.hasSuffix("submits the form css “#search”") }, "\(lines)")
    }

    @Test("shows what leaves with it")
    func outflow() throws {
        let script = try Self.script(Self.yaml.replacing(#""{{ month.name }} {{ year }}""#, with: "$username"))
        #expect(
            ScriptDisclosure(script).outflows.map(\.description) == ["the username to https://bank.example, in a form"])
    }

    @Test("is in the schema, where it is plugged in")
    func schema() {
        #expect(ScriptSchema.json(of: Self.language).compactText().contains(#""required":["look-up"]"#))
        #expect(!ScriptSchema.json.compactText().contains("look-up"))
    }

    @Test("is checked by lint, each text as what it is")
    func lint() throws {
        let names = PluggedNames(steps: Self.language)
        #expect(ScriptLint.findings(in: try Self.script(), plugged: names).isEmpty)
        for (text, with) in [
            ("Search,", "\"{{ nope }}\","), ("{{ month.name }}", "{{ nope }}"), ("#search", "#{{ nope }}"),
        ] {
            let script = try Self.script(Self.yaml.replacing(text, with: with))
            let rules = ScriptLint.findings(in: script, plugged: names).map(\.rule)
            #expect(rules.contains("unknown-name"), "\(text)")
        }
    }

    @Test("is refused where it is not plugged in, with the steps there are")
    func missing() throws {
        let error = #expect(throws: ScriptSyntaxError.self) {
            try BankScript(yaml: StagedRun.head + Self.yaml, file: "staged.yaml")
        }
        #expect(error?.message == "no step “look-up” is plugged in")
        #expect(error?.hint?.contains("open, follow, fill") == true)
        let finding = ScriptLint.findings(in: try Self.script()).first { $0.rule == "unknown-step" }
        #expect(finding?.severity == .error)
        #expect(finding?.message.contains("the steps are: open, follow, fill") == true)
        #expect(ScriptLint.pluginRules.contains("unknown-step"))
    }

    @Test("is performed, and what it types leaves with its form")
    func performed() async throws {
        let bank = StagedBank { line, _ in
            switch line {
            case "GET /":
                .page("<form id=search action=/found><label>Search <input name=q></label></form>")
            case "GET /found?q=March+2026": .page("<a href=/1.pdf>PDF</a>")
            case "GET /1.pdf": .pdf()
            default: .page("<p>Something else")
            }
        }
        let run = try await StagedRun.perform(Self.yaml, at: bank, language: Self.language)
        #expect(run.failure == nil, "\(run.failure?.description ?? "")")
        #expect(run.steps.contains("✓ look up “March 2026” in field “Search”"), "\(run.steps)")
    }

    @Test("ends a run with its name where the program cannot perform it")
    func unperformed() async throws {
        let bank = StagedBank { _, _ in .page("<p>Welcome") }
        let run = try await StagedRun.perform("steps:\n  - open: /\n", at: bank) { script in
            script.steps.append(Step(Action(SilentStep())))
        }
        #expect(
            run.failure?.message.contains("cannot perform the step “silent”") == true,
            "\(String(describing: run.failure))")
    }
}

/// A step without its other half.
private struct SilentStep: StepDescription {
    static let names = ["silent"]

    static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [SilentStep] { [SilentStep()] }

    var written: YAMLText { .bare("true") }
    static func schema(of name: String) -> JSONValue { ["const": true] }
    var json: JSONValue { ["silent": true] }
    func words(filling filled: (Template) -> String) -> String { "say nothing" }
    func check(in lint: inout ScriptLint, at mark: Mark?) {}
}
