import ArgumentParser
import Foundation
import Phone
import Secrets
import Terminal

/// The phone's folder, and the passphrase that opens its vault.
package struct VaultOptions: ParsableArguments {
    @OptionGroup package var home: HomeOption

    @Option(help: "A file whose first line is the vault's passphrase; - for standard input. Without it you are asked.")
    package var passphraseFile: String?

    package init() {}

    package var phoneHome: PhoneHome { PhoneHome(home.folder) }

    package func passphrase(_ question: String = "Passphrase of the vault:") throws -> Secret {
        // A missing vault is told before its passphrase is asked for.
        _ = try home.phone()
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
    ///
    /// - Throws: ``CommandFailure``, also when the vault is only away.
    package func newPassphrase(_ name: String) throws -> Secret {
        try home.checkMayMakeVault()
        if let passphraseFile { return try Asking.newPassphrase(inFile: passphraseFile) }
        return try Asking.newPassphrase(name)
    }
}
