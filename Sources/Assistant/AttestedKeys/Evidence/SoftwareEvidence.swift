import Crypto
import Encodings
import Foundation

/// Evidence that a program makes about itself. It is not a TEE: it holds against other users of the machine, who cannot
/// read the signing key, and not against the machine's administrator.
///
/// The form is a COSE_Sign1 message (ES256) over a CBOR map.
package struct SoftwareEvidenceSigner: EvidenceProvider {
    package static let runtime = EvidenceKind.software.rawValue

    private let key: P256.Signing.PrivateKey
    private let statedMeasurement: String

    /// - Parameters:
    ///   - key: only the enclave process's user can read it.
    ///   - measurement: SHA-256 of the executable in lower-case hex.
    package init(key: P256.Signing.PrivateKey, measurement: String) {
        self.key = key
        statedMeasurement = measurement
    }

    /// Signs evidence for one call to the key service.
    ///
    /// - Parameters:
    ///   - nonce: what the key service gave out for this call.
    ///   - publicKey: the X25519 key, 32 bytes, that the answer is to be encrypted to.
    package func evidence(nonce: [UInt8], publicKey: [UInt8], at now: Date) throws -> [UInt8] {
        let claims = CBOR.map([
            .text("runtime"): .text(Self.runtime), .text("measurement"): .text(statedMeasurement),
            .text("timestamp"): .integer(Int(now.timeIntervalSince1970 * 1000)), .text("nonce"): .bytes(nonce),
            .text("public_key"): .bytes(publicKey),
        ])
        return try COSESign1(signing: claims.encoded, with: key).encoded
    }

    package func measurement() -> String { statedMeasurement }
}

/// Checks evidence of ``SoftwareEvidenceSigner``.
package struct SoftwareEvidenceVerifier: EvidenceVerifier {
    private let key: P256.Signing.PublicKey

    package init(key: P256.Signing.PublicKey) {
        self.key = key
    }

    package func examine(_ evidence: [UInt8], at now: Date) -> ExaminedEvidence {
        do throws(EvidenceError) {
            let message = try COSESign1(evidence)
            let claims = try Self.claims(message.payload)
            return ExaminedEvidence(claims: claims, flaw: message.isValid(for: key) ? nil : .badSignature)
        } catch {
            return ExaminedEvidence(claims: nil, flaw: error)
        }
    }

    /// Reads the claims of evidence without a check of its signature.
    static func claims(of evidence: [UInt8]) throws(EvidenceError) -> EvidenceClaims {
        try claims(COSESign1(evidence).payload)
    }

    private static func claims(_ payload: [UInt8]) throws(EvidenceError) -> EvidenceClaims {
        let map = try EvidenceError.reading { () throws(CBORError) in try CBOR(payload) }
        guard let runtime = map[.text("runtime")]?.textValue, let measurement = map[.text("measurement")]?.textValue,
            let milliseconds = map[.text("timestamp")]?.integerValue, let nonce = map[.text("nonce")]?.bytesValue,
            let publicKey = map[.text("public_key")]?.bytesValue
        else { throw .malformed("the evidence lacks a claim") }
        // A signature by software proves no other runtime.
        guard runtime == SoftwareEvidenceSigner.runtime else {
            throw .malformed("evidence made by software must not claim the runtime “\(runtime.prefix(20))”")
        }
        return EvidenceClaims(
            runtime: runtime, measurement: measurement,
            issuedAt: Date(timeIntervalSince1970: Double(milliseconds) / 1000), nonce: nonce, publicKey: publicKey)
    }
}
