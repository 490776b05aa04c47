import Encodings
import Foundation

/// The claims of a process about itself, made to the key service. They are worth something only when the evidence around them
/// is authentic (``ExaminedEvidence/flaw``).
package struct EvidenceClaims: Sendable, Hashable {
    /// The kind of machine that protects the process: `software`, `nitro` or `tpm`.
    package let runtime: String
    /// The digest of what runs, in lower-case hex: SHA-256 of the executable, PCR 0 of a Nitro enclave,
    /// or the digest of a TPM's selected registers.
    package let measurement: String
    /// The platform configuration registers in lower-case hex, by their number. Only Nitro states them one by one.
    package var registers: [Int: String] = [:]
    package let issuedAt: Date
    /// The nonce that the key service gave out for this one call.
    package let nonce: [UInt8]
    /// The key to which the key service encrypts its answer: X25519 of 32 bytes, or RSA (DER) for AWS KMS.
    package let publicKey: [UInt8]
}

/// Evidence whose signature was checked. It states the claims even where the check failed, so that a refusal can be
/// explained.
package struct ExaminedEvidence: Sendable, Hashable {
    package let claims: EvidenceClaims?
    /// The reason why the evidence proves nothing, or nil when it is authentic.
    package let flaw: EvidenceError?
}

/// Checks evidence of one runtime.
package protocol EvidenceVerifier: Sendable {
    /// - Parameter now: the time at which certificates must be valid.
    func examine(_ evidence: [UInt8], at now: Date) async -> ExaminedEvidence
}

/// The reason why evidence proves nothing.
package enum EvidenceError: Error, Sendable, Hashable, CustomStringConvertible {
    case malformed(String)
    case badSignature
    /// The key that should have signed is not known.
    case unknownSigner(String)
    /// The certificates do not lead to the pinned root.
    case untrustedCertificate(String)
    /// The enclave runs in debug mode: the user who started it can read its memory.
    case debugMode

    package var description: String {
        switch self {
        case .malformed(let reason): reason
        case .badSignature: "the evidence's signature does not fit"
        case .unknownSigner(let reason): "the enclave's signing key is not known: \(reason)"
        case .untrustedCertificate(let reason): "the evidence's certificate is not trusted: \(reason)"
        case .debugMode: "the enclave runs in debug mode, so its memory can be read; start it without debug mode"
        }
    }

    static func reading<Value>(_ read: () throws(CBORError) -> Value) throws(EvidenceError) -> Value {
        do throws(CBORError) {
            return try read()
        } catch {
            throw .malformed("the evidence is not CBOR that is accepted: \(error)")
        }
    }
}
