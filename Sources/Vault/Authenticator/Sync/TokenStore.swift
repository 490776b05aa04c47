import Foundation
import Machine
import Secrets

/// The person's tokens on this device, synced with their other devices through a shared store.
///
///     let tokens = TokenStore(folder: home.tokens, secrets: openVault, synced: FolderKeyValueStore(folder))
///     try await tokens.change { try $0.add(token) }
///     let code = try await tokens.vault().tokens[0].code()
///
/// The folder holds this device's own copy. So the tokens are available without the synced store, and tokens that
/// another device overwrote there come back at the next sync. Both copies are encrypted; the key is in the secret
/// store.
package actor TokenStore {
    /// The name of the vault in every ``KeyValueStore``.
    package static let vaultName = "vault"

    private static let formerKey = "formerVaultKey"

    private let local: FolderKeyValueStore
    private let secrets: any SecretStore
    private let synced: (any KeyValueStore)?
    private let lockFile: URL

    /// - Parameters:
    ///   - folder: this device's own folder; created with mode 0700 if it is missing.
    ///   - secrets: the store of the vault's key. It must stay open while the token store is in use.
    package init(folder: URL, secrets: any SecretStore, synced: (any KeyValueStore)? = nil) {
        local = FolderKeyValueStore(folder)
        self.secrets = secrets
        self.synced = synced
        lockFile = folder.appending(path: "lock")
    }

    /// The state of the synced copy after a sync.
    package enum SyncState: Sendable, Equatable {
        case off
        /// Both copies are the same.
        case inStep
        /// The synced copy was left unchanged for this reason. This device's own copy is fine.
        case apart(String)
    }

    /// The tokens after a sync.
    package struct SyncResult: Sendable {
        package let vault: TokenVault
        package let sync: SyncState
        /// The number of conflicting versions that were merged.
        package let mergedVersions: Int
    }

    /// Returns the tokens, merged with the changes of other devices.
    package func vault() async throws -> TokenVault {
        try await sync().vault
    }

    /// Merges this device's copy with the synced one and writes the copies that are not up to date.
    package func sync() async throws -> SyncResult {
        try await update { _ in }.sync
    }

    /// Changes the vault durably, first on this device and then in the synced store.
    @discardableResult
    package func change<Result: Sendable>(_ body: @Sendable (inout TokenVault) throws -> Result) async throws -> Result
    {
        try await update(body).result
    }

    /// Returns the key of the vault; nil if there has never been a token.
    package func key() async throws -> TokenVaultKey? {
        try await TokenVaultKey.load(from: secrets)
    }

    /// Encrypts this device's vault under another key from now on: the key of the devices to sync with.
    package func adopt(_ key: TokenVaultKey) async throws {
        let lock = try await lock()
        defer { withExtendedLifetime(lock) {} }
        let (own, former) = try await ownCopy()
        // Keep the former key: if the power fails between the next two writes, the vault is still encrypted under it.
        if let former { try await secrets.store(former.bytes, named: Self.formerKey) }
        try await key.save(to: secrets)
        try await local.set(
            EncryptedTokenVault(own.vault, under: key).ciphertext, forKey: Self.vaultName, superseding: own.merged)
    }

    // MARK: Merging and writing

    private func update<Result: Sendable>(
        _ body: @Sendable (inout TokenVault) throws -> Result
    ) async throws -> (result: Result, sync: SyncResult) {
        let lock = try await lock()
        defer { withExtendedLifetime(lock) {} }
        let (own, known) = try await ownCopy()
        let key = known ?? TokenVaultKey()
        let theirs = await syncedCopy(under: key)
        var vault = own.vault.merged(with: theirs.vault ?? own.vault)
        let result = try body(&vault)
        if known == nil, vault.entries.isEmpty {
            return (result, SyncResult(vault: vault, sync: theirs.state ?? .inStep, mergedVersions: 0))
        }
        if known == nil { try await key.save(to: secrets) }
        if own.isStale || !vault.hasSameContent(as: own.vault) {
            try await local.set(
                EncryptedTokenVault(vault, under: key).ciphertext, forKey: Self.vaultName, superseding: own.merged)
        }
        let sync = await push(vault, to: theirs, under: key)
        let versions = (own.merged + theirs.merged).count { $0.version != nil }
        return (result, SyncResult(vault: vault, sync: sync, mergedVersions: versions))
    }

    /// Takes the lock against other processes and other stores in this process. Waiting does not block a thread.
    private func lock() async throws -> FileLock {
        let deadline = ContinuousClock.now + .seconds(30)
        var pause = Duration.milliseconds(5)
        repeat {
            do throws(FileError) {
                try PrivateFolder.make(local.folder)
                if let lock = try FileLock(lockFile) { return lock }
            } catch {
                throw SecondFactorError(.unreadable, "\(error); \(error.remedy(in: local.folder))")
            }
            try await Task.sleep(for: pause)
            // Many that wait must not keep the one that works from its work.
            pause = min(pause * 2, .milliseconds(100))
        } while ContinuousClock.now < deadline
        throw SecondFactorError(.unreadable, "\(local.folder.path) is in use by another process; stop it and try again")
    }

    private struct Copy {
        var vault = TokenVault(at: Date(timeIntervalSince1970: 0))
        /// The versions that were merged into the vault.
        var merged: [StoredValue] = []
        /// True if the file must be rewritten: it is missing, has several versions, or is encrypted under a former key.
        var isStale = true
    }

    /// Reads this device's copy and its key; the key is nil if there has never been one.
    private func ownCopy() async throws -> (Copy, TokenVaultKey?) {
        let values = try await local.values(forKey: Self.vaultName)
        let key = try await TokenVaultKey.load(from: secrets)
        guard let key else {
            guard values.isEmpty else {
                throw SecondFactorError(
                    .keyMissing,
                    "\(local.file(forKey: Self.vaultName).path) is encrypted, but its key is not in this phone's "
                        + "vault. Nothing was changed. Restore the matching vault.json, get the key from another "
                        + "device (countersign totp sync join FILE), or move the file away and import an export")
            }
            return (Copy(), nil)
        }
        do {
            return (try Self.merged(values, with: key), key)
        } catch let error as SecondFactorError where error.code == .damaged {
            guard let former = try await secrets.secret(named: Self.formerKey),
                var copy = try? Self.merged(values, with: TokenVaultKey(bytes: former))
            else { throw error }
            copy.isStale = true
            return (copy, key)
        }
    }

    private static func merged(_ values: [StoredValue], with key: TokenVaultKey) throws -> Copy {
        guard let first = values.first else { return Copy() }
        var copy = Copy()
        copy.vault = try EncryptedTokenVault(ciphertext: first.data).opened(with: key)
        copy.merged = [first]
        for value in values.dropFirst() {
            // Leave a conflicting version under another key alone: it belongs to another vault.
            guard let other = try? EncryptedTokenVault(ciphertext: value.data).opened(with: key) else { continue }
            copy.vault = copy.vault.merged(with: other)
            copy.merged.append(value)
        }
        copy.isStale = copy.merged.count > 1
        return copy
    }

    // MARK: The synced copy

    private struct SyncedCopy {
        var vault: TokenVault?
        var merged: [StoredValue] = []
        /// Set if the synced copy must not be written.
        var state: SyncState?
    }

    private func syncedCopy(under key: TokenVaultKey) async -> SyncedCopy {
        guard let synced else { return SyncedCopy(state: .off) }
        do {
            let values = try await synced.values(forKey: Self.vaultName)
            guard !values.isEmpty else { return SyncedCopy() }
            let copy = try Self.merged(values, with: key)
            return SyncedCopy(vault: copy.vault, merged: copy.merged)
        } catch {
            return SyncedCopy(state: .apart("\(error)"))
        }
    }

    private func push(_ vault: TokenVault, to theirs: SyncedCopy, under key: TokenVaultKey) async -> SyncState {
        if let state = theirs.state { return state }
        guard let synced else { return .off }
        if theirs.merged.count == 1, let seen = theirs.vault, seen.hasSameContent(as: vault) { return .inStep }
        do {
            try await synced.set(
                EncryptedTokenVault(vault, under: key).ciphertext, forKey: Self.vaultName, superseding: theirs.merged)
            return .inStep
        } catch {
            return .apart("\(error)")
        }
    }
}

extension FileError {
    /// Says what to do about an error of the folder with the tokens.
    fileprivate func remedy(in folder: URL) -> String {
        switch code {
        case EACCES, EPERM, EROFS: "check the owner and the mode of \(folder.path)"
        case ENOTDIR, EEXIST, EISDIR, ELOOP: "move what is in the way, and try again"
        case ENOSPC, EDQUOT: "free some space, and try again"
        default: "try again"
        }
    }
}
