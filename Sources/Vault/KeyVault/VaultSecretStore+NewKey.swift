import Crypto
import Foundation
import Machine
import Secrets

/// A passkey that has just answered, with the output of its pseudo-random function. Only then can a new vault key be wrapped for it.
package struct AnsweredPasskey: Sendable {
    package let credentialID: [UInt8]
    package let output: Secret

    package init(credentialID: [UInt8], output: Secret) {
        self.credentialID = credentialID
        self.output = output
    }
}

extension VaultSecretStore {
    /// Gives the vault a new key and one new passphrase, in a single write, and closes this store.
    ///
    /// Anyone who has an older copy of the file and the old passphrase gets what was stored until then, but nothing of the
    /// new file: its key is another, and is wrapped under the new passphrase only. All other slots end. A passkey's slot
    /// can be wrapped only while the passkey is there, so the others have to be registered again.
    ///
    /// - Parameters:
    ///   - old: the present passphrase, for a passkey whose slot needs both.
    ///   - passkey: goes on: its new slot is of the same kind, so one that needed the passphrase, too, needs the new one.
    ///   - passkeyName: the name of its new slot; nil for its present one.
    ///   - endsPasskeys: false where passkeys must not end without an answer of one of them.
    ///   - secrets: are stored, and the named ones removed, in the same write.
    /// - Returns: the vault, open under its new key, and the slots that ended besides the old passphrases.
    /// - Throws: ``VaultError``; `weakPassphrase`, `inUse` while another store has the vault open, and `wrongPasskey` for one that
    ///   does not open this vault. Then nothing has changed, and this store stays open.
    package func changePassphrase(
        to passphrase: Secret, named name: String = "Passphrase", from old: Secret? = nil,
        keeping passkey: AnsweredPasskey? = nil, named passkeyName: String? = nil, endsPasskeys: Bool = true,
        storing secrets: [String: Secret] = [:], removing gone: [String] = []
    ) async throws -> (opened: VaultSecretStore, ended: [KeySlot]) {
        try Vault.checkStrength(of: passphrase)
        return try await withNewKey(storing: secrets, removing: gone) { [self] contents, fresh in
            let kept = try passkey.map { try slot(of: $0, and: old, in: contents) }
            let ended = contents.slots.map(\.slot).filter { !$0.isPassphrase && $0.id != kept?.id }
            guard kept != nil || !ended.contains(where: \.needsBoth), endsPasskeys || ended.isEmpty else {
                throw VaultError(.wrongPasskey, "this vault has a passkey; confirm with it as well")
            }
            contents.slots = []
            let needsBoth = kept?.needsBoth ?? false
            if !needsBoth {
                try contents.addPassphrase(passphrase, named: name, scrypt: vault.scrypt, key: fresh)
            }
            if let kept, let known = kept.passkey, let passkey {
                _ = try add(
                    known, passkey.output, passkeyName ?? kept.name, needsBoth ? passphrase : nil, of: fresh,
                    to: &contents)
            }
            return ended
        }
    }

    /// Writes the vault under a new key, with the ways into it that `slots` makes, and closes this store.
    private func withNewKey<Result: Sendable>(
        storing secrets: [String: Secret], removing gone: [String],
        slots: @escaping @Sendable (inout VaultFile, VaultKey) throws -> Result
    ) async throws -> (opened: VaultSecretStore, Result) {
        try await BlockingWork.run { [self] in
            let lock = try vault.lock()
            defer { withExtendedLifetime(lock) {} }
            guard let use else { throw VaultError(.locked, "the vault has been closed") }
            return try use.alone {
                var contents = try contents()
                let fresh = VaultKey()
                try seal(&contents, anewUnder: fresh)
                try Self.put(secrets, removing: gone, into: &contents, under: fresh)
                let result = try slots(&contents, fresh)
                try vault.write(&contents, under: fresh, isRecordNeeded: false)
                close()
                return (VaultSecretStore(vault: vault, key: fresh, use), result)
            }
        }
    }

    /// Returns the slot that a passkey opens now, alone or with the passphrase.
    private func slot(of passkey: AnsweredPasskey, and passphrase: Secret?, in contents: VaultFile) throws -> KeySlot {
        let sealed = contents.slots.first { $0.slot.passkey?.credentialID == passkey.credentialID }
        guard let sealed,
            let wrappingKey = try sealed.slot.needsBoth
                ? passphrase.flatMap({ try sealed.slot.wrappingKey(passphrase: $0, passkeyOutput: passkey.output) })
                : sealed.slot.wrappingKey(passkeyOutput: passkey.output),
            try contents.unwrap(sealed, under: wrappingKey) != nil
        else { throw VaultError(.wrongPasskey, "that passkey does not open this vault") }
        return sealed.slot
    }

    /// Gives the vault a new key, wraps it under a passkey and the passphrase together, and closes this store. Every slot
    /// that opens alone ends.
    ///
    /// An older copy of the file opens with the passphrase alone. Its key is another, so it opens nothing of the new file.
    ///
    /// - Parameters:
    ///   - credentialID: a passkey of this vault, whose function gave `output`.
    ///   - passphrase: has opened this vault.
    ///   - name: the name of the slot; nil for the passkey's present one.
    ///   - secrets: are stored, and the named ones removed, in the same write.
    /// - Returns: the vault, open under its new key, and the one slot that is left.
    /// - Throws: ``VaultError``. Then nothing has changed, and this store stays open.
    package func requireBoth(
        passkey credentialID: [UInt8], output: Secret, passphrase: Secret, named name: String? = nil,
        storing secrets: [String: Secret] = [:], removing gone: [String] = []
    ) async throws -> (opened: VaultSecretStore, slot: KeySlot) {
        try await withNewKey(storing: secrets, removing: gone) { [self] contents, fresh in
            let old = try slot(of: AnsweredPasskey(credentialID: credentialID, output: output), and: nil, in: contents)
            guard let passkey = old.passkey else {
                throw VaultError(.wrongPasskey, "that passkey does not open this vault")
            }
            contents.slots = []
            return try add(passkey, output, name ?? old.name, passphrase, of: fresh, to: &contents)
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
