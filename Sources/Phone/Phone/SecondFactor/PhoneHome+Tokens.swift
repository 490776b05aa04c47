import Authenticator
import Foundation
import Secrets

extension PhoneHome {
    private static let syncedFolder = "totp/synced-folder"

    /// Returns the person's tokens, synced through the folder of ``syncTokens(through:_:)``.
    ///
    /// - Parameter secrets: the open vault, which holds the tokens' key.
    package func tokens(_ secrets: any SecretStore) async throws -> TokenStore {
        let folder = try await syncedTokenFolder(secrets)
        return TokenStore(folder: tokenFolder, secrets: secrets, synced: folder.map(FolderKeyValueStore.init))
    }

    package func syncedTokenFolder(_ secrets: any SecretStore) async throws -> URL? {
        guard let path = try await secrets.secret(named: Self.syncedFolder) else { return nil }
        // A path is not secret: while this value lives, the redactor would remove it from every message.
        defer { path.wipe() }
        return URL(filePath: path.revealed(), directoryHint: .isDirectory)
    }

    /// Sets the folder through which the tokens are synced; nil ends the syncing.
    package func syncTokens(through folder: URL?, _ secrets: any SecretStore) async throws {
        guard let folder else { return try await secrets.remove(named: Self.syncedFolder) }
        let path = Secret(folder.standardizedFileURL.path)
        defer { path.wipe() }
        try await secrets.store(path, named: Self.syncedFolder)
    }
}
