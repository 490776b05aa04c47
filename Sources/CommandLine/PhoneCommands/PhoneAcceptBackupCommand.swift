import ArgumentParser
import Foundation
import HouseholdCommands
import Phone
import Terminal

struct PhoneAcceptBackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept-backup", abstract: "Accept an older vault that you restored from a backup.",
        discussion: """
            The phone refuses a vault that is older than the newest it has seen, because another program could have put \
            an old copy in its place. Use this command only if you restored the file yourself.
            """)

    @OptionGroup var vault: VaultOptions

    func run() async throws {
        try await vault.reportingFailures {
            let home = try vault.home.phone()
            try await home.acceptRestoredVault(passphrase: vault.passphrase())
            Console.standard.line("The vault is accepted as the newest.")
        }
    }
}
