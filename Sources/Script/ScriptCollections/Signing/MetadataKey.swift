import Crypto
import Encodings
import Foundation

/// A public key of a collection (TUF specification 1.0.34, section 4.2): Ed25519 (RFC 8032), or ECDSA over P-256 with
/// SHA-256 (FIPS 186-5).
package struct MetadataKey: Sendable, Hashable {
    private enum Public: Sendable {
        case ed25519(Curve25519.Signing.PublicKey)
        case p256(P256.Signing.PublicKey)
    }

    /// The key as the metadata has it.
    package let json: JSONValue
    private let key: Public

    /// The key's bytes, the same for one key however its metadata spells it.
    package var bytes: [UInt8] {
        switch key {
        case .ed25519(let key): Array(key.rawRepresentation)
        case .p256(let key): Array(key.x963Representation)
        }
    }

    package static func == (left: MetadataKey, right: MetadataKey) -> Bool { left.bytes == right.bytes }

    package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    /// The name of the key: the SHA-256 of its canonical form in hex (section 4.2).
    package var id: String { Base16.encode(SHA256.hash(data: (try? json.signedBytes()) ?? [])) }

    package init(_ key: Curve25519.Signing.PublicKey) {
        self.key = .ed25519(key)
        json = [
            "keytype": "ed25519", "scheme": "ed25519",
            "keyval": ["public": .string(Base16.encode(key.rawRepresentation))],
        ]
    }

    package init(_ key: P256.Signing.PublicKey) {
        self.key = .p256(key)
        json = [
            "keytype": "ecdsa", "scheme": "ecdsa-sha2-nistp256", "keyval": ["public": .string(key.pemRepresentation)],
        ]
    }

    /// Reads a key of a root or of a delegation.
    ///
    /// - Returns: nil for a key of another type, which then counts for no signature.
    /// - Throws: ``CollectionError`` for a key of a known type that is not one.
    package init?(_ json: JSONValue) throws(CollectionError) {
        guard let type = json["keytype"]?.stringValue, let scheme = json["scheme"]?.stringValue,
            let text = json["keyval"]?["public"]?.stringValue
        else { throw CollectionError(.malformed, "a key has no keytype, scheme or public value") }
        self.json = json
        switch (type, scheme) {
        case ("ed25519", "ed25519"):
            guard let bytes = Base16.decode(text), let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes)
            else { throw CollectionError(.malformed, "a key of type ed25519 is not 32 bytes in hex") }
            self.key = .ed25519(key)
        case ("ecdsa", "ecdsa-sha2-nistp256"), ("ecdsa-sha2-nistp256", "ecdsa-sha2-nistp256"):
            guard let key = try? P256.Signing.PublicKey(pemRepresentation: text) else {
                throw CollectionError(.malformed, "a key of type \(type) is not a PEM text with a key of P-256")
            }
            self.key = .p256(key)
        default: return nil
        }
    }

    /// Returns whether a signature in hex is one of this key over the bytes.
    package func verifies(_ signature: String, over bytes: [UInt8]) -> Bool {
        guard let signature = Base16.decode(signature) else { return false }
        switch key {
        case .ed25519(let key): return key.isValidSignature(signature, for: bytes)
        case .p256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: SHA256.hash(data: bytes))
        }
    }
}
