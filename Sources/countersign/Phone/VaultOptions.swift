import ArgumentParser
import Foundation
import HouseholdCommands
import Phone
import Secrets
import Terminal

/// The phone's folder, and the passphrase that opens its vault.
struct VaultOptions: ParsableArguments {
    @OptionGroup var home: HomeOption

    @Option(help: "A file whose first line is the vault's passphrase; - for standard input. Without it you are asked.")
    var passphraseFile: String?

    var phoneHome: PhoneHome { PhoneHome(home.folder) }

    func passphrase(_ question: String = "Passphrase of the vault:") throws -> Secret {
        try home.checkIsHere()
        if let passphraseFile { return try Asking.secret(inFile: passphraseFile) }
        guard Asking.isPossible else {
            throw CommandFailure("without a terminal, give --passphrase-file", status: 2)
        }
        guard let typed = Asking.secret(question), !typed.isEmpty else {
            throw CommandFailure("no passphrase was given")
        }
        return typed
    }

    /// Asks for the passphrase of a vault that does not exist yet. A person types it twice, or has it generated.
    func newPassphrase(_ name: String) throws -> Secret {
        if let passphraseFile { return try Asking.secret(inFile: passphraseFile) }
        return try Asking.newPassphrase(name)
    }
}
