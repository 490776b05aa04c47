import Crypto
import Encodings
import Foundation

/// A credential's public key (RFC 9052, section 7; RFC 9053).
package enum COSEKey: Sendable {
    case es256(P256.Signing.PublicKey)
    case es384(P384.Signing.PublicKey)
    case es512(P521.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PublicKey)

    /// The COSE algorithm identifiers offered at registration, the preferred first.
    package static let algorithms = [-7, -8, -35, -36]

    init(_ key: CBOR) throws(WebAuthnError) {
        guard let type = key[.integer(1)]?.integerValue, let algorithm = key[.integer(3)]?.integerValue else {
            throw WebAuthnError(.malformed, "the passkey's public key has no type or algorithm")
        }
        let curve = key[.integer(-1)]?.integerValue
        let x = key[.integer(-2)]?.bytesValue ?? []
        let y = key[.integer(-3)]?.bytesValue ?? []
        let point = [0x04] + x + y
        do {
            switch (type, algorithm, curve) {
            case (2, -7, 1): self = .es256(try P256.Signing.PublicKey(x963Representation: point))
            case (2, -35, 2): self = .es384(try P384.Signing.PublicKey(x963Representation: point))
            case (2, -36, 3): self = .es512(try P521.Signing.PublicKey(x963Representation: point))
            case (1, -8, 6): self = .ed25519(try Curve25519.Signing.PublicKey(rawRepresentation: x))
            default:
                throw WebAuthnError(.unsupportedAlgorithm, "this passkey's kind of key (\(algorithm)) is not supported")
            }
        } catch let error as WebAuthnError {
            throw error
        } catch {
            throw WebAuthnError(.malformed, "the passkey's public key is not a point of its curve")
        }
    }

    init(bytes: [UInt8]) throws(WebAuthnError) {
        try self.init(WebAuthnError.reading { () throws(CBORError) in try CBOR(bytes) })
    }

    var algorithm: Int {
        switch self {
        case .es256: -7
        case .es384: -35
        case .es512: -36
        case .ed25519: -8
        }
    }

    func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        switch self {
        case .es256(let key):
            (try? P256.Signing.ECDSASignature(derRepresentation: signature)).map {
                key.isValidSignature($0, for: bytes)
            } ?? false
        case .es384(let key):
            (try? P384.Signing.ECDSASignature(derRepresentation: signature)).map {
                key.isValidSignature($0, for: bytes)
            } ?? false
        case .es512(let key):
            (try? P521.Signing.ECDSASignature(derRepresentation: signature)).map {
                key.isValidSignature($0, for: bytes)
            } ?? false
        case .ed25519(let key): key.isValidSignature(signature, for: bytes)
        }
    }
}

extension COSEKey: Hashable {
    private var raw: Data {
        switch self {
        case .es256(let key): key.rawRepresentation
        case .es384(let key): key.rawRepresentation
        case .es512(let key): key.rawRepresentation
        case .ed25519(let key): key.rawRepresentation
        }
    }

    package static func == (left: COSEKey, right: COSEKey) -> Bool {
        left.algorithm == right.algorithm && left.raw == right.raw
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(raw) }
}
