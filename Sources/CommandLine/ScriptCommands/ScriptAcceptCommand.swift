import ArgumentParser
import Automation
import BankScript
import Encodings
import Foundation
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
        show(AcceptanceDescription(of: script, after: try previous(to: script, in: accepted)).lines)
        guard try isMeant(script) else { throw CommandFailure("the script was not accepted") }
        let retired: [AcceptedScripts.Acceptance]
        do {
            retired = try accepted.accept(script, keepingOthers: keep)
        } catch {
            throw CommandFailure(error.message)
        }
        Console.standard.line("Accepted: \(script.name.inLine()), \(script.digest.short)")
        for version in retired {
            Console.standard.line("Not accepted any more: \(version.name.inLine()), \(version.digest.short)")
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

    /// Prints the description. Where it is longer than the screen, its last line says so.
    private func show(_ description: [StyledLine]) {
        let console = Console.standard
        guard let screen = Screen.ofOutput else { return console.show(description) }
        let rows = description.flatMap { line in screen.rows(of: line.text).map { StyledLine($0, line.style) } }
        console.show(rows)
        // The question has at least one row.
        guard digest == nil, rows.count >= screen.rows else { return }
        console.line(
            "\(rows.count) lines stand above, but your screen has \(screen.rows): scroll up to read from the first.",
            .bad)
    }

    private func isMeant(_ script: BankScript) throws -> Bool {
        guard let digest else {
            guard Asking.isPossible else {
                throw CommandFailure(
                    "without a terminal, give --digest \(script.digest.short) if that is the script you read",
                    status: 2)
            }
            return Asking.yes(AcceptanceQuestion(script).description)
        }
        guard digest.count >= 12, script.digest.hex.hasPrefix(digest.lowercased()) else {
            throw CommandFailure(
                "the script's digest is \(script.digest.short)…, not \(digest); the script was not accepted")
        }
        return true
    }
}
