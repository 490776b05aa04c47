import AssistantJobs
import AssistantProcesses
import AssistantStore
import AttestedKeys
import Clocks
import Crypto
import CurlClient
import Encodings
import Foundation
import Logging
import Machine
import Secrets

/// Connects users with Google (specification, section 9.1): it sends them away to consent, exchanges the code that they
/// bring back, and seals the refresh token, which this process cannot open again.
struct GoogleConnecting: Sendable {
    static let provider = "google"

    let settings: GoogleSettings
    let consentSeconds: Int
    let curl: CurlConfiguration
    let database: AssistantDatabase
    let keys: StateKeys
    let keyService: KeyServiceClient
    let enclave: EnclaveClient
    let clock: BrokerClock
    let logger: Logger

    /// Begins a consent.
    ///
    /// - Returns: the address at which the user consents, and the state that has to come back.
    func start(_ session: StoredSession, redirectURI: String) async throws -> (url: String, state: String) {
        guard settings.redirectURIs.contains(redirectURI) else {
            throw AssistantError(
                .badRequest, .invalidRedirectURI,
                "“redirect_uri” is not one of this service's values; its operator sets ASSISTANT_GOOGLE_REDIRECT_URIS")
        }
        let state = Base64URL.encode(SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) })
        let digest = keys.digest(state, for: "consent")
        let proof = ProofKey()
        let now = clock.now
        try await database.consents.add(
            PendingConsent(
                userID: session.userID, sessionID: session.id, redirectURI: redirectURI,
                sealedVerifier: try keys.seal(proof.verifier, as: Self.binding(digest)),
                expires: now.addingTimeInterval(TimeInterval(consentSeconds))), stateDigest: digest, at: now)
        let transport = CurlSession(curl)
        let url = client(transport).authorizationURL(redirectURI: redirectURI, state: state, proof: proof)
        await transport.close()
        return (url, state)
    }

    /// Takes a consent that was refused, so that its state does not work any more.
    func refuse(_ session: StoredSession, state: String) async throws {
        _ = try await take(state, session)
    }

    /// Exchanges the code of a consent and stores the connection.
    func finish(_ session: StoredSession, code: Secret, state: String) async throws -> StoredConnector {
        let digest = keys.digest(state, for: "consent")
        guard try await database.consents.isWaiting(digest, session: session.id, at: clock.now) else {
            throw Self.invalidState
        }
        // The data key is made before Google gives a grant. While the key service is away, no grant is lost, and neither the
        // state nor the code is used up.
        let key = try await sealingKey()
        let sealing = try await prepareSealing(session.userID, under: key)
        defer { sealing.wipe() }
        let consent = try await take(state, session)
        let proof = ProofKey(verifier: try keys.open(consent.sealedVerifier, as: Self.binding(digest)))
        let granted = try await redeem(code, proof, consent.redirectURI)
        defer { granted.refreshToken.wipe() }
        do {
            let connector = try await storeOrRenew(granted, sealing, key)
            return await followRotation(granted, connector, key)
        } catch {
            logger.error("a consent cannot be stored", metadata: ["error": "\(error)"])
            throw AssistantError.unavailable(
                "Google gave its consent, and it cannot be stored now; start again later. The lost consent can be ended at "
                    + "https://myaccount.google.com/permissions", retryAfter: 30)
        }
    }

    /// Ends a connection, at Google first and then here.
    func disconnect(_ connector: StoredConnector) async throws {
        guard connector.status != .revoked else { return }
        do throws(ProcessSocketError) {
            try await enclave.revoke(connector.id, user: connector.userID)
        } catch {
            if case .refused(let code, _) = error, code == EnclaveRefusal.connectorNotFound.rawValue { return }
            if case .refused(let code, _) = error, code == EnclaveRefusal.busy.rawValue {
                throw AssistantError.unavailable("too many calls wait for the enclave; try again in a few seconds")
            }
            logger.error("a connection cannot be ended at Google", metadata: ["error": "\(error)"])
            throw AssistantError.unavailable(
                "the connection cannot be ended at Google now; try again later, or end it at "
                    + "https://myaccount.google.com/permissions", retryAfter: 30)
        }
        _ = try await database.connectors.move(
            connector.id, of: connector.userID, to: .revoked,
            recording: NewAuditEvent("CONNECTOR_REVOKED", connector: Self.provider), at: clock.now)
    }

    private func take(_ state: String, _ session: StoredSession) async throws -> PendingConsent {
        let digest = keys.digest(state, for: "consent")
        guard let consent = try await database.consents.take(digest, session: session.id, at: clock.now) else {
            throw Self.invalidState
        }
        return consent
    }

    private static let invalidState = AssistantError(
        .badRequest, .invalidState,
        "“state” is unknown, was used, is too old, or belongs to another session; start again")

    private func sealingKey() async throws -> SealingKey {
        do {
            return try await keyService.sealingKey()
        } catch {
            logger.error("the key service does not answer", metadata: ["error": "\(error)"])
            throw AssistantError.unavailable("the key service does not answer; try again later")
        }
    }

    private func redeem(_ code: Secret, _ proof: ProofKey, _ redirectURI: String) async throws -> GoogleOAuth.Consent {
        let transport = CurlSession(curl)
        defer { Task { await transport.close() } }
        do {
            return try await client(transport).redeem(code: code, proof: proof, redirectURI: redirectURI)
        } catch GoogleError.invalidGrant {
            throw AssistantError(
                .badRequest, .invalidCode, "Google does not accept “code”: it was used, or is too old; start again")
        } catch let error as GoogleError {
            logger.error("a code cannot be exchanged", metadata: ["error": "\(error)"])
            let wait = if case .rateLimited(let seconds?) = error { seconds } else { 30 }
            throw AssistantError.unavailable(
                "Google cannot be asked now, or does not accept this service; start again later",
                retryAfter: max(wait, 1))
        }
    }

    private func storeOrRenew(
        _ granted: GoogleOAuth.Consent, _ sealing: PreparedSealing, _ key: SealingKey
    ) async throws -> StoredConnector {
        do {
            return try await store(granted, sealing)
        } catch let error as AssistantStoreError where error.code == .conflict {
            // Two callbacks at once: the other one has made the connection, and this one renews it.
            let renewal = try await prepareSealing(sealing.binding.userID, under: key)
            defer { renewal.wipe() }
            return try await store(granted, renewal)
        }
    }

    /// Seals the token again under a key that a rotation has activated meanwhile: its pass over the database may have come
    /// before this token was stored. A rotation activates its key before its pass, so a look afterwards misses none.
    private func followRotation(
        _ granted: GoogleOAuth.Consent, _ connector: StoredConnector, _ key: SealingKey
    ) async -> StoredConnector {
        var (connector, key) = (connector, key)
        do {
            for _ in 0..<3 {
                let active = try await keyService.sealingKey()
                guard active.reference != key.reference else { break }
                key = active
                let sealing = try await prepareSealing(connector.userID, under: key)
                defer { sealing.wipe() }
                connector = try await storeOrRenew(granted, sealing, key)
            }
        } catch {
            logger.error(
                "a new token may be sealed under an earlier key; seal it again: kms rotate --only-reseal",
                metadata: ["error": "\(error)"])
        }
        return connector
    }

    private func store(_ granted: GoogleOAuth.Consent, _ sealing: PreparedSealing) async throws -> StoredConnector {
        let (id, user, key) = (sealing.binding.connectorID, sealing.binding.userID, sealing.binding.key)
        let sealed = try sealing.seal(granted.refreshToken)
        let scopes = granted.scopes.map(\.rawValue)
        try await database.connectors.connect(
            id, of: user, provider: Self.provider, scopes: scopes,
            NewToken(sealed: sealed.bytes, keyID: key.tokenKeyID, version: key.tokenVersion),
            recording: NewAuditEvent(
                "CONNECTOR_CONNECTED", connector: Self.provider,
                metadata: ["scopes": .array(scopes.map(JSONValue.string))]), at: clock.now)
        guard let connector = try await database.connectors.connector(id, of: user) else {
            throw AssistantStoreError(.damaged, "a connection that was stored is not there")
        }
        return connector
    }

    /// Makes the data key for the user's next token.
    private func prepareSealing(_ user: UUID, under key: SealingKey) async throws -> PreparedSealing {
        let id = try await database.connectors.idForConnecting(user, provider: Self.provider)
        do {
            return try await keyService.prepareSealing(of: user, id, under: key)
        } catch let error as ProcessSocketError {
            logger.error("no data key can be made", metadata: ["error": "\(error)"])
            throw AssistantError.unavailable("the key service does not answer; try again later")
        }
    }

    private func client(_ transport: any HTTPTransport) -> GoogleOAuth {
        GoogleOAuth(
            clientID: settings.clientID, clientSecret: settings.clientSecret, endpoints: settings.endpoints,
            over: transport)
    }

    private static func binding(_ stateDigest: [UInt8]) -> String { "proof of \(Base16.encode(stateDigest))" }
}
