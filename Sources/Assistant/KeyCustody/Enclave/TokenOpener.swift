import AssistantProcesses
import AssistantStore
import AttestedKeys
import Foundation
import Machine
import Secrets

/// Opens the refresh token of a connector: it shows evidence to the key service, and gets the data key for this one call.
struct TokenOpener: Sendable {
    let keys: KeyServiceClient
    let provider: any EvidenceProvider
    let now: @Sendable () -> Date

    /// - Returns: the refresh token, which is wiped when its caller lets go of it.
    /// - Throws: `ProcessSocketError`, `SealedTokenError`.
    func token(of connector: StoredConnector) async throws -> Secret {
        let sealed = try SealedToken(connector.sealedToken)
        let binding = TokenBinding(
            userID: connector.userID, connectorID: connector.id,
            key: KeyReference(tokenKeyID: connector.tokenKeyID, tokenVersion: connector.tokenVersion))
        let (nonce, recipient) = try await keys.challenge()
        // A key of this call alone: the answer is of no use to anyone who records it.
        let ephemeral: any RecipientKey =
            switch recipient {
            case .x25519: EphemeralKey()
            case .rsa: try await BlockingWork.run { try RSARecipientKey() }
            }
        let evidence = try await provider.evidence(nonce: nonce, publicKey: ephemeral.publicKey, at: now())
        let answer = try await keys.open(
            OpeningRequest(
                wrappedDataKey: sealed.wrappedDataKey, binding: binding, evidence: evidence, nonce: nonce))
        let dataKey = try ephemeral.open(answer, nonce: nonce)
        defer { dataKey.wipe() }
        return try sealed.open(with: dataKey, binding)
    }
}
