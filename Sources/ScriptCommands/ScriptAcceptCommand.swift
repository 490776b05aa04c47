import ArgumentParser
import Automation
import BankScript
import Foundation
import ScriptReview
import Terminal

struct ScriptAcceptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept", abstract: "Allow a script of a folder to run, after you have read it.",
        discussion: """
            Everything that the script does is printed, and at the end what leaves for which origin: credentials, codes, \
            and what the script captures. Every change makes it a different script, which must be accepted again; then \
            you see what has changed since. Versions of the bank's script that you accepted before do not run any more, \
            unless you give --keep; countersign phone scripts lists what is accepted.

            Without a terminal, name the script with --digest.

            Exit status: 0 accepted, 1 not accepted, 2 usage, 3 the file is not a valid script.
            """)

    @Argument(help: "A YAML file.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @Option(help: "The script's digest, or its first twelve or more digits; accepts without a question.")
    var digest: String?

    @Flag(help: "Leave earlier versions of this bank's script accepted.")
    var keep = false

    @OptionGroup var home: HomeOption

    func run() throws {
        let script = try ScriptFile(path: file).script()
        let accepted = AcceptedScripts(home: home.folder)
        describe(script, after: try previous(to: script, in: accepted))
        guard try isMeant(script) else { throw CommandFailure("the script was not accepted") }
        let retired: [AcceptedScripts.Acceptance]
        do {
            retired = try accepted.accept(script, keepingOthers: keep)
        } catch {
            throw CommandFailure(error.message)
        }
        Console.standard.line("Accepted: \(script.name), \(script.digest.short)")
        for version in retired {
            Console.standard.line("Not accepted any more: \(version.name.visible), \(version.digest.short)")
        }
    }

    private func previous(
        to script: BankScript, in accepted: AcceptedScripts
    ) throws -> AcceptedScripts.Acceptance? {
        do {
            return try accepted.previous(to: script)
        } catch {
            throw CommandFailure(error.message)
        }
    }

    private func describe(_ script: BankScript, after previous: AcceptedScripts.Acceptance?) {
        let console = Console.standard
        let disclosure = ScriptDisclosure(script)
        console.line(disclosure.lines.first ?? script.name, .bold)
        console.line("  digest \(script.digest.hex)")
        for line in disclosure.lines.dropFirst() { console.line("  \(line)") }
        disclosure.printOutflows(on: console)
        for warning in disclosure.warnings { console.line("  warning: \(warning)", .bad) }
        for finding in ScriptLint.findings(in: script) where !ScriptLint.originRules.contains(finding.rule) {
            console.line("  \(finding.severity.rawValue): \(finding.message)")
        }
        if let previous { describe(disclosure, after: previous) }
    }

    /// Prints what has changed since the version that was accepted last.
    private func describe(_ disclosure: ScriptDisclosure, after previous: AcceptedScripts.Acceptance) {
        let console = Console.standard
        let day = previous.date.formatted(.iso8601.year().month().day())
        guard let before = previous.disclosure else {
            console.line(
                "  Another version was accepted on \(day), without a record of what it did: read all of this one.")
            return
        }
        console.line("Changed since \(previous.digest.short), accepted on \(day):", .bold)
        let changes = disclosure.comparable.difference(from: before)
        for change in changes {
            switch change {
            case .remove(_, let line, _): console.line("  - \(line)", .faint)
            case .insert(_, let line, _): console.line("  + \(line)", .bold)
            }
        }
        if changes.isEmpty { console.line("  nothing that a script says") }
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
