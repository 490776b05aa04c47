import ArgumentParser
import Foundation
import KeyVault
import Machine
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

    /// The failure of a command that needs the phone for itself.
    package var busy: CommandFailure {
        CommandFailure(
            home.startCommand == "countersign up"
                ? "the household runs; stop it first with: countersign up --stop"
                : "the phone runs; stop it first with Ctrl-C where it runs")
    }

    /// Claims the phone for a command that changes it. A page that is locked has not claimed it.
    ///
    /// - Throws: ``busy``; `PhoneError`.
    package func claim(_ home: PhoneHome) throws -> FileLock {
        do {
            return try home.claim()
        } catch  where error.code == .homeBusy {
            throw busy
        }
    }

    /// Refuses a phone that another program has. The claim ends with this function.
    ///
    /// - Throws: ``busy``; `PhoneError`.
    package func checkIsFree(_ home: PhoneHome) throws {
        let lock = try claim(home)
        withExtendedLifetime(lock) {}
    }

    /// Runs a command's work with the vault. A passphrase that does not open it is told with the file that it came from.
    package func reportingFailures<Value>(_ work: () async throws -> Value) async throws -> Value {
        try await Terminal.reportingFailures {
            do {
                return try await work()
            } catch let error as VaultError where error.code == .wrongPassphrase && passphraseFile != nil {
                throw refusedFile
            } catch is RefusedPassphrase {
                throw passphraseFile == nil ? CommandFailure("the passphrase is wrong") : refusedFile
            }
        }
    }

    private var refusedFile: CommandFailure {
        let source = passphraseFile == "-" ? "standard input" : passphraseFile ?? ""
        return CommandFailure(
            "the first line of \(source) is not the passphrase of this phone's vault; name another file, or leave "
                + "--passphrase-file out to be asked")
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

/// Told by the program that serves the approval page: the passphrase does not open the vault.
package struct RefusedPassphrase: Error {
    package init() {}
}
