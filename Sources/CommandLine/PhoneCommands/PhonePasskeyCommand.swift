import ArgumentParser
import Encodings
import Foundation
import HouseholdCommands
import Phone
import PhoneStore
import Secrets
import Storage
import Terminal

struct PhonePasskeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passkey", abstract: "Allow a passkey to be added or removed on the approval page.",
        subcommands: [PhonePasskeyCodeCommand.self])
}

struct PhonePasskeyCodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "code", abstract: "Print a code with which the approval page adds or removes one passkey.",
        discussion: """
            The passphrase alone adds no passkey and removes none. On the page, under Passkeys, give this code and the passphrase. \
            It works once, within 15 minutes. With a passkey in the vault you can confirm with that one instead.
            """)

    @Flag(help: "Print a code that removes a passkey, instead of one that adds one.")
    var toRemove = false

    @OptionGroup var home: HomeOption

    func run() async throws {
        try await reportingFailures {
            let store = try PhoneDatabase(try home.phone())
            let code = try await store.makeTerminalCode(
                for: toRemove ? .removePasskey : .addPasskey, lifetime: 15 * 60)
            try await store.audit.record(
                AuditEvent(
                    .passkeyCodeShown, severity: .warning, details: ["to": .string(toRemove ? "remove" : "add")]))
            Console.standard.disclose(code.text.revealed() + "\n")
        }
    }
}
