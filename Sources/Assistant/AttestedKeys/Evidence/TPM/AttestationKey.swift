import Crypto
import CryptoExtras

/// The public part of a TPM's attestation key: ECDSA on P-256, or RSA with at least 2048 bits.
enum AttestationKey: Sendable {
    case ecdsa(P256.Signing.PublicKey)
    case rsa(_RSA.Signing.PublicKey)

    private static let longestSignature = 512

    /// Reads a SubjectPublicKeyInfo in PEM; nil for another kind of key.
    init?(pem: String) {
        if let key = try? P256.Signing.PublicKey(pemRepresentation: pem) {
            self = .ecdsa(key)
        } else if let key = try? _RSA.Signing.PublicKey(pemRepresentation: pem), key.keySizeInBits >= 2048 {
            self = .rsa(key)
        } else {
            return nil
        }
    }

    /// Checks a signature with SHA-256: TPMT_SIGNATURE with RSASSA (PKCS #1, version 1.5) or ECDSA (TCG, "Trusted Platform
    /// Module Library", part 2, section 11.3.4).
    ///
    /// - Throws: ``EvidenceError``.
    func check(_ signature: [UInt8], of message: [UInt8]) throws(EvidenceError) {
        var reader = TPMReader(signature)
        let algorithm = try reader.number(UInt16.self)
        guard try reader.number(UInt16.self) == TPMAlgorithm.sha256 else {
            throw .malformed("the quote's signature is not over SHA-256")
        }
        let isValid: Bool
        switch self {
        case .ecdsa(let key):
            guard algorithm == TPMAlgorithm.ecdsa else { throw .badSignature }
            let (r, s) = (try reader.buffer(atMost: 32), try reader.buffer(atMost: 32))
            let raw = [r, s].flatMap { [UInt8](repeating: 0, count: 32 - $0.count) + $0 }
            let value = try? P256.Signing.ECDSASignature(rawRepresentation: raw)
            isValid = value.map { key.isValidSignature($0, for: message) } ?? false
        case .rsa(let key):
            guard algorithm == TPMAlgorithm.rsaSSA else { throw .badSignature }
            let bytes = try reader.buffer(atMost: Self.longestSignature)
            isValid = key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: bytes), for: message, padding: .insecurePKCS1v1_5)
        }
        try reader.finish()
        guard isValid else { throw .badSignature }
    }
}
