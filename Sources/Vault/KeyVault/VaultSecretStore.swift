import Crypto
import Foundation
import Machine
import Secrets
import Synchronization

/// An open vault. ``close()`` it as soon as possible: until then its key is in memory.
///
/// The names of the secrets are not encrypted. Their values are, padded so that the file does not reveal their lengths.
package final class VaultSecretStore: SecretStore {
    let vault: Vault
    let key: VaultKey
    private let present: Mutex<VaultUse?>
    /// Nil once the store is closed.
    var use: VaultUse? { present.withLock { $0 } }

    init(vault: Vault, key: VaultKey, _ use: VaultUse) {
        self.vault = vault
        self.key = key
        present = Mutex(use)
    }

    deinit { key.wipe() }

    /// Overwrites the key. Secrets that were already returned live until they are released.
    package func close() {
        key.wipe()
        present.withLock { $0 = nil }
    }

    package func secret(named name: String) async throws -> Secret? {
        try await BlockingWork.run { [self] in
            let contents = try contents()
            guard let sealed = contents.entries[name] else { return nil }
            do {
                let padded = try SealedBytes.open(
                    sealed, under: entryKey(), binding: contents.binding(entry: name))
                return try Padding.removed(from: padded)
            } catch {
                throw VaultError(.damaged, "the vault's entry \(name) cannot be decrypted")
            }
        }
    }

    /// Returns true if the vault has a secret with that name, without decrypting it.
    package func holds(_ name: String) async throws -> Bool {
        try await BlockingWork.run { [self] in try contents().entries[name] != nil }
    }

    /// Returns the names of all secrets, sorted.
    package func names() async throws -> [String] {
        try await BlockingWork.run { [self] in try contents().entries.keys.sorted() }
    }

    package func store(_ secret: Secret, named name: String) async throws {
        try await store([name: secret])
    }

    /// Stores all the given secrets and removes the named ones in a single write: either all changes happen or none.
    package func store(_ secrets: [String: Secret], removing gone: [String] = []) async throws {
        try await change { [self] contents in try Self.put(secrets, removing: gone, into: &contents, under: key) }
    }

    static func put(
        _ secrets: [String: Secret], removing gone: [String], into contents: inout VaultFile, under key: VaultKey
    ) throws {
        for name in gone { contents.entries[name] = nil }
        let entryKey = try entryKey(key)
        for (name, secret) in secrets {
            let padded = Padding.added(to: secret)
            contents.entries[name] = try padded.withUnsafeBytes {
                try SealedBytes.seal($0, under: entryKey, binding: contents.binding(entry: name))
            }
        }
    }

    package func remove(named name: String) async throws {
        try await change { $0.entries[name] = nil }
    }

    // MARK: Slots

    package func slots() async throws -> [KeySlot] {
        try await BlockingWork.run { [self] in try contents().slots.map(\.slot) }
    }

    @discardableResult
    package func addPassphrase(_ passphrase: Secret, named name: String) async throws -> KeySlot {
        try Vault.checkStrength(of: passphrase)
        return try await change { [self] contents in
            try contents.addPassphrase(passphrase, named: name, scrypt: vault.scrypt, key: key)
            return contents.slots[contents.slots.count - 1].slot
        }
    }

    /// Adds a slot that opens with `output`, the passkey's pseudo-random function of ``KeySlot/Passkey/prfInput``.
    ///
    /// - Parameter passphrase: has to open the slot as well; for a vault whose other slots need both.
    @discardableResult
    package func addPasskey(
        _ passkey: KeySlot.Passkey, output: Secret, named name: String, and passphrase: Secret? = nil
    ) async throws -> KeySlot {
        guard output.count == 32, passkey.prfInput.count == 32 else {
            throw VaultError(.wrongPasskey, "a passkey's pseudo-random output has 32 bytes; got \(output.count)")
        }
        return try await change { [self] contents in
            guard !contents.slots.contains(where: { $0.slot.passkey?.credentialID == passkey.credentialID }) else {
                throw VaultError(.exists, "that passkey opens this vault already")
            }
            guard passphrase != nil || !contents.slots.contains(where: \.slot.needsBoth) else {
                throw VaultError(.noPassphrase, "this vault opens only with both; give the passphrase as well")
            }
            return try add(passkey, output, name, passphrase, of: key, to: &contents)
        }
    }

    func add(
        _ passkey: KeySlot.Passkey, _ output: Secret, _ name: String, _ passphrase: Secret?, of key: VaultKey,
        to contents: inout VaultFile
    ) throws -> KeySlot {
        guard let passphrase else {
            let slot = KeySlot(name: name, createdAt: Date(), kind: .passkey(passkey))
            try append(slot, under: slot.wrappingKey(passkeyOutput: output), of: key, to: &contents)
            return slot
        }
        let salt = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
        let slot = KeySlot(name: name, createdAt: Date(), kind: .both(passkey, vault.scrypt, salt: salt))
        try append(
            slot, under: slot.wrappingKey(passphrase: passphrase, passkeyOutput: output), of: key, to: &contents)
        return slot
    }

    private func append(
        _ slot: KeySlot, under wrappingKey: SymmetricKey?, of key: VaultKey, to contents: inout VaultFile
    ) throws {
        guard let wrappingKey else { return }
        let sealed = try key.sealed(under: wrappingKey, binding: try contents.binding(slot))
        contents.slots.append(VaultFile.Slot(slot: slot, sealed: sealed))
    }

    /// Removes a slot. Throws `lastSlot` rather than leave a vault that cannot be opened.
    package func removeSlot(_ id: String) async throws {
        try await change { contents in
            guard let index = contents.slots.firstIndex(where: { $0.slot.id == id }) else {
                throw VaultError(.unknownSlot, "the vault has no key slot \(id)")
            }
            guard contents.slots.count > 1 else {
                throw VaultError(.lastSlot, "this is the only way into the vault; add another first")
            }
            contents.slots.remove(at: index)
        }
    }

    // MARK: The file

    private func entryKey() throws -> SymmetricKey { try Self.entryKey(key) }

    static func entryKey(_ key: VaultKey) throws -> SymmetricKey {
        try key.subkey(for: "countersign vault entries 1")
    }

    /// Reads the file again, as another process may have changed it, and throws unless our key authenticates it.
    func contents() throws -> VaultFile {
        let contents = try VaultFile(contentsOf: vault.file)
        guard try contents.isAuthentic(under: key) else {
            throw VaultError(
                .damaged, "\(vault.file.path) has been changed by something else; restore it from a backup")
        }
        try vault.checkGeneration(of: contents)
        return contents
    }

    @discardableResult
    private func change<Result: Sendable>(
        _ body: @escaping @Sendable (inout VaultFile) throws -> Result
    ) async throws -> Result {
        try await BlockingWork.run { [self] in
            let lock = try vault.lock()
            defer { withExtendedLifetime(lock) {} }
            var contents = try contents()
            let result = try body(&contents)
            try vault.write(&contents, under: key)
            return result
        }
    }
}
