import Foundation
import SecondFactor
import Secrets

extension PhoneHome {
    private static let syncedFolder = "totp/synced-folder"

    /// The person's tokens, synced through the folder that ``syncTokens(through:_:)`` named.
    ///
    /// - Parameter secrets: the open vault, where the tokens' key lies.
    public func tokens(_ secrets: any SecretStore) async throws -> TokenStore {
        let folder = try await syncedTokenFolder(secrets)
        return TokenStore(folder: tokenFolder, secrets: secrets, synced: folder.map(FolderKeyValueStore.init))
    }

    public func syncedTokenFolder(_ secrets: any SecretStore) async throws -> URL? {
        guard let path = try await secrets.secret(named: Self.syncedFolder) else { return nil }
        // A path is no secret: while this lives, the redactor would take it out of every message.
        defer { path.wipe() }
        return URL(filePath: path.revealed(), directoryHint: .isDirectory)
    }

    /// From now on the tokens are kept alike through this folder; through none when it is nil.
    public func syncTokens(through folder: URL?, _ secrets: any SecretStore) async throws {
        guard let folder else { return try await secrets.remove(named: Self.syncedFolder) }
        let path = Secret(folder.standardizedFileURL.path)
        defer { path.wipe() }
        try await secrets.store(path, named: Self.syncedFolder)
    }
}
