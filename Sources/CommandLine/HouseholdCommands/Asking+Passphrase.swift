import KeyVault
import Secrets
import Terminal

extension Asking {
    /// Asks for a new passphrase twice; an empty answer generates one, which the person then types once.
    package static func newPassphrase(_ name: String) throws -> Secret {
        guard isPossible else {
            throw CommandFailure("without a terminal, give the passphrase in a file", status: 2)
        }
        let question = "\(name) (at least \(Vault.shortestPassphrase) characters; leave empty to have one generated):"
        guard let typed = secret(question) else { throw CommandFailure("no passphrase was given") }
        let passphrase = typed.isEmpty ? GeneratedPassphrase.shown() : typed
        try repetition(of: passphrase)
        return passphrase
    }
}
