import ArgumentParser
import Foundation
import Phone
import PhoneStore
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
            Console.standard.disclose(
                try await store.passkeyCode(for: toRemove ? .removePasskey : .addPasskey, lifetime: 15 * 60))
        }
    }
}

extension PhoneDatabase {
    /// Returns a new code for one passkey, as a line to print.
    func passkeyCode(
        for purpose: TerminalCode.Purpose = .addPasskey, lifetime: TimeInterval
    ) async throws -> String {
        try await makeTerminalCode(for: purpose, lifetime: lifetime).text.revealed() + "\n"
    }
}
