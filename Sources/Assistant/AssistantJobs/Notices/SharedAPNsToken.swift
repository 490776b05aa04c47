import AssistantStore
import Foundation
import Notifications
import Secrets
import Synchronization

/// Apple's token in the database, sealed, for every process that sends.
///
/// A token that cannot be opened, because `root.key` was replaced, counts as none and is replaced.
final class SharedAPNsToken: APNsTokenPlace {
    private let tokens: ProviderTokenStore
    private let keys: StateKeys
    private let name: String
    /// The row as it was read last.
    private let row = Mutex<StoredProviderToken?>(nil)

    init(_ configuration: APNsConfiguration, _ database: AssistantDatabase, _ keys: StateKeys) {
        tokens = database.providerTokens
        self.keys = keys
        name = configuration.signer
    }

    func kept() async throws -> APNsToken? {
        let stored = try await tokens.token(name)
        row.withLock { $0 = stored }
        return stored.flatMap { stored in
            (try? keys.open(stored.sealed, as: binding)).map { APNsToken(text: $0, made: stored.madeAt) }
        }
    }

    func keep(_ token: APNsToken) async throws -> Bool {
        let stored = StoredProviderToken(sealed: try keys.seal(token.text, as: binding), madeAt: token.made)
        return try await tokens.replace(row.withLock { $0 }, with: stored, name)
    }

    private var binding: String { "provider token \(name)" }
}
