import ArgumentParser
import Authenticator
import Foundation
import HouseholdCommands
import Terminal

struct TotpLinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Let a token answer a bank's request for a code.",
        discussion: """
            From then on your approval of a request is enough: the vault gives the code. One passphrase or passkey then \
            opens both the password and the second factor.
            """)

    @OptionGroup var vault: VaultOptions

    @Argument(help: "The token's issuer or account, or a part of it.")
    var name: String

    @Option(help: "The bank's id; needed when there are several.")
    var bank: String?

    func run() async throws {
        try await vault.withTokens { open in
            let stored = try await open.store.credentialTimes().keys.sorted()
            let bank = try bank ?? BankChoice.only(of: stored)
            let token = try TokenName.find(name, in: await open.tokens.vault().tokens)
            try await open.links.link(token, toBank: bank)
            Console.standard.line("\(token.words) now answers the bank “\(bank)”")
        }
    }
}

struct TotpUnlinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlink", abstract: "Ask for a bank's codes again.")

    @OptionGroup var vault: VaultOptions

    @Option(help: "The bank's id; needed when there are several.")
    var bank: String?

    func run() async throws {
        try await vault.withTokens { open in
            let linked = try await open.store.linkedTokens().map(\.bankID).sorted()
            guard !linked.isEmpty else { throw CommandFailure("no token is linked to a bank") }
            let bank = try bank ?? BankChoice.only(of: linked)
            guard linked.contains(bank) else {
                throw CommandFailure("no token is linked to the bank “\(bank)”")
            }
            try await open.links.unlink(bank: bank)
            Console.standard.line("you will be asked for the codes of the bank “\(bank)” again")
        }
    }
}
