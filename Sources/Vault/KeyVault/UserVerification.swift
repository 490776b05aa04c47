import Secrets

/// A check that the owner is present and agrees, which opens the vault.
///
/// It is a passphrase or a passkey. Each approval asks again, and the vault is closed when the run ends.
package protocol UserVerification: Sendable {
    /// The means by which the owner is recognised.
    var means: VerificationMeans { get }

    /// Opens the vault. `reason` tells the owner in a sentence what they agree to. Throws when they could not be verified.
    func open(_ vault: Vault, reason: String) async throws -> VaultSecretStore
}

package enum VerificationMeans: String, Sendable, Hashable {
    case passphrase
    case passkey
    case passkeyAndPassphrase = "passkey and passphrase"
}

package struct PassphraseVerification: UserVerification {
    package let means = VerificationMeans.passphrase
    private let passphrase: Secret
    private let source: PassphraseSource

    package init(_ passphrase: Secret, from source: PassphraseSource = .terminal) {
        self.passphrase = passphrase
        self.source = source
    }

    package func open(_ vault: Vault, reason: String) async throws -> VaultSecretStore {
        try await vault.open(passphrase: passphrase, from: source)
    }
}

/// A passkey whose assertion has been verified already. `output` is the result of its pseudo-random function.
package struct PasskeyVerification: UserVerification {
    package let means = VerificationMeans.passkey
    private let credentialID: [UInt8]
    private let output: Secret

    package init(credentialID: [UInt8], output: Secret) {
        self.credentialID = credentialID
        self.output = output
    }

    package func open(_ vault: Vault, reason: String) async throws -> VaultSecretStore {
        try await vault.open(passkey: credentialID, output: output)
    }
}

/// A passkey whose assertion has been verified already, and the passphrase. They open one slot together.
package struct PasskeyAndPassphraseVerification: UserVerification {
    package let means = VerificationMeans.passkeyAndPassphrase
    private let credentialID: [UInt8]
    private let output: Secret
    private let passphrase: Secret
    private let source: PassphraseSource

    /// - Parameter output: the result of the passkey's pseudo-random function.
    package init(credentialID: [UInt8], output: Secret, passphrase: Secret, from source: PassphraseSource) {
        self.credentialID = credentialID
        self.output = output
        self.passphrase = passphrase
        self.source = source
    }

    package func open(_ vault: Vault, reason: String) async throws -> VaultSecretStore {
        try await vault.open(passkey: credentialID, output: output, passphrase: passphrase, from: source)
    }
}
