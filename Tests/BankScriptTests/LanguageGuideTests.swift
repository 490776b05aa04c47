import Foundation
import Messages
import TestSupport
import Testing

@testable import BankScript

/// Checks `BankScripts/README.md` against the language: its examples are valid, and it covers every part.
@Suite("The guide to the language")
struct LanguageGuideTests {
    private static let text: String = {
        let file = Repository.file("BankScripts/README.md")
        return (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    }()

    private static let examples: [String] = text.matches(of: /```yaml\n((?s).*?)```/).map { String($0.output.1) }

    private static func script(_ example: String) throws -> BankScript {
        let head =
            "bank: test\nname: Test\norigins: [https://bank.example]\n"
            + "credentials: [username, password, pin, memorable_word, branch, token]\n"
        let yaml =
            switch example.prefix(while: { $0 != ":" && $0 != " " }) {
            case "bank": example
            case "interruptions", "dialogs": head + example + "steps:\n  - download: PDF\n"
            default: head + "steps:\n" + example
            }
        return try BankScript(yaml: yaml, file: "README.md")
    }

    @Test("shows only scripts that can be read", arguments: examples)
    func reads(example: String) throws {
        let script = try Self.script(example)
        // An excerpt has no download at its end, and may show things that lint warns about.
        let errors = ScriptLint.findings(in: script).filter { $0.severity == .error && $0.rule != "no-download" }
        #expect(errors.isEmpty, "\(errors)")
    }

    @Test("names every step, condition, filter, code and reason")
    func complete() {
        #expect(Self.examples.count >= 6)
        for name in StepList.standard.names { #expect(Self.text.contains("- \(name): "), "\(name)") }
        for name in ScriptNode.conditions { #expect(Self.text.contains("\(name): "), "\(name)") }
        for name in ScriptNode.targets { #expect(Self.text.contains("\(name): "), "\(name)") }
        for kind in Parameter.kindNames { #expect(Self.text.contains("{ \(kind): "), "\(kind)") }
        for filter in TemplateFilter.allCases { #expect(Self.text.contains("`\(filter.rawValue)`"), "\(filter)") }
        for code in ErrorCode.runFailures { #expect(Self.text.contains("`\(code.rawValue)`"), "\(code)") }
        for reason in FailureReason.allCases { #expect(Self.text.contains("`\(reason.rawValue)`"), "\(reason)") }
    }
}
