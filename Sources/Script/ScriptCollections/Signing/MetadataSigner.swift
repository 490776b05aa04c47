import Crypto
import Encodings
import Foundation
import Secrets

/// A private key of a collection.
package struct MetadataSigner: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case ed25519, p256
    }

    package let kind: Kind
    package let key: MetadataKey
    /// The key's raw bytes.
    private let secret: Secret

    /// Makes a new key.
    package init(new kind: Kind = .ed25519) {
        self.kind = kind
        switch kind {
        case .ed25519:
            let new = Curve25519.Signing.PrivateKey()
            (secret, key) = (Secret(bytes: new.rawRepresentation), MetadataKey(new.publicKey))
        case .p256:
            let new = P256.Signing.PrivateKey()
            (secret, key) = (Secret(bytes: new.rawRepresentation), MetadataKey(new.publicKey))
        }
    }

    /// Reads a key's file: its kind, a space, and the key in hex.
    ///
    /// - Throws: ``CollectionError`` of kind `malformed`.
    package init(reading file: Secret) throws(CollectionError) {
        let parts = file.revealed().split(whereSeparator: \.isWhitespace)
        guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])),
            let bytes = Base16.decode(String(parts[1])),
            let key = Self.publicKey(kind, bytes)
        else { throw CollectionError(.malformed, "the file is not a collection's key: “ed25519 HEX” or “p256 HEX”") }
        self.kind = kind
        self.key = key
        secret = Secret(bytes: bytes)
    }

    /// The text of the key's file.
    package var file: Secret {
        secret.withUnsafeBytes { Secret("\(kind.rawValue) \(Base16.encode($0))\n") }
    }

    private static func publicKey(_ kind: Kind, _ bytes: [UInt8]) -> MetadataKey? {
        switch kind {
        case .ed25519: (try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes)).map { MetadataKey($0.publicKey) }
        case .p256: (try? P256.Signing.PrivateKey(rawRepresentation: bytes)).map { MetadataKey($0.publicKey) }
        }
    }

    /// Returns the signature over the bytes in hex: 64 bytes for Ed25519, DER for ECDSA (TUF specification 1.0.34,
    /// section 4.2).
    package func sign(_ bytes: [UInt8]) throws -> String {
        try secret.withUnsafeBytes { raw in
            switch kind {
            case .ed25519:
                Base16.encode(try Curve25519.Signing.PrivateKey(rawRepresentation: raw).signature(for: bytes))
            case .p256:
                Base16.encode(
                    try P256.Signing.PrivateKey(rawRepresentation: raw).signature(for: SHA256.hash(data: bytes))
                        .derRepresentation)
            }
        }
    }
}
