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
    /// - Returns: the vault, open under its new key, the slots that ended besides the old passphrases, and the passkey's old and
    ///   new slot.
    /// - Throws: ``VaultError``; `weakPassphrase`, and `wrongPasskey` for one that does not open this vault. Then nothing has
    ///   changed, and this store stays open.
    package func changePassphrase(
        to passphrase: Secret, named name: String = "Passphrase", from old: Secret? = nil,
        keeping passkey: AnsweredPasskey? = nil
    ) async throws -> (opened: VaultSecretStore, ended: [KeySlot], kept: (before: KeySlot, now: KeySlot)?) {
        try Vault.checkStrength(of: passphrase)
        return try await BlockingWork.run { [self] in
            let lock = try vault.lock()
            defer { withExtendedLifetime(lock) {} }
            var contents = try contents()
            let before = try passkey.map { try slot(of: $0, and: old, in: contents) }
            let ended = contents.slots.map(\.slot).filter { !$0.isPassphrase && $0.id != before?.id }
            guard before != nil || !ended.contains(where: \.needsBoth) else {
                throw VaultError(.wrongPasskey, "this vault opens only with both; confirm with a passkey as well")
            }
            let fresh = VaultKey()
            try seal(&contents, anewUnder: fresh)
            contents.slots = []
            let needsBoth = before?.needsBoth ?? false
            if !needsBoth {
                try contents.addPassphrase(passphrase, named: name, scrypt: vault.scrypt, key: fresh)
            }
            var kept: (before: KeySlot, now: KeySlot)?
            if let before, let known = before.passkey, let passkey {
                let now = try add(
                    known, passkey.output, before.name, needsBoth ? passphrase : nil, of: fresh, to: &contents)
                kept = (before, now)
            }
            try vault.write(&contents, under: fresh)
            close()
            return (VaultSecretStore(vault: vault, key: fresh), ended, kept)
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
    /// - Returns: the vault, open under its new key, and the one slot that is left.
    /// - Throws: ``VaultError``. Then nothing has changed, and this store stays open.
    package func requireBoth(
        passkey credentialID: [UInt8], output: Secret, passphrase: Secret
    ) async throws -> (opened: VaultSecretStore, slot: KeySlot) {
        try await BlockingWork.run { [self] in
            let lock = try vault.lock()
            defer { withExtendedLifetime(lock) {} }
            var contents = try contents()
            let old = try slot(of: AnsweredPasskey(credentialID: credentialID, output: output), and: nil, in: contents)
            guard let passkey = old.passkey else {
                throw VaultError(.wrongPasskey, "that passkey does not open this vault")
            }
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
