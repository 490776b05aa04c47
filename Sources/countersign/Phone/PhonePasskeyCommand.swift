import ArgumentParser
import Foundation
import Phone

struct PhonePasskeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passkey", abstract: "Allow a passkey to be added on the approval page.",
        subcommands: [PhonePasskeyCodeCommand.self])
}

struct PhonePasskeyCodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "code", abstract: "Print a code with which the approval page adds one passkey.",
        discussion: """
            The passphrase alone adds no passkey. On the page, under Passkeys, give this code and the passphrase. \
            It works once, within 15 minutes. With a passkey in the vault you can confirm with that one instead.
            """)

    @OptionGroup var home: HomeOption

    func run() async throws {
        try await reportingFailures {
            let store = try PhoneStore(try home.phone())
            Console.standard.disclose(try await store.passkeyCode(lifetime: 15 * 60))
        }
    }
}

extension PhoneStore {
    /// Returns a new code for one passkey, as a line to print.
    func passkeyCode(lifetime: TimeInterval) async throws -> String {
        try await makeTerminalCode(for: .addPasskey, lifetime: lifetime).text.revealed() + "\n"
    }
}
