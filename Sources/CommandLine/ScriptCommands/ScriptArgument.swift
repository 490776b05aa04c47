import ArgumentParser
import Automation
import BankScript
import DefaultBank
import Encodings
import Foundation
import Terminal
import WebURL

/// The commands of scripts that need no bank of our own.
package enum AuthoringCommands {
    package static let all: [any ParsableCommand.Type] = [
        ScriptListCommand.self, ScriptNewCommand.self, ScriptRecordCommand.self, ScriptShellCommand.self,
        ScriptDevCommand.self, ScriptLintCommand.self,
        ScriptRunCommand.self, ScriptTestCommand.self, ScriptReplayCommand.self, ScriptMendCommand.self,
        ScriptDriftCommand.self, ScriptMCPCommand.self,
        ScriptSurveyCommand.self,
        ScriptExportCommand.self, ScriptSchemaCommand.self, ScriptAcceptCommand.self,
        ScriptCollectionCommand.self, ScriptSearchCommand.self, ScriptGetCommand.self, ScriptVouchCommand.self,
        ScriptResultsCommand.self,
    ]
}

/// The script to work on.
struct ScriptArgument: ParsableArguments {
    @Argument(help: "A bank's id, e.g. “default”, or a YAML file.")
    var script: String

    @Option(
        name: .customLong("at"),
        help: ArgumentHelp(
            "Run against this origin instead of the script's own, e.g. a mock bank's; repeat for each origin.",
            valueName: "origin"))
    var origins: [String] = []

    @OptionGroup var folder: ScriptFolderOptions

    /// Returns the script, served at the origins of `--at`.
    ///
    /// - Throws: ``CommandFailure`` with status 3 when the file is not a valid script, 2 when the script is unknown or has
    ///   not been accepted.
    func load() throws -> BankScript {
        let script = try read()
        guard !origins.isEmpty else { return script }
        for origin in origins {
            guard let read = try? Origin(parsing: origin), ["http", "https"].contains(read.scheme) else {
                throw CommandFailure(
                    "--at is “\(origin.inLine(limit: 200))”, but must be a scheme and a host, as in https://bank.example or "
                        + "http://localhost:8443", status: 2)
            }
        }
        return script.served(at: origins, isForTesting: origins.allSatisfy(\.isLoopbackOrigin))
    }

    /// Returns the script if lint finds no errors in it.
    ///
    /// - Parameter passed: the rules whose errors do not matter.
    /// - Throws: ``CommandFailure``, with status 3 when the script has errors.
    func loadValid(passing passed: Set<String> = []) throws -> BankScript {
        let script = try load()
        try ScriptLint.refuse(script, source: source, passing: passed)
        return script
    }

    private func read() throws -> BankScript {
        // A folder that was typed is looked at, too.
        if ScriptFile.isName(script), folder.scripts == nil { return try ScriptFile(path: script).script() }
        let registry = try folder.registry(home: HomeOption.standard)
        if let known = registry.script(forBank: script) { return known }
        if let refusal = registry.refusal(forBank: script) { throw CommandFailure(refusal.message, status: 2) }
        if ScriptFile.isName(script) { return try ScriptFile(path: script).script() }
        if FileManager.default.fileExists(atPath: script + "/.") {
            let folder = script.hasSuffix("/") ? String(script.dropLast()) : script
            throw CommandFailure(
                "“\(script.inLine(limit: 200))” is a folder; name a script's file in it, such as "
                    + "\(folder.inLine(limit: 200))/NAME.yaml", status: 2)
        }
        let ids = registry.all.map(\.id)
        let meant = nearest(to: script, among: ids).map { "; did you mean \($0)?" } ?? ""
        throw CommandFailure(
            "unknown script “\(script)”\(meant.isEmpty ? "; name" : meant + " Name") a YAML file (ending in .yaml), or one "
                + "of: \(ids.joined(separator: ", "))", status: 2)
    }

    /// The script's text, if it is a file.
    var source: String? { ScriptFile.isName(script) ? try? ScriptFile(path: script).text : nil }
}

extension ScriptSyntaxError {
    /// Returns the message, the line and a caret under the place.
    func described(in text: String) -> String {
        (["\(self)".inLine(limit: 1000)] + mark.excerpt(of: text).map { "  \($0.visible)" }).joined(separator: "\n")
    }
}

struct ScriptListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the built-in scripts, and those of a folder.")

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var folder: ScriptFolderOptions
    @OptionGroup var home: HomeOption

    func run() throws {
        let registry = try folder.registry(home: home.folder)
        if json { return try printJSON(registry) }
        for script in registry.all {
            let origins = script.origins.map { $0.inLine(limit: 300) }.joined(separator: ", ")
            let note = script.isOfFictitiousBank ? "  a made-up bank, for trials" : ""
            Console.standard.line(
                "\(script.id.inLine())  \(script.name.inLine())  \(origins)  \(script.digest.short)\(note)")
        }
        for refusal in registry.refusals {
            Console.standard.line("refused: \(refusal.message.inLine(limit: 1000))", .bad)
        }
    }

    private func printJSON(_ registry: ScriptRegistry) throws {
        let rows = registry.all.map { script in
            var row = [
                "bank_id": script.id, "name": script.name, "digest": script.digest.hex,
                "origins": script.origins.joined(separator: " "), "state": "accepted",
            ]
            if script.isOfFictitiousBank { row["note"] = "a made-up bank, for trials" }
            return row
        }
        let refused = registry.refusals.map { refusal in
            [
                "bank_id": refusal.bankID, "file": refusal.file, "digest": refusal.digest?.hex,
                "message": refusal.message, "state": "refused",
            ].compactMapValues(\.self)
        }
        let data = try JSONSerialization.data(
            withJSONObject: rows + refused, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
        Console.standard.lines(String(decoding: data, as: UTF8.self))
    }
}
