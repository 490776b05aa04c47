import Foundation
import KeyVault
import Secrets
import Terminal

/// A passphrase that the program makes up and the person writes down.
package enum GeneratedPassphrase {
    /// Generates a passphrase and prints it. This is the only place where a passphrase is printed.
    ///
    /// - Parameter owner: the thing that the passphrase opens.
    package static func shown(of owner: String = "vault") -> Secret {
        let passphrase = Vault.generatedPassphrase()
        Console.standard.line("The \(owner)'s passphrase. Write it down now; it is not shown again:")
        Console.standard.disclose("    \(passphrase.revealed())\n")
        return passphrase
    }
}
