import KeyVault
import Secrets
import Terminal

extension Asking {
    /// Asks for the passphrase of a new vault. An empty answer generates one, which the person then types once.
    ///
    /// - Throws: ``CommandFailure`` at the end of the input, and without a terminal.
    package static func newPassphrase(_ name: String) throws -> Secret {
        guard isPossible else {
            throw CommandFailure("without a terminal, give the passphrase in a file", status: 2)
        }
        let question = "\(name) (at least \(Vault.shortestPassphrase) characters; leave empty to have one generated):"
        return try typedTwice(question, generates: true)
    }

    /// Asks for a passphrase twice, until it is long enough and both answers are the same.
    ///
    /// - Parameter generates: true if an empty answer generates one.
    /// - Throws: ``CommandFailure`` at the end of the input.
    package static func typedTwice(_ question: String, generates: Bool = false) throws -> Secret {
        while let typed = secret(question) {
            do throws(VaultError) {
                if !generates || !typed.isEmpty { try Vault.checkStrength(of: typed) }
            } catch {
                say("\(error)")
                continue
            }
            if let passphrase = try repeated(typed) { return passphrase }
            say("the two passphrases differ; type it twice again")
        }
        throw noPassphrase
    }

    /// Returns the first line of a file as a new passphrase, checked before anything else is done with it.
    ///
    /// - Throws: ``CommandFailure`` when the file cannot be read, or the passphrase is too short.
    package static func newPassphrase(inFile path: String) throws -> Secret {
        let passphrase = try secret(inFile: path)
        do throws(VaultError) {
            try Vault.checkStrength(of: passphrase)
        } catch {
            throw CommandFailure("\(path): \(error)", status: 2)
        }
        return passphrase
    }

    private static let noPassphrase = CommandFailure("no passphrase was given")

    /// Asks for a passphrase a second time.
    ///
    /// - Parameter typed: empty to generate one. It is shown once, so the second answer is asked for until it is right.
    /// - Returns: nil when the two answers differ.
    private static func repeated(_ typed: Secret) throws(CommandFailure) -> Secret? {
        let passphrase = typed.isEmpty ? GeneratedPassphrase.shown() : typed
        while let again = secret("Again, to confirm:") {
            if again.isEqual(to: passphrase) { return passphrase }
            guard typed.isEmpty else { return nil }
            say("this is not the passphrase above; type it again")
        }
        throw noPassphrase
    }
}
