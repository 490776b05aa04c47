import Foundation

/// The table of tokens by which push services know this assistant. All processes that send use the same one.
enum ProviderTokenSchema {
    static let sql = """
        CREATE TABLE provider_tokens (
            name TEXT PRIMARY KEY NOT NULL,
            token_ciphertext BYTEA NOT NULL,
            made_at TIMESTAMPTZ NOT NULL
        );
        """
}

/// A token that the processes share. It is sealed.
package struct StoredProviderToken: Sendable, Hashable {
    package let sealed: [UInt8]
    package let madeAt: Date

    package init(sealed: [UInt8], madeAt: Date) {
        self.sealed = sealed
        self.madeAt = madeAt
    }
}

/// The tokens by which push services know this assistant.
package struct ProviderTokenStore: Sendable {
    let database: any SQLDatabase

    package func token(_ name: String) async throws -> StoredProviderToken? {
        try await database.transaction(.reading) { session in
            try session.row("SELECT token_ciphertext, made_at FROM provider_tokens WHERE name = $1", [.text(name)])
                .map {
                    StoredProviderToken(sealed: try $0.bytes("token_ciphertext"), madeAt: try $0.time("made_at"))
                }
        }
    }

    /// Keeps a token in place of another one.
    ///
    /// - Parameter old: nil when none is kept.
    /// - Returns: false when another token than `old` is kept by now, and stays.
    package func replace(_ old: StoredProviderToken?, with token: StoredProviderToken, _ name: String) async throws
        -> Bool
    {
        try await database.transaction(.writing) { session in
            guard let old else {
                return try session.change(
                    """
                    INSERT INTO provider_tokens (name, token_ciphertext, made_at) VALUES ($1, $2, $3)
                    ON CONFLICT (name) DO NOTHING
                    """, [.text(name), .bytes(token.sealed), .time(token.madeAt)]) == 1
            }
            return try session.change(
                "UPDATE provider_tokens SET token_ciphertext = $1, made_at = $2 WHERE name = $3 AND token_ciphertext = $4",
                [.bytes(token.sealed), .time(token.madeAt), .text(name), .bytes(old.sealed)]) == 1
        }
    }
}
