import Files
import Foundation
import Secrets

/// The person's tokens on this device, and through a synced store on their others.
///
///     let tokens = TokenStore(folder: home.tokens, secrets: openVault, synced: FolderKeyValueStore(folder))
///     try await tokens.change { try $0.add(token) }
///     let code = try await tokens.vault().tokens[0].code()
///
/// The folder holds this device's own copy, so that nothing depends on the synced store being there, and so that what
/// another device overwrote comes back at the next look. The key lies in the secret store; both copies are encrypted.
public actor TokenStore {
    /// The key of the vault in every ``KeyValueStore``.
    public static let vaultName = "vault"

    private static let formerKey = "formerVaultKey"

    private let local: FolderKeyValueStore
    private let secrets: any SecretStore
    private let synced: (any KeyValueStore)?
    private let lockFile: URL

    /// - Parameters:
    ///   - folder: this device's own; made with mode 0700 if it is not there.
    ///   - secrets: where the vault's key lies; it must stay open while this is used.
    public init(folder: URL, secrets: any SecretStore, synced: (any KeyValueStore)? = nil) {
        local = FolderKeyValueStore(folder)
        self.secrets = secrets
        self.synced = synced
        lockFile = folder.appending(path: "lock")
    }

    /// What became of the synced copy at the last look.
    public enum SyncState: Sendable, Equatable {
        case off
        /// Both copies are the same.
        case inStep
        /// Why the synced copy was left alone; this device's own is in order.
        case apart(String)
    }

    public struct Look: Sendable {
        public let vault: TokenVault
        public let sync: SyncState
        /// How many versions that a sync client kept aside were merged.
        public let mergedVersions: Int
    }

    /// The tokens, with what other devices changed merged in.
    public func vault() async throws -> TokenVault {
        try await look().vault
    }

    public func look() async throws -> Look {
        try await update { _ in }.look
    }

    /// Changes the vault durably, here first and then in the synced store.
    @discardableResult
    public func change<Result: Sendable>(_ body: @Sendable (inout TokenVault) throws -> Result) async throws -> Result {
        try await update(body).result
    }

    /// The key of the vault; none when there has never been a token.
    public func key() async throws -> TokenVaultKey? {
        try await TokenVaultKey.load(from: secrets)
    }

    /// Encrypts this device's vault under another key from now on: the one of the devices it is to be synced with.
    public func adopt(_ key: TokenVaultKey) async throws {
        let lock = try await lock()
        defer { withExtendedLifetime(lock) {} }
        let (own, former) = try await ownCopy()
        // The former key is kept: if the power fails between the next two lines, the vault is still under that one.
        if let former { try await secrets.store(former.bytes, named: Self.formerKey) }
        try await key.save(to: secrets)
        try await local.set(
            EncryptedTokenVault(own.vault, under: key).ciphertext, forKey: Self.vaultName, superseding: own.merged)
    }

    // MARK: One look, one write

    private func update<Result: Sendable>(
        _ body: @Sendable (inout TokenVault) throws -> Result
    ) async throws -> (result: Result, look: Look) {
        let lock = try await lock()
        defer { withExtendedLifetime(lock) {} }
        let (own, known) = try await ownCopy()
        let key = known ?? TokenVaultKey()
        let theirs = await syncedCopy(under: key)
        var vault = own.vault.merged(with: theirs.vault ?? own.vault)
        let result = try body(&vault)
        if known == nil, vault.entries.isEmpty {
            return (result, Look(vault: vault, sync: theirs.state ?? .inStep, mergedVersions: 0))
        }
        if known == nil { try await key.save(to: secrets) }
        if own.isStale || !vault.hasSameContent(as: own.vault) {
            try await local.set(
                EncryptedTokenVault(vault, under: key).ciphertext, forKey: Self.vaultName, superseding: own.merged)
        }
        let sync = await push(vault, to: theirs, under: key)
        let versions = (own.merged + theirs.merged).count { $0.version != nil }
        return (result, Look(vault: vault, sync: sync, mergedVersions: versions))
    }

    /// Between processes, and between stores in this one. Waiting holds no thread.
    private func lock() async throws -> FileLock {
        let deadline = ContinuousClock.now + .seconds(30)
        repeat {
            do {
                try PrivateFolder.make(local.folder)
                if let lock = try FileLock(lockFile) { return lock }
            } catch {
                throw SecondFactorError(
                    .unreadable, "\(local.folder.path) cannot be used: check its owner and mode")
            }
            try await Task.sleep(for: .milliseconds(5))
        } while ContinuousClock.now < deadline
        throw SecondFactorError(.unreadable, "\(local.folder.path) is in use by another process; stop it and try again")
    }

    private struct Copy {
        var vault = TokenVault(at: Date(timeIntervalSince1970: 0))
        /// What the vault was read from.
        var merged: [StoredValue] = []
        /// Whether the file is not what it should be: missing, in several versions, or under a former key.
        var isStale = true
    }

    /// This device's copy, and the key for it: none when there has never been one.
    private func ownCopy() async throws -> (Copy, TokenVaultKey?) {
        let values = try await local.values(forKey: Self.vaultName)
        let key = try await TokenVaultKey.load(from: secrets)
        guard let key else {
            guard values.isEmpty else {
                throw SecondFactorError(
                    .keyMissing,
                    "\(local.file(forKey: Self.vaultName).path) is encrypted, and its key is not in this phone's vault. "
                        + "Nothing was changed. Restore the vault.json that was made with it, take the key from another "
                        + "device (countersign totp sync join), or move the file away and import an export")
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
            // A version kept aside under another key is somebody else's, and stays.
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
        /// Set when nothing is to be written.
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
