import ArgumentParser
import Automation
import BankScript
import Encodings
import Foundation
import HouseholdCommands
import Phone
import Terminal

struct PhoneScriptsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scripts", abstract: "List the accepted bank scripts, and take acceptances back.",
        subcommands: [PhoneScriptsListCommand.self, PhoneScriptsRemoveCommand.self],
        defaultSubcommand: PhoneScriptsListCommand.self)
}

struct PhoneScriptsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List each version of a script that this phone may run.",
        discussion: """
            Each line is a bank's id, the script's name, when you accepted it, and its digest. Scripts that are built into \
            the program need no acceptance and are not listed.
            """)

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var home: HomeOption

    func run() async throws {
        let accepted: [AcceptedScripts.Acceptance]
        do {
            accepted = try AcceptedScripts(home: home.folder).all()
        } catch {
            throw CommandFailure(error.message)
        }
        if json { return try printJSON(accepted) }
        if accepted.isEmpty { Console.standard.line("No script is accepted.") }
        for version in accepted {
            let day = version.date.formatted(.iso8601.year().month().day())
            Console.standard.line(
                "\(version.bankID.inLine())  \(version.name.inLine())  \(day)  \(version.digest.short)")
        }
    }

    private func printJSON(_ accepted: [AcceptedScripts.Acceptance]) throws {
        let rows = accepted.map { version in
            [
                "bank_id": version.bankID, "name": version.name, "digest": version.digest.hex,
                "accepted_at": version.date.formatted(.iso8601),
            ]
        }
        let data = try JSONSerialization.data(
            withJSONObject: rows, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
        Console.standard.lines(String(decoding: data, as: UTF8.self))
    }
}

struct PhoneScriptsRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Take back the acceptance of one version of a script.",
        discussion: """
            The version does not run any more, unless you accept it again. Then let the vault forget it, too: \
            countersign phone policy accept.

            Exit status: 0 taken back, 1 no such version.
            """)

    @Argument(help: "The version's digest, or its first twelve or more digits; see: countersign phone scripts.")
    var digest: String

    @OptionGroup var home: HomeOption

    func run() async throws {
        guard digest.count >= ScriptDigest.fewestDigits else {
            throw CommandFailure(
                "“\(digest.inLine())” is too short: give \(ScriptDigest.fewestDigits) digits of the digest at least, as countersign "
                    + "phone scripts shows them", status: 2)
        }
        let revoked: AcceptedScripts.Acceptance?
        do {
            revoked = try AcceptedScripts(home: home.folder).revoke(digest: digest)
        } catch {
            throw CommandFailure(error.message)
        }
        guard let revoked else {
            throw CommandFailure(
                "no accepted version has a digest that begins with \(digest.inLine()); list them with: countersign phone scripts"
            )
        }
        try await PhoneHome(home.folder).recordRevocation(of: revoked)
        Console.standard.line("Not accepted any more: \(revoked.name.inLine()), \(revoked.digest.short)")
        Console.standard.line("Let the vault forget it, too: countersign phone policy accept")
    }
}
