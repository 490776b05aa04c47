import Crypto
import Encodings
import Foundation
import Secrets

/// One side's share of an agreement that only two sides with the same code can reach: the x coordinate of a point of P-256
/// (SEC 1, section 2.3), 32 bytes in base64url.
package struct CodeShare: Sendable, Hashable, LosslessStringConvertible {
    package let description: String
    let point: P256.KeyAgreement.PublicKey

    package static func == (left: Self, right: Self) -> Bool { left.description == right.description }
    package func hash(into hasher: inout Hasher) { hasher.combine(description) }

    /// Returns nil unless the text is the x coordinate of a point on the curve.
    package init?(_ text: String) {
        guard let bytes = Base64URL.decode(text), bytes.count == 32 else { return nil }
        self.init(x: bytes)
    }

    init?(x bytes: some Collection<UInt8>) {
        guard let point = CodeGenerator.point(x: bytes) else { return nil }
        self.point = point
        description = Base64URL.encode(Array(bytes))
    }
}

/// A password-authenticated key agreement: CPace (draft-irtf-cfrg-cpace) on P-256, on x coordinates only.
///
/// Both sides derive a point of the curve from the code, multiply it with a secret number, and exchange the products. A
/// machine that answers without the code can try one code in each attempt. What it hears tells it nothing about the other
/// codes, because to test one it would have to solve the Diffie-Hellman problem.
///
/// A point and its negative have the same x coordinate, and so have their multiples. So the sign does not matter, and the
/// library's ECDH, which gives x coordinates, is all that is needed.
struct CodeAgreement {
    let share: CodeShare
    private let scalar: AgreementPrivateKey

    /// - Parameter scalar: made for this one attempt.
    init(code: PairingCode, scalar: AgreementPrivateKey) throws(TrustError) {
        self.scalar = scalar
        let product = try scalar.agreement(with: AgreementPublicKey(try CodeGenerator.generator(of: code)))
        guard let share = product.secret.withUnsafeBytes({ CodeShare(x: Array($0)) }) else {
            throw TrustError(.malformed, "the code's point has no multiple on the curve")
        }
        self.share = share
    }

    /// Returns the 32 bytes that only a side with the same code agrees on.
    func secret(with other: CodeShare) throws(TrustError) -> SharedSecretBytes {
        try scalar.agreement(with: AgreementPublicKey(other.point))
    }
}

/// The point that a code stands for.
enum CodeGenerator {
    /// Half of all numbers are x coordinates. That none of so many is one has a probability of 2⁻⁶⁴.
    private static let candidates = UInt8(64)

    /// Returns the first candidate that is the x coordinate of a point: candidate number n is the SHA-256 of
    /// `"countersign pairing point 1" ‖ \0 ‖ session as text ‖ \0 ‖ code ‖ n`, with n from 0 to 63 as one byte. All
    /// candidates are tried whatever the code, so that the time tells little about it.
    static func generator(of code: PairingCode) throws(TrustError) -> P256.KeyAgreement.PublicKey {
        var found: P256.KeyAgreement.PublicKey?
        for number in 0..<candidates {
            var hash = SHA256()
            hash.update(data: Data("countersign pairing point 1\0\(code.session)\0".utf8))
            code.code.withUnsafeBytes { hash.update(bufferPointer: $0) }
            hash.update(data: [number])
            let point = point(x: Array(hash.finalize()))
            found = found ?? point
        }
        guard let found else { throw TrustError(.malformed, "the code stands for no point; begin a new pairing") }
        return found
    }

    /// Returns the point with an even y coordinate; nil when no point has this x coordinate.
    static func point(x: some Collection<UInt8>) -> P256.KeyAgreement.PublicKey? {
        try? P256.KeyAgreement.PublicKey(compressedRepresentation: [2] + Array(x))
    }
}
