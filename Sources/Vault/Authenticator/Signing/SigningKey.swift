import Crypto
import CryptoExtras
import Encodings
import Foundation
import Secrets

/// Why a private key cannot sign a web token.
package struct SigningKeyError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String
}

/// A private key that signs JSON Web Tokens (RFC 7519) for an interface that knows its public half.
///
///     let key = try SigningKey(pem: secret, for: .es256)
///     let token = try key.token(header: ["kid": "7"], claims: ["iss": "me"])
package struct SigningKey: Sendable {
    /// The signatures of RFC 7518, section 3.1, and RFC 8037, section 3.1.
    package enum Algorithm: String, Sendable, Hashable, CaseIterable {
        case rs256 = "RS256"
        case es256 = "ES256"
        case eddsa = "EdDSA"
    }

    private enum Key: Sendable {
        case rsa(_RSA.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
    }

    package let algorithm: Algorithm
    private let key: Key

    /// Reads a key from PEM (RFC 7468). Its line breaks may be missing, spaces, or the two characters `\n`: passwords are typed
    /// into one line.
    ///
    /// - Throws: ``SigningKeyError`` for a text that is not an unencrypted private key of the algorithm's kind, and for an RSA key
    ///   of less than 2048 bits (RFC 7518, section 3.3).
    package init(pem: Secret, for algorithm: Algorithm) throws(SigningKeyError) {
        self.algorithm = algorithm
        let (label, bytes) = try Self.decoded(pem)
        guard label != "ENCRYPTED PRIVATE KEY" else {
            throw SigningKeyError(
                description: "the key is encrypted; store it without its passphrase, which the vault makes needless: "
                    + "openssl pkey -in FILE")
        }
        let text =
            "-----BEGIN \(label)-----\n\(Data(bytes).base64EncodedString(options: .lineLength64Characters))\n"
            + "-----END \(label)-----\n"
        switch algorithm {
        case .rs256:
            guard let key = try? _RSA.Signing.PrivateKey(pemRepresentation: text.replacing("\r\n", with: "\n")),
                key.keySizeInBits >= 2048
            else { throw Self.wrong("an RSA key of at least 2048 bits") }
            self.key = .rsa(key)
        case .es256:
            guard let key = try? P256.Signing.PrivateKey(pemRepresentation: text.replacing("\r\n", with: "\n")) else {
                throw Self.wrong("an EC key of the curve P-256")
            }
            self.key = .p256(key)
        case .eddsa:
            guard label == "PRIVATE KEY", let seed = Self.ed25519Seed(in: bytes),
                let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed)
            else { throw Self.wrong("an Ed25519 key") }
            self.key = .ed25519(key)
        }
    }

    /// Returns the token in compact form (RFC 7515, section 7.1). `alg` and `typ` of the header are set here.
    package func token(header: [String: JSONValue], claims: JSONValue) throws -> Secret {
        let head: JSONValue = .object(
            header.merging(["alg": .string(algorithm.rawValue), "typ": "JWT"]) { $1 })
        let signed = "\(Base64URL.encode(try head.canonicalBytes())).\(Base64URL.encode(try claims.canonicalBytes()))"
        let bytes = Array(signed.utf8)
        let signature: [UInt8] =
            switch key {
            case .rsa(let key):
                Array(
                    try key.signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5).rawRepresentation)
            case .p256(let key): Array(try key.signature(for: bytes).rawRepresentation)
            case .ed25519(let key): Array(try key.signature(for: bytes))
            }
        return Secret("\(signed).\(Base64URL.encode(signature))")
    }

    private static func wrong(_ wanted: String) -> SigningKeyError {
        SigningKeyError(description: "the key is not \(wanted) in PEM, which begins with -----BEGIN PRIVATE KEY-----")
    }

    private static func decoded(_ pem: Secret) throws(SigningKeyError) -> (label: String, bytes: [UInt8]) {
        let text = pem.revealed().replacing("\\n", with: "\n")
        guard
            let match = text.firstMatch(
                of: /-----BEGIN ([A-Z ]*PRIVATE KEY)-----(.*?)-----END ([A-Z ]*)-----/.dotMatchesNewlines()),
            match.1 == match.3
        else { throw wrong("a private key") }
        // Headers of an old form (RFC 1421) say that it is encrypted.
        guard !match.2.contains("ENCRYPTED") else { return ("ENCRYPTED PRIVATE KEY", []) }
        guard let data = Data(base64Encoded: String(match.2.filter { !$0.isWhitespace })), !data.isEmpty else {
            throw wrong("a private key")
        }
        return (String(match.1), Array(data))
    }

    /// Returns the 32 bytes of a key in PKCS #8 (RFC 8410, section 7): a sequence of a version, the algorithm and the seed, which
    /// stands in an octet string inside another one.
    private static func ed25519Seed(in der: [UInt8]) -> [UInt8]? {
        for version: UInt8 in [0, 1] {
            let head: [UInt8] = [0x02, 0x01, version, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20]
            guard der.count >= 2 + head.count + 32, der[0] == 0x30, Int(der[1]) == der.count - 2,
                der.dropFirst(2).starts(with: head)
            else { continue }
            let seed = der.dropFirst(2 + head.count).prefix(32)
            return Array(seed)
        }
        return nil
    }
}
