import KeyVault
import Phone
import ScriptCommands

extension ScriptAcceptance {
    /// Accepts the script and has the vault vouch for it, as far as neither was done before.
    ///
    /// - Parameters:
    ///   - secrets: the open vault.
    ///   - accept: accepts the script.
    package func complete(in secrets: VaultSecretStore, _ accept: () async throws -> Void) async throws {
        let isVouched = try await VouchedFiles.vouches(for: script.digest, of: home, in: secrets)
        if try !isVouched || !isGiven { try await accept() }
        // The next approval would else ask the owner to vouch for what they have just accepted.
        if !isVouched { try await VouchedFiles.vouch(for: script.digest, of: home, in: secrets) }
    }
}
