import ArgumentParser
import Automation
import BankScript
import Foundation

struct ScriptAcceptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept", abstract: "Allow a script of a folder to run, after you have read it.",
        discussion: """
            Every change makes it a different script, which must be accepted again. Without a terminal, name the script \
            with --digest.

            Exit status: 0 accepted, 1 not accepted, 2 usage, 3 the file is not a valid script.
            """)

    @Argument(help: "A YAML file.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @Option(help: "The script's digest, or its first twelve or more digits; accepts without a question.")
    var digest: String?

    @OptionGroup var home: HomeOption

    func run() throws {
        let script = try ScriptFile(path: file).script()
        let accepted = AcceptedScripts(home: home.folder)
        describe(script)
        guard try isMeant(script) else { throw CommandFailure("the script was not accepted") }
        do {
            try accepted.accept(script)
        } catch {
            throw CommandFailure(error.message)
        }
        Console.standard.line("Accepted: \(script.name), \(script.digest.short)")
    }

    private func describe(_ script: BankScript) {
        let console = Console.standard
        console.line("\(script.name) (\(script.id))", .bold)
        console.line("  digest   \(script.digest.hex)")
        console.line("  origins  \(script.origins.joined(separator: ", "))")
        describe(script.steps, indent: "  ")
        for interruption in script.interruptions {
            guard case .pass(let steps) = interruption.response else { continue }
            console.line("  whenever \(interruption.condition.words)")
            describe(steps, indent: "    ")
        }
        if !script.finally.isEmpty { console.line("  at the end") }
        describe(script.finally, indent: "    ")
        for finding in ScriptLint.findings(in: script) {
            console.line("  \(finding.severity.rawValue): \(finding.message)")
        }
    }

    /// Prints every step, also those in branches.
    private func describe(_ steps: [Step], indent: String) {
        for step in steps {
            Console.standard.line("\(indent)- \(step.action.words)")
            guard case .when(_, let then, let otherwise) = step.action else { continue }
            describe(then, indent: indent + "    ")
            if !otherwise.isEmpty { Console.standard.line("\(indent)  otherwise") }
            describe(otherwise, indent: indent + "    ")
        }
    }

    private func isMeant(_ script: BankScript) throws -> Bool {
        guard let digest else {
            guard Asking.isPossible else {
                throw CommandFailure(
                    "without a terminal, give --digest \(script.digest.short) if that is the script you read",
                    status: 2)
            }
            return Asking.yes("May this script use your credentials for “\(script.id)” at these origins?")
        }
        guard digest.count >= 12, script.digest.hex.hasPrefix(digest.lowercased()) else {
            throw CommandFailure(
                "the script's digest is \(script.digest.short)…, not \(digest); the script was not accepted")
        }
        return true
    }
}
