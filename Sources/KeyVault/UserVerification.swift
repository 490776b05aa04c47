import Secrets

/// Proof that the person is here and means it; its reward is the open vault.
///
/// On a telephone this is Face ID, with the Keychain behind it; here it is a passphrase or a passkey. An approval asks
/// for it anew each time, and closes the vault when the run is over.
public protocol UserVerification: Sendable {
    /// How the person is recognised.
    var means: VerificationMeans { get }

    /// `reason` is what the person is asked to agree to, in a sentence. Throws when they could not be verified.
    func open(_ vault: Vault, reason: String) async throws -> VaultSecretStore
}

public enum VerificationMeans: String, Sendable, Hashable {
    case passphrase
    case passkey
}

public struct PassphraseVerification: UserVerification {
    public let means = VerificationMeans.passphrase
    private let passphrase: Secret

    public init(_ passphrase: Secret) {
        self.passphrase = passphrase
    }

    public func open(_ vault: Vault, reason: String) async throws -> VaultSecretStore {
        try await vault.open(passphrase: passphrase)
    }
}

/// A passkey whose assertion has been verified already; `output` is what its pseudo-random function gave.
public struct PasskeyVerification: UserVerification {
    public let means = VerificationMeans.passkey
    private let credentialID: [UInt8]
    private let output: Secret

    public init(credentialID: [UInt8], output: Secret) {
        self.credentialID = credentialID
        self.output = output
    }

    public func open(_ vault: Vault, reason: String) async throws -> VaultSecretStore {
        try await vault.open(passkey: credentialID, output: output)
    }
}
