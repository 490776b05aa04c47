import Foundation
import Secrets

/// A key service: it has the master key, and opens data keys for attested processes only.
package protocol DataKeyService: Sendable {
    /// The kind of key to which it encrypts its answers.
    var recipient: RecipientKind { get }

    /// Gives out the nonce for one opening.
    func challenge(at now: Date) async -> [UInt8]

    /// Returns what the API needs to seal.
    func sealingKey() async throws -> SealingKey

    /// Makes a data key for a token.
    ///
    /// - Throws: ``SealingKeyError/isShared`` when the API makes data keys itself.
    func generateDataKey(_ binding: TokenBinding) async throws -> GeneratedDataKey

    /// Opens a data key, when all four checks permit it.
    ///
    /// - Returns: the data key, encrypted to the public key of the evidence.
    /// - Throws: ``OpeningRefused``; ``KeyPolicyError``; the service's own errors.
    func open(_ request: OpeningRequest, at now: Date) async throws -> [UInt8]
}

/// The active key, as the API needs it to seal.
package enum SealingKey: Sendable, Hashable {
    /// The API makes data keys, and encrypts them to this key.
    case shared(MasterPublicKey)
    /// The key service makes data keys.
    case generating(KeyReference)

    package var reference: KeyReference {
        switch self {
        case .shared(let key): key.reference
        case .generating(let reference): reference
        }
    }
}

package enum SealingKeyError: Error, Sendable, Hashable, CustomStringConvertible {
    case isShared

    package var description: String {
        "this key service makes no data keys; encrypt one to its public key, which “public_key” answers with"
    }
}

/// A data key that a key service made, and the same key as the database keeps it.
package struct GeneratedDataKey: Sendable {
    package let dataKey: Secret
    package let wrapped: [UInt8]

    package init(dataKey: Secret, wrapped: [UInt8]) {
        self.dataKey = dataKey
        self.wrapped = wrapped
    }
}

/// The key that an enclave process makes for one call, so that only it can read the answer.
package protocol RecipientKey: Sendable {
    /// The public key for the evidence.
    var publicKey: [UInt8] { get }

    /// Opens the key service's answer.
    func open(_ answer: [UInt8], nonce: [UInt8]) throws -> Secret
}

/// The kind of an enclave's ``RecipientKey``.
package enum RecipientKind: String, Sendable {
    /// ``EphemeralKey``, for our own key service.
    case x25519
    /// RSA with 2048 bits, for AWS KMS.
    case rsa
}
