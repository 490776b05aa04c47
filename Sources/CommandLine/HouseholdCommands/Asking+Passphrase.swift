import KeyVault
import Secrets
import Terminal

extension Asking {
    /// Asks for the passphrase of a new vault or backup. An empty answer generates one, which the person then types once.
    ///
    /// - Parameter owner: the thing that the passphrase opens, as it is named beside a generated one.
    /// - Throws: ``CommandFailure`` at the end of the input, and without a terminal.
    package static func newPassphrase(_ name: String, of owner: String = "vault") throws -> Secret {
        guard isPossible else {
            throw CommandFailure("without a terminal, give the passphrase in a file", status: 2)
        }
        let question = "\(name) (at least \(Vault.shortestPassphrase) characters; leave empty to have one generated):"
        return try typedTwice(question, generating: owner)
    }

    /// Asks for a passphrase twice, until it is long enough and both answers are the same.
    ///
    /// - Parameter owner: the thing that a passphrase is generated for after an empty answer; nil to generate none.
    /// - Throws: ``CommandFailure`` at the end of the input.
    package static func typedTwice(_ question: String, generating owner: String? = nil) throws -> Secret {
        while let typed = secret(question) {
            do throws(VaultError) {
                if owner == nil || !typed.isEmpty { try Vault.checkStrength(of: typed) }
            } catch {
                say("\(error)")
                continue
            }
            if let passphrase = try repeated(typed, of: owner) { return passphrase }
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
    /// - Parameters:
    ///   - typed: empty to generate one. It is shown once, so the second answer is asked for until it is right.
    ///   - owner: the thing that it is generated for.
    /// - Returns: nil when the two answers differ.
    private static func repeated(_ typed: Secret, of owner: String?) throws(CommandFailure) -> Secret? {
        let passphrase = typed.isEmpty ? GeneratedPassphrase.shown(of: owner ?? "vault") : typed
        while let again = secret("Again, to confirm:") {
            if again.isEqual(to: passphrase) { return passphrase }
            guard typed.isEmpty else { return nil }
            say("this is not the passphrase above; type it again")
        }
        throw noPassphrase
    }
}
