import Crypto
import CryptoExtras
import Encodings
import Foundation
import Secrets

/// A JSON Web Token in compact form (RFC 7519; RFC 7515, section 7.1), read but not verified.
struct JSONWebToken: Sendable {
    /// The accepted algorithms (RFC 7518, section 3.1). `none` is not among them.
    enum Algorithm: String, Sendable {
        case hs256 = "HS256"
        case rs256 = "RS256"
        case es256 = "ES256"
    }

    let algorithm: Algorithm
    let keyID: String?
    let claims: JSONValue
    let signature: [UInt8]
    /// The bytes that are signed.
    let signed: [UInt8]

    /// Returns nil for anything but a token in strict Base64URL and I-JSON, with an accepted algorithm and without
    /// extensions that must be understood (RFC 7515, section 4.1.11).
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let head = Base64URL.decode(parts[0]), let body = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2]), !signature.isEmpty,
            let header = try? JSONReader.read(head, limits: JSONLimits(depth: 4, size: 4096)),
            let claims = try? JSONReader.read(body, limits: JSONLimits(depth: 8, size: 16 << 10)),
            claims.objectValue != nil, header["crit"] == nil,
            let algorithm = header["alg"]?.stringValue.flatMap(Algorithm.init)
        else { return nil }
        self.algorithm = algorithm
        keyID = header["kid"]?.stringValue
        self.claims = claims
        self.signature = signature
        signed = Array("\(parts[0]).\(parts[1])".utf8)
    }

    /// Signs claims with HMAC-SHA256.
    static func signed(_ claims: JSONValue, with key: SymmetricKey) -> String {
        let header: JSONValue = ["alg": "HS256", "typ": "JWT"]
        let text = "\(Base64URL.encode(header.compactBytes())).\(Base64URL.encode(claims.compactBytes()))"
        let code = HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key)
        return "\(text).\(Base64URL.encode(Array(code)))"
    }

    func isSigned(with key: SymmetricKey) -> Bool {
        algorithm == .hs256 && HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: signed, using: key)
    }

    func isSigned(with key: VerificationKey) -> Bool {
        switch (algorithm, key) {
        case (.rs256, .rsa(let key)):
            key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: signed),
                padding: .insecurePKCS1v1_5)
        case (.es256, .p256(let key)):
            (try? P256.Signing.ECDSASignature(rawRepresentation: signature)).map {
                key.isValidSignature($0, for: signed)
            } ?? false
        default: false
        }
    }
}

/// A public key of a JSON Web Key Set (RFC 7517), for one algorithm.
enum VerificationKey: Sendable {
    case rsa(_RSA.Signing.PublicKey)
    case p256(P256.Signing.PublicKey)

    /// Returns nil for a key of another kind, for another use, or with an RSA modulus of fewer than 2048 bits.
    init?(_ key: JSONValue) {
        guard [nil, "sig"].contains(key["use"]?.stringValue) else { return nil }
        switch (key["kty"]?.stringValue, key["alg"]?.stringValue) {
        case ("RSA", nil), ("RSA", "RS256"):
            guard let modulus = Base64URL.decode(key["n"]), let exponent = Base64URL.decode(key["e"]),
                modulus.drop(while: { $0 == 0 }).count >= 256,
                let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent)
            else { return nil }
            self = .rsa(key)
        case ("EC", nil), ("EC", "ES256"):
            guard key["crv"] == "P-256", let x = Base64URL.decode(key["x"]), let y = Base64URL.decode(key["y"]),
                let key = try? P256.Signing.PublicKey(x963Representation: [4] + x + y)
            else { return nil }
            self = .p256(key)
        default: return nil
        }
    }
}
