import Crypto
import Foundation
import Machine
import Secrets

extension VaultSecretStore {
    /// Gives the vault a new key and one new passphrase, in a single write, and closes this store.
    ///
    /// Anyone who has an older copy of the file and the old passphrase gets what was stored until then, but nothing of the
    /// new file: its key is another, and is wrapped under the new passphrase only. All other slots end. A passkey's slot
    /// can be wrapped only while the passkey is there, so passkeys have to be registered again.
    ///
    /// - Returns: the vault, open under its new key, and the slots that ended besides the old passphrases.
    /// - Throws: ``VaultError``; `weakPassphrase`. Then nothing has changed, and this store stays open.
    package func changePassphrase(
        to passphrase: Secret, named name: String = "Passphrase"
    ) async throws -> (opened: VaultSecretStore, ended: [KeySlot]) {
        try Vault.checkStrength(of: passphrase)
        return try await BlockingWork.run { [self] in
            let lock = try vault.lock()
            defer { withExtendedLifetime(lock) {} }
            var contents = try contents()
            let ended = contents.slots.map(\.slot).filter { !$0.isPassphrase }
            let fresh = VaultKey()
            try seal(&contents, anewUnder: fresh)
            contents.slots = []
            try contents.addPassphrase(passphrase, named: name, scrypt: vault.scrypt, key: fresh)
            try vault.write(&contents, under: fresh)
            close()
            return (VaultSecretStore(vault: vault, key: fresh), ended)
        }
    }

    /// Gives the vault a new key, wraps it under a passkey and the passphrase together, and closes this store. Every slot
    /// that opens alone ends.
    ///
    /// An older copy of the file opens with the passphrase alone. Its key is another, so it opens nothing of the new file.
    ///
    /// - Parameters:
    ///   - credentialID: a passkey of this vault, whose function gave `output`.
    ///   - passphrase: has opened this vault.
    /// - Returns: the vault, open under its new key, and the one slot that is left.
    /// - Throws: ``VaultError``. Then nothing has changed, and this store stays open.
    package func requireBoth(
        passkey credentialID: [UInt8], output: Secret, passphrase: Secret
    ) async throws -> (opened: VaultSecretStore, slot: KeySlot) {
        try await BlockingWork.run { [self] in
            let lock = try vault.lock()
            defer { withExtendedLifetime(lock) {} }
            var contents = try contents()
            guard let old = contents.slots.map(\.slot).first(where: { $0.passkey?.credentialID == credentialID }),
                let passkey = old.passkey, let wrappingKey = old.wrappingKey(passkeyOutput: output),
                let sealed = contents.slots.first(where: { $0.slot.id == old.id }),
                try contents.unwrap(sealed, under: wrappingKey) != nil
            else { throw VaultError(.wrongPasskey, "that passkey does not open this vault") }
            let fresh = VaultKey()
            try seal(&contents, anewUnder: fresh)
            contents.slots = []
            let slot = try add(passkey, output, old.name, passphrase, of: fresh, to: &contents)
            try vault.write(&contents, under: fresh)
            close()
            return (VaultSecretStore(vault: vault, key: fresh), slot)
        }
    }

    /// Encrypts every entry under another key.
    private func seal(_ contents: inout VaultFile, anewUnder fresh: VaultKey) throws {
        let (old, new) = (try Self.entryKey(key), try Self.entryKey(fresh))
        for (name, sealed) in contents.entries {
            let binding = try contents.binding(entry: name)
            let padded: Secret
            do {
                padded = try SealedBytes.open(sealed, under: old, binding: binding)
            } catch {
                throw VaultError(.damaged, "the vault's entry \(name) cannot be decrypted")
            }
            defer { padded.wipe() }
            contents.entries[name] = try padded.withUnsafeBytes {
                try SealedBytes.seal($0, under: new, binding: binding)
            }
        }
    }
}
