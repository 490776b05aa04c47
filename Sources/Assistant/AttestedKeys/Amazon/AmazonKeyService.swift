import Foundation

/// AWS KMS as the key service. Both make their checks: ours by the policy file before the call, and AWS's by the policy of
/// the key, which it holds against the same attestation document. AWS encrypts the data key to the key in the document, so
/// this process cannot read it.
package struct AmazonKeyService: DataKeyService {
    private let gate: OpeningGate
    private let policy: KeyPolicyFile
    private let client: KeyManagementClient

    /// - Parameters:
    ///   - policy: its active key's id is that of a key of AWS KMS.
    ///   - verifier: of Nitro's documents; AWS accepts no other evidence.
    ///   - note: is told the policy of each decision before it is made.
    package init(
        _ client: KeyManagementClient, policy: KeyPolicyFile, verifier: NitroEvidenceVerifier,
        noting note: @escaping PolicyNote = { _, _ in }
    ) {
        gate = OpeningGate(policy: policy, verifiers: EvidenceVerifiers([.nitro: verifier]), noting: note)
        self.policy = policy
        self.client = client
    }

    package var recipient: RecipientKind { .rsa }

    package func challenge(at now: Date) async -> [UInt8] { await gate.challenge(at: now) }

    package func sealingKey() throws -> SealingKey { .generating(try policy.read().activeKey) }

    package func generateDataKey(_ binding: TokenBinding) async throws -> GeneratedDataKey {
        // The credentials may be good for more keys than this one.
        guard binding.key == (try policy.read().activeKey) else {
            throw AmazonKeysError("data keys are made under the active key of the policy only; ask for it again")
        }
        let made = try await client.generateDataKey(key: binding.key.tokenKeyID, context: Self.context(binding))
        return GeneratedDataKey(dataKey: made.dataKey, wrapped: made.wrapped)
    }

    package func open(_ request: OpeningRequest, at now: Date) async throws -> [UInt8] {
        _ = try await gate.admit(request, at: now)
        return try await client.decrypt(
            request.wrappedDataKey, key: request.binding.key.tokenKeyID, context: Self.context(request.binding),
            for: request.evidence)
    }

    /// The encryption context: AWS opens the data key with the same one only.
    private static func context(_ binding: TokenBinding) -> [String: String] {
        [
            "user_id": binding.userID.uuidString.lowercased(),
            "connector_id": binding.connectorID.uuidString.lowercased(),
            "token_version": String(binding.key.tokenVersion),
        ]
    }
}
