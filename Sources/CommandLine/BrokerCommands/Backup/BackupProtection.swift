import KeyVault
import Secrets

/// The passphrase of a new backup.
package struct BackupProtection: Sendable {
    let passphrase: Secret
    let scrypt: ScryptParameters

    package init(_ passphrase: Secret, scrypt: ScryptParameters = .standard) {
        self.passphrase = passphrase
        self.scrypt = scrypt
    }
}
