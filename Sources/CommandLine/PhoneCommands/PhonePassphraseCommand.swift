import ArgumentParser
import Foundation
import HouseholdCommands
import KeyVault
import Phone
import Secrets
import Terminal

struct PhonePassphraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passphrase", abstract: "Change the passphrase of the phone's vault.",
        subcommands: [PhonePassphraseChangeCommand.self])
}

struct PhonePassphraseChangeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change", abstract: "Give the vault a new key and a new passphrase.",
        discussion: """
            The old passphrase, and older copies of the vault, do not open the new vault. Anyone who has an older copy and the \
            old passphrase still has what was stored until then: change the bank's password too if that may be so.

            Reports of failed runs are deleted. Passkeys end, because only they themselves could wrap the new key. Register them again on the approval page. \
            Stop `countersign phone serve` first.
            """)

    @OptionGroup var vault: VaultOptions

    @OptionGroup var new: NewPassphraseOptions

    @Flag(help: "End registered passkeys without a question.")
    var yes = false

    func validate() throws {
        guard let file = new.newPassphraseFile, file != "-", file == vault.passphraseFile else { return }
        throw ValidationError(
            "--new-passphrase-file names the file of the passphrase that the vault has now; name another, or give --generate"
        )
    }

    func run() async throws {
        try await vault.reportingFailures {
            let home = try vault.home.phone()
            // Before anything is asked.
            try vault.checkIsFree(home)
            let old = try vault.passphrase("The passphrase of the vault now:")
            let passkeys = try home.vault.slots().filter { !$0.isPassphrase }
            if !passkeys.isEmpty, !yes {
                Console.standard.line(
                    "\(passkeys.count) registered passkeys will end; register them again on the page.")
                guard Asking.isPossible else {
                    throw CommandFailure("nothing was changed; to end the passkeys, give --yes", status: 2)
                }
                guard Asking.yes("Go on?") else { throw CommandFailure("nothing was changed") }
            }
            let passphrase = try new.passphrase()
            let ended = try await home.changePassphrase(from: PassphraseVerification(old), to: passphrase)
            Console.standard.line("The vault has a new key, which the new passphrase opens.", .good)
            for name in ended { Console.standard.line("Ended: the passkey “\(name)”") }
            guard let trial = TrialPassphrase(ofPhoneIn: home.folder), try trial.end(with: passphrase) else { return }
            Console.standard.paragraph(
                "Deleted: \(trial.file.path), which had the former passphrase. From now on countersign up starts with a locked page: "
                    + "unlock it there.")
        }
    }
}

/// A passphrase for a new vault or a new key: typed twice, from a file, or generated.
struct NewPassphraseOptions: ParsableArguments {
    @Option(help: "A file whose first line is the new passphrase; - for standard input. Without it you are asked.")
    var newPassphraseFile: String?

    @Flag(help: "Generate the new passphrase, and print it once.")
    var generate = false

    func validate() throws {
        guard !generate || newPassphraseFile == nil else {
            throw ValidationError("--generate and --new-passphrase-file exclude each other")
        }
    }

    func passphrase() throws -> Secret {
        if generate { return GeneratedPassphrase.shown() }
        if let newPassphraseFile { return try Asking.newPassphrase(inFile: newPassphraseFile) }
        return try Asking.newPassphrase("The new passphrase")
    }
}
