import ArgumentParser
import Automation
import BankScript
import DefaultBank
import Foundation

struct ScriptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "script", abstract: "Write, check and run bank scripts.",
        subcommands: [
            ScriptListCommand.self, ScriptNewCommand.self, ScriptShellCommand.self, ScriptLintCommand.self,
            ScriptRunCommand.self, ScriptReplayCommand.self, ScriptSurveyCommand.self, ScriptSchemaCommand.self,
        ])
}

/// The script that a command works on.
struct ScriptArgument: ParsableArguments {
    @Argument(help: "A bank’s id, such as “default”, or a YAML file.")
    var script: String

    @Option(
        name: .customLong("at"),
        help: ArgumentHelp(
            "Run against this origin instead of the script’s own, such as a mock bank’s.", valueName: "origin"))
    var origin: String?

    /// - Throws: ``CommandFailure`` with status 3 when the file is no script, 2 when there is nothing of that name.
    func load() throws -> BankScript {
        let script = try read()
        guard let origin else { return script }
        return script.served(at: origin, isForTesting: Self.isLoopback(origin))
    }

    /// The script, checked: a run does not begin with one that cannot work.
    ///
    /// - Throws: ``CommandFailure``, with status 3 when the script has errors.
    func loadValid() throws -> BankScript {
        let script = try load()
        let errors = ScriptLint.findings(in: script).filter { $0.severity == .error }
        guard errors.isEmpty else {
            let list = errors.map { "\($0.mark.map { "\($0): " } ?? "")\($0.message)" }.joined(separator: "\n")
            throw CommandFailure("the script is invalid:\n\(list)", status: 3)
        }
        return script
    }

    private func read() throws -> BankScript {
        let compiled = ScriptRegistry([DefaultBank.script])
        if let known = compiled.script(forBank: script) { return known }
        guard script.hasSuffix(".yaml") || script.hasSuffix(".yml") else {
            let ids = compiled.all.map(\.id).joined(separator: ", ")
            throw CommandFailure(
                "there is no script “\(script)”; name a YAML file (ending in .yaml), or one of: \(ids)", status: 2)
        }
        guard let data = FileManager.default.contents(atPath: script) else {
            throw CommandFailure("\(script) cannot be read; check that the file is there and yours to read", status: 2)
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw CommandFailure("\(script) is not UTF-8; save it as UTF-8", status: 3)
        }
        do {
            return try BankScript(yaml: text, file: script)
        } catch {
            throw CommandFailure(error.described(in: text), status: 3)
        }
    }

    static func isLoopback(_ origin: String) -> Bool {
        guard let host = URL(string: origin)?.host(percentEncoded: false) else { return false }
        return ["localhost", "127.0.0.1", "::1"].contains(host)
    }
}

extension ScriptSyntaxError {
    /// The message, the line and a caret under the place.
    func described(in text: String) -> String {
        "\(self)" + excerpt(of: text, at: mark)
    }
}

/// The line of the text and a caret under the column, on lines of their own; nothing where there is no such line.
func excerpt(of text: String, at mark: Mark) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.indices.contains(mark.line - 1) else { return "" }
    let line = lines[mark.line - 1].replacing("\t", with: " ")
    let number = String(mark.line)
    let caret = mark.column.map { String(repeating: " ", count: max(0, $0 - 1)) + "^" }
    return "\n  \(number) | \(line)"
        + (caret.map { "\n  \(String(repeating: " ", count: number.count)) | \($0)" } ?? "")
}

struct ScriptListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the scripts that are built in.")

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let scripts = ScriptRegistry([DefaultBank.script]).all
        if json {
            let rows = scripts.map { script in
                [
                    "bank_id": script.id, "name": script.name, "digest": script.digest.hex,
                    "origins": script.origins.joined(separator: " "),
                ]
            }
            let data = try JSONSerialization.data(
                withJSONObject: rows, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
            return Console.standard.line(String(decoding: data, as: UTF8.self))
        }
        for script in scripts {
            Console.standard.line(
                "\(script.id)  \(script.name)  \(script.origins.joined(separator: ", "))  \(script.digest.short)")
        }
    }
}
