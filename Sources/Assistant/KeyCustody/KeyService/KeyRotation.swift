import AssistantStore
import AttestedKeys
import Encodings
import Foundation
import Machine

/// Makes a new version of the master key, and seals every token again under it. The tokens do not leave this process.
///
/// The new version becomes active first. From then on, tokens under the old one are refused until they are sealed again,
/// which takes milliseconds for each. A rotation that was killed is finished by another one, or without a new version
/// (``finish(at:)``).
package struct KeyRotation: Sendable {
    private static let batch = 100

    package struct Outcome: Sendable, Hashable {
        package let active: KeyReference
        /// The tokens that were sealed again.
        package let resealed: Int
        /// The connectors whose token cannot be opened any more. Their users have to connect again.
        package let lost: [UUID]
    }

    private let configuration: KeyServiceConfiguration

    package init(_ configuration: KeyServiceConfiguration) {
        self.configuration = configuration
    }

    /// Makes a new version, activates it, and seals every token again.
    package func rotate(at now: Date = Date()) async throws -> Outcome {
        try await activateNext(at: now)
        return try await finish(at: now)
    }

    /// Makes the next version the active one. Of two rotations at once, the newer version stays active.
    private func activateNext(at now: Date) async throws {
        let keys = try configuration.keys()
        let lock = try await BlockingWork.run { [policy = configuration.policy] in try policy.lock() }
        defer { withExtendedLifetime(lock) {} }
        var policy = try configuration.policy.read()
        policy.activeKey = try keys.addVersion().reference
        try lock.write(policy)
        try await log("keys.rotated", policy.activeKey, at: now)
    }

    /// Seals again every token that is not sealed under the active version.
    package func finish(at now: Date = Date()) async throws -> Outcome {
        let service = LocalKeyService(
            keys: try configuration.keys(), policy: configuration.policy, verifiers: EvidenceVerifiers([:]))
        let active = try service.publicKey().reference
        let database = try await AssistantDatabase.open(
            configuration.database.url, password: configuration.database.password,
            authorities: configuration.authorities)
        do {
            let outcome = try await reseal(database.connectors, service, active, at: now)
            await database.close()
            try await log(
                "tokens.resealed", active,
                [
                    "resealed": .number(Double(outcome.resealed)),
                    "lost": .array(outcome.lost.map { .string($0.uuidString.lowercased()) }),
                ], at: now)
            return outcome
        } catch {
            await database.close()
            throw error
        }
    }

    private func reseal(
        _ connectors: ConnectorStore, _ service: LocalKeyService, _ active: KeyReference, at now: Date
    ) async throws -> Outcome {
        var last: UUID?
        var resealed = 0
        var lost: [UUID] = []
        while true {
            let batch = try await connectors.sealed(
                underOtherThan: active.tokenKeyID, version: active.tokenVersion, after: last, atMost: Self.batch)
            guard let end = batch.last else { return Outcome(active: active, resealed: resealed, lost: lost) }
            for connector in batch {
                let binding = TokenBinding(
                    userID: connector.userID, connectorID: connector.id,
                    key: KeyReference(tokenKeyID: connector.tokenKeyID, tokenVersion: connector.tokenVersion))
                do {
                    let (token, next) = try await service.reseal(SealedToken(connector.sealedToken), binding)
                    // False when the user has connected again meanwhile.
                    let isStored = try await connectors.reseal(
                        connector,
                        NewToken(
                            sealed: token.bytes, keyID: next.key.tokenKeyID, version: next.key.tokenVersion), at: now)
                    if isStored { resealed += 1 }
                } catch is SealedTokenError {
                    lost.append(connector.id)
                } catch is MasterKeyError {
                    lost.append(connector.id)
                }
            }
            last = end.id
        }
    }

    private func log(
        _ type: String, _ key: KeyReference, _ more: [String: JSONValue] = [:], at now: Date
    ) async throws {
        var details: [String: JSONValue] = [
            "token_key_id": .string(key.tokenKeyID), "token_version": .number(Double(key.tokenVersion)),
            "user": .number(Double(getuid())),
        ]
        details.merge(more) { $1 }
        try await BreakGlassLog(configuration.breakGlass).record(type, .object(details), at: now)
    }
}
