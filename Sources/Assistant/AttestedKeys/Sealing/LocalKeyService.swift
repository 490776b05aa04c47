import Crypto
import Foundation
import Secrets

/// The key service for a household without a cloud's. It opens a data key only for a process whose evidence passes the
/// four checks of the key policy, and encrypts the answer to the key that the evidence states.
package struct LocalKeyService: DataKeyService {
    private let keys: MasterKeyFile
    private let policy: KeyPolicyFile
    private let gate: OpeningGate

    /// - Parameter note: is told the policy of each decision before it is made.
    package init(
        keys: MasterKeyFile, policy: KeyPolicyFile, verifiers: EvidenceVerifiers,
        noting note: @escaping PolicyNote = { _, _ in }
    ) {
        self.keys = keys
        self.policy = policy
        gate = OpeningGate(policy: policy, verifiers: verifiers, noting: note)
    }

    package var recipient: RecipientKind { .x25519 }

    package func challenge(at now: Date) async -> [UInt8] { await gate.challenge(at: now) }

    package func sealingKey() throws -> SealingKey { .shared(try publicKey()) }

    package func generateDataKey(_: TokenBinding) throws -> GeneratedDataKey { throw SealingKeyError.isShared }

    /// Returns the public key to which the API seals.
    package func publicKey() throws -> MasterPublicKey {
        try masterKey(policy.read().activeKey).publicKey()
    }

    /// Opens a data key, when all four checks permit it.
    ///
    /// - Returns: the data key, encrypted to the public key of the evidence. ``EphemeralKey/open(_:nonce:)`` opens it.
    /// - Throws: ``OpeningRefused``; ``KeyPolicyError``; ``SealedTokenError``.
    package func open(_ request: OpeningRequest, at now: Date) async throws -> [UInt8] {
        let claims = try await gate.admit(request, at: now)
        let dataKey = try masterKey(request.binding.key).unwrap(request.wrappedDataKey, request.binding)
        defer { dataKey.wipe() }
        return try HPKEMessage(dataKey, to: claims.publicKey, info: EphemeralKey.info, request.nonce).encoded
    }

    /// Seals a token again under the active key, for the rotation of master keys. The token does not leave this process.
    ///
    /// - Throws: ``MasterKeyError/unknown(_:)``, ``SealedTokenError``.
    package func reseal(_ token: SealedToken, _ binding: TokenBinding) async throws -> (SealedToken, TokenBinding) {
        let dataKey = try masterKey(binding.key).unwrap(token.wrappedDataKey, binding)
        let plain = try token.open(with: dataKey, binding)
        defer {
            dataKey.wipe()
            plain.wipe()
        }
        let active = try publicKey()
        let next = TokenBinding(userID: binding.userID, connectorID: binding.connectorID, key: active.reference)
        return (try await SealedToken.seal(plain, next) { try active.wrap($0, $1) }, next)
    }

    private func masterKey(_ reference: KeyReference) throws -> MasterKey {
        guard let key = try keys.read().first(where: { $0.reference == reference }) else {
            throw MasterKeyError.unknown(reference)
        }
        return key
    }
}

/// The key that an enclave process makes for one call to the local key service.
package struct EphemeralKey: RecipientKey {
    static let info = Array("countersign data key for an attested process".utf8)

    private let key = Curve25519.KeyAgreement.PrivateKey()

    package init() {}

    /// The public key for the evidence: 32 bytes.
    package var publicKey: [UInt8] { Array(key.publicKey.rawRepresentation) }

    /// Opens the key service's answer.
    package func open(_ answer: [UInt8], nonce: [UInt8]) throws -> Secret {
        try HPKEMessage(answer).open(with: key, info: Self.info, nonce)
    }
}
