import ArgumentParser
import BankScript
import CountersignPlugins
import Encodings
import Foundation
import Terminal

struct ScriptLintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint", abstract: "Check a script without running it.",
        discussion: "No network is used. Exit status: 0 clean or warnings only, 3 errors, 2 usage.")

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json, github
    }

    @OptionGroup var script: ScriptArgument

    @Option(help: "The format of the findings: text, json, or github (workflow annotations).")
    var format = Format.text

    @Flag(help: "Treat warnings as errors.")
    var strict = false

    func run() throws {
        let text = ScriptFile.isName(script.script) ? try ScriptFile(path: script.script).text : nil
        // In the formats for programs a syntax error is a finding too; a person sees it on stderr, with its line.
        if format != .text, let text {
            do {
                _ = try BankScript(yaml: text, file: script.script, steps: Plugins.current.names.steps)
            } catch {
                try print([Finding(error)], text: text, of: nil)
                throw ExitCode(3)
            }
        }
        let loaded = try script.load()
        let findings = ScriptLint.findings(in: loaded, plugged: Plugins.current.names).map {
            text.map($0.located) ?? $0
        }
        try print(findings, text: text, of: loaded)
        if findings.contains(where: { strict || $0.severity == .error }) { throw ExitCode(3) }
    }

    private func print(_ findings: [Finding], text: String?, of loaded: BankScript?) throws {
        switch format {
        case .text:
            for finding in findings { printText(finding, text) }
            if let loaded { Console.standard.show(ScriptDisclosure(loaded).outflowTable) }
            if let loaded { printSummary(findings, of: loaded) }
        case .json: try printJSON(findings)
        case .github: for finding in findings { Console.standard.line(annotation(finding)) }
        }
    }

    private func printText(_ finding: Finding, _ text: String?) {
        Console.standard.line(finding.headline, finding.severity == .error ? .bad : .plain)
        if let lines = text.flatMap(finding.excerpt) { Console.standard.lines(lines, .faint) }
        if let hint = finding.hint { Console.standard.line("  hint: \(hint)") }
    }

    private func printSummary(_ findings: [Finding], of loaded: BankScript) {
        let errors = findings.count { $0.severity == .error }
        let counts = [errors.counted("error"), (findings.count - errors).counted("warning")]
        Console.standard.line(
            "\(loaded.name.inLine()), \(AcceptanceQuestion(loaded).work), digest \(loaded.digest.short): "
                + (findings.isEmpty ? "clean" : counts.joined(separator: ", ")))
    }

    private func printJSON(_ findings: [Finding]) throws {
        let rows = findings.map { finding -> [String: Any] in
            var row: [String: Any] = [
                "rule": finding.rule, "severity": finding.severity.rawValue, "message": finding.message,
            ]
            row["hint"] = finding.hint
            row["file"] = finding.mark?.file
            row["line"] = finding.mark?.line
            row["column"] = finding.mark?.column
            return row
        }
        let data = try JSONSerialization.data(
            withJSONObject: rows, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
        Console.standard.lines(String(decoding: data, as: UTF8.self))
    }

    /// Returns a workflow command of GitHub Actions, with its properties and message escaped.
    private func annotation(_ finding: Finding) -> String {
        func message(_ text: String) -> String {
            text.escaping(["%": "%25", "\r": "%0D", "\n": "%0A"])
        }
        func property(_ text: String) -> String {
            message(text).escaping([":": "%3A", ",": "%2C"])
        }
        var place = ""
        if let mark = finding.mark {
            place =
                "file=\(property(mark.file)),line=\(mark.line)" + (mark.column.map { ",col=\($0)" } ?? "")
                + ",title=\(property(finding.rule))"
        }
        let text = finding.hint.map { "\(finding.message); \($0)" } ?? finding.message
        return "::\(finding.severity.rawValue)\(place.isEmpty ? "" : " ")\(place)::\(message(text))"
    }
}
