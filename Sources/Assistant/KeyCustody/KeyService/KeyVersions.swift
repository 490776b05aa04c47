import AssistantStore
import AttestedKeys
import Encodings
import Foundation
import Machine

/// The versions of the local master key. After a rotation the earlier ones stay, so that it can be finished and that backups
/// of the database open. A version under which no token is sealed any more can be removed.
package struct KeyVersions: Sendable {
    package struct Version: Sendable, Hashable {
        package let key: KeyReference
        package let isActive: Bool
        /// The tokens in the database that are sealed under it.
        package let tokens: Int

        package init(key: KeyReference, isActive: Bool, tokens: Int) {
            self.key = key
            self.isActive = isActive
            self.tokens = tokens
        }
    }

    private let configuration: KeyServiceConfiguration

    package init(_ configuration: KeyServiceConfiguration) {
        self.configuration = configuration
    }

    /// Returns every version, the oldest first.
    package func all() async throws -> [Version] { try await versions(of: configuration.keys()) }

    private func versions(of file: MasterKeyFile) async throws -> [Version] {
        let keys = try file.read().map(\.reference)
        let active = try configuration.policy.read().activeKey
        let database = try await AssistantDatabase.open(
            configuration.database.url, password: configuration.database.password,
            authorities: configuration.authorities)
        let versions: [Version]
        do {
            var found: [Version] = []
            for key in keys {
                found.append(
                    Version(
                        key: key, isActive: key == active,
                        tokens: try await database.connectors.count(under: key.tokenKeyID, version: key.tokenVersion)))
            }
            versions = found
        } catch {
            await database.close()
            throw error
        }
        await database.close()
        return versions
    }

    /// Removes a version for ever.
    ///
    /// - Returns: the key that is gone.
    /// - Throws: ``KeyServiceError`` when the version does not exist, when it is active, or when tokens are sealed under it.
    package func remove(_ number: Int, at now: Date = Date()) async throws -> KeyReference {
        let keys = try configuration.keys()
        // Until the key is gone, no other command activates it, and none removes it too.
        let lock = try await BlockingWork.run { [policy = configuration.policy] in try policy.lock() }
        defer { withExtendedLifetime(lock) {} }
        let versions = try await versions(of: keys)
        guard let version = versions.first(where: { $0.key.tokenVersion == number }) else {
            let known = versions.map { String($0.key.tokenVersion) }.joined(separator: ", ")
            throw KeyServiceError("version \(number) of the master key does not exist; these do: \(known)")
        }
        guard !version.isActive else {
            throw KeyServiceError("version \(number) is the active one; rotate first: countersign assistant kms rotate")
        }
        guard version.tokens == 0 else {
            throw KeyServiceError(
                "tokens that are sealed under version \(number) and would be lost: \(version.tokens). Seal them again first: "
                    + "countersign assistant kms rotate --only-reseal")
        }
        // Logged first: a removal must not go unrecorded.
        try await BreakGlassLog(configuration.breakGlass).record(
            "keys.removed",
            [
                "token_key_id": .string(version.key.tokenKeyID),
                "token_version": .number(Double(version.key.tokenVersion)), "user": .number(Double(getuid())),
            ], at: now)
        try keys.remove(version.key)
        return version.key
    }
}
