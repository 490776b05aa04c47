import Clocks
import Crypto
import Foundation
import Machine
import Secrets

/// A file of secrets, encrypted under a random key that each of several slots can open.
///
///     let vault = Vault(file: home.vault)
///     let store = try await vault.open(passphrase: passphrase)
///     defer { store.close() }
///     let password = try await store.secret(named: "password")
///
/// The slots are the only way in. A file in which a single bit has changed is refused as a whole.
package struct Vault: Sendable {
    /// The shortest passphrase that a new slot accepts, in characters.
    package static let shortestPassphrase = 12

    package let file: URL
    let scrypt: ScryptParameters
    private let clock: any BootClock
    private let generations: (any VaultGenerations)?

    package init(file: URL) {
        self.init(file: file, scrypt: .standard)
    }

    package init(
        file: URL, scrypt: ScryptParameters, generations: (any VaultGenerations)? = nil,
        clock: any BootClock = SystemBootClock()
    ) {
        self.file = file
        self.scrypt = scrypt
        self.clock = clock
        self.generations = generations
    }

    package var exists: Bool { FileManager.default.fileExists(atPath: file.path) }

    /// The slots that the file lists. They are not authenticated until the vault is open.
    package func slots() throws(VaultError) -> [KeySlot] {
        try VaultFile(contentsOf: file).slots.map(\.slot)
    }

    /// Creates a vault with one passphrase slot, and opens it. Throws `exists` when the file exists already.
    package func create(passphrase: Secret, named name: String = "Passphrase") async throws -> VaultSecretStore {
        try Self.checkStrength(of: passphrase)
        return try await BlockingWork.run {
            let lock = try lock()
            defer { withExtendedLifetime(lock) {} }
            guard !exists else {
                throw VaultError(.exists, "there is a vault at \(file.path) already; it is left as it is")
            }
            let use = try VaultUse(file)
            let key = VaultKey()
            var contents = VaultFile()
            try contents.addPassphrase(passphrase, named: name, scrypt: scrypt, key: key)
            try write(&contents, under: key)
            return VaultSecretStore(vault: self, key: key, use)
        }
    }

    /// Returns the time until a passphrase from `source` is tried again; zero when it is tried at once.
    package func waitBeforeAttempt(from source: PassphraseSource = .terminal) throws(VaultError) -> Duration {
        try PassphraseAttempts(vault: file, source: source, clock: clock).wait()
    }

    /// Opens the vault with a passphrase, trying every passphrase slot.
    ///
    /// Throws `wrongPassphrase`, and `noPassphrase` where none can open it. After ten wrong passphrases in a row from one source it throws `delayed` without trying.
    package func open(passphrase: Secret, from source: PassphraseSource = .terminal) async throws -> VaultSecretStore {
        try await BlockingWork.run {
            let attempts = PassphraseAttempts(vault: file, source: source, clock: clock)
            let lock = try lock()
            defer { withExtendedLifetime(lock) {} }
            let use = try VaultUse(file)
            let contents = try VaultFile(contentsOf: file)
            let slots = contents.slots.filter(\.slot.isPassphrase)
            guard !slots.isEmpty else {
                throw VaultError(
                    .noPassphrase,
                    contents.slots.contains(where: \.slot.needsBoth)
                        ? "this vault opens only with a passkey and the passphrase together; use the approval page: "
                            + "countersign phone serve"
                        : "this vault has no passphrase; open it with a passkey")
            }
            try attempts.begin()
            guard !passphrase.isEmpty else { throw VaultError(.wrongPassphrase, "the passphrase is empty") }
            for slot in slots {
                guard let wrappingKey = try slot.slot.wrappingKey(passphrase: passphrase) else { continue }
                if let key = try contents.unwrap(slot, under: wrappingKey) {
                    try attempts.forgive()
                    return try verified(contents, under: key, use)
                }
            }
            throw VaultError(.wrongPassphrase, "the passphrase is wrong")
        }
    }

    /// Opens the vault with the output of a passkey's pseudo-random function.
    package func open(passkey credentialID: [UInt8], output: Secret) async throws -> VaultSecretStore {
        try await BlockingWork.run {
            // Before the file is read: it does not get a new key from then on.
            let use = try VaultUse(file)
            let contents = try VaultFile(contentsOf: file)
            let mine = contents.slots.first { $0.slot.passkey?.credentialID == credentialID }
            guard let mine, output.count == 32, let wrappingKey = mine.slot.wrappingKey(passkeyOutput: output),
                let key = try contents.unwrap(mine, under: wrappingKey)
            else { throw VaultError(.wrongPasskey, "that passkey does not open this vault") }
            return try verified(contents, under: key, use)
        }
    }

    /// Opens the vault with a passkey's output and the passphrase together.
    ///
    /// Throws `wrongPasskey` if either is wrong: which of them, cannot be told.
    package func open(
        passkey credentialID: [UInt8], output: Secret, passphrase: Secret, from source: PassphraseSource
    ) async throws -> VaultSecretStore {
        try await BlockingWork.run {
            let attempts = PassphraseAttempts(vault: file, source: source, clock: clock)
            let lock = try lock()
            defer { withExtendedLifetime(lock) {} }
            let use = try VaultUse(file)
            let contents = try VaultFile(contentsOf: file)
            let mine = contents.slots.first { $0.slot.needsBoth && $0.slot.passkey?.credentialID == credentialID }
            try attempts.begin()
            guard let mine, output.count == 32,
                let wrappingKey = try mine.slot.wrappingKey(passphrase: passphrase, passkeyOutput: output),
                let key = try contents.unwrap(mine, under: wrappingKey)
            else {
                throw VaultError(.wrongPasskey, "the passkey and the passphrase do not open this vault together")
            }
            try attempts.forgive()
            return try verified(contents, under: key, use)
        }
    }

    private func verified(
        _ contents: VaultFile, under key: VaultKey, _ use: VaultUse
    ) throws -> VaultSecretStore {
        guard try contents.isAuthentic(under: key) else {
            key.wipe()
            throw VaultError(.damaged, "\(file.path) has been changed by something else; restore it from a backup")
        }
        do {
            try checkGeneration(of: contents)
        } catch {
            key.wipe()
            throw error
        }
        return VaultSecretStore(vault: self, key: key, use)
    }

    // MARK: Generations

    /// Throws `rolledBack` for a file that is older than the newest that was written here.
    func checkGeneration(of contents: VaultFile) throws {
        guard let generations else { return }
        let newest = try generations.newest(ofVault: contents.id)
        // Another process may have written between the reading of the file and of the record: look at the file again.
        guard try contents.generation >= newest || VaultFile(contentsOf: file).generation >= newest else {
            throw VaultError(
                .rolledBack,
                "\(file.path) is an older copy of this vault (generation \(contents.generation), the newest was \(newest)); "
                    + "put the newest back, or accept this one: countersign phone accept-backup")
        }
    }

    /// Writes the file, then records its generation: a crash in between leaves a file that is newer than the record.
    ///
    /// - Parameter isRecordNeeded: false for a new key: once the file has it, nothing else may look as if it were not there.
    func write(_ contents: inout VaultFile, under key: VaultKey, isRecordNeeded: Bool = true) throws {
        try contents.write(to: file, under: key)
        do {
            try generations?.record(contents.generation, ofVault: contents.id)
        } catch {
            if isRecordNeeded { throw error }
        }
    }

    /// Accepts the file as the newest, such as a backup that the owner restored.
    ///
    /// - Throws: ``VaultError``; `wrongPassphrase` and `delayed` as ``open(passphrase:)`` does.
    package func acceptRestored(passphrase: Secret) async throws {
        let unremembered = Vault(file: file, scrypt: scrypt, clock: clock)
        let secrets = try await unremembered.open(passphrase: passphrase)
        defer { secrets.close() }
        try await BlockingWork.run {
            let contents = try VaultFile(contentsOf: file)
            try generations?.record(contents.generation, ofVault: contents.id)
        }
    }

    /// Runs one writer at a time, across all processes.
    func lock() throws -> FileLock {
        let file = file.appendingPathExtension("lock")
        do {
            if let lock = try FileLock(file, waits: true) { return lock }
        } catch {
            throw VaultError(.unreadable, "\(error)")
        }
        throw VaultError(.busy, "another process is changing the vault")
    }

    /// - Throws: `weakPassphrase` for a passphrase of fewer than ``shortestPassphrase`` characters.
    package static func checkStrength(of passphrase: Secret) throws(VaultError) {
        guard passphrase.revealed().count >= shortestPassphrase else {
            throw VaultError(.weakPassphrase, "a passphrase needs \(shortestPassphrase) characters at least")
        }
    }
}

extension VaultFile {
    mutating func addPassphrase(_ passphrase: Secret, named name: String, scrypt: ScryptParameters, key: VaultKey)
        throws
    {
        let salt = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
        let slot = KeySlot(name: name, createdAt: Date(), kind: .passphrase(scrypt, salt: salt))
        guard let wrappingKey = try slot.wrappingKey(passphrase: passphrase) else { return }
        slots.append(Slot(slot: slot, sealed: try key.sealed(under: wrappingKey, binding: try binding(slot))))
    }

    /// Unwraps the vault key from a slot, or returns nil when `wrappingKey` does not open it.
    func unwrap(_ slot: Slot, under wrappingKey: SymmetricKey) throws -> VaultKey? {
        let binding = try binding(slot.slot)
        guard let bytes = try? SealedBytes.open(slot.sealed, under: wrappingKey, binding: binding) else { return nil }
        return try VaultKey(bytes: bytes)
    }
}
