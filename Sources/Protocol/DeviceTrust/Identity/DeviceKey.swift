import Crypto
import Encodings
import Foundation

/// The key that a device signs its approvals with. It never leaves the place that keeps it.
///
/// It is in the vault, which only the user verification of the approval opens, or where a ``DeviceKeyMaker`` keeps it, such as in a
/// TPM.
public protocol DeviceKey: Sendable {
    /// The public half, by which the broker knows the device.
    var publicKey: DevicePublicKey { get }
    /// Signs `payload` with ECDSA on P-256 and SHA-256. The payload is the whole message: hash it once.
    ///
    /// - Throws: any error. Its text is shown to the person, in a message that names the key; nothing is then signed.
    func signature(of payload: [UInt8]) async throws -> DeviceSignature
}

/// A signature in the only accepted encoding: r and s, 32 bytes each, one after the other (IEEE P1363), in base64url
/// without padding. A message with DER is refused.
public struct DeviceSignature: Sendable, Hashable, LosslessStringConvertible {
    package static let size = 64

    /// The signature in base64url.
    public let description: String
    let bytes: [UInt8]

    /// Returns nil unless there are 64 bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = Array(bytes)
        description = Base64URL.encode(bytes)
    }

    /// Reads the DER that OpenSSL, TPMs and most tokens give. Returns nil for anything else.
    public init?(der: some Collection<UInt8>) {
        guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: Array(der)) else { return nil }
        self.init(bytes: signature.rawRepresentation)
    }

    /// Returns nil unless the text is the 64 bytes in base64url.
    public init?(_ text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes: bytes)
    }
}

/// A device's P-256 public key, written as base64url of the 65 bytes of its uncompressed point.
public struct DevicePublicKey: Sendable, Hashable, LosslessStringConvertible {
    /// The point in base64url.
    public let description: String
    private let key: P256.Signing.PublicKey

    init(_ key: P256.Signing.PublicKey) {
        self.key = key
        description = Base64URL.encode(key.x963Representation)
    }

    /// Returns nil unless the text is a point on the curve in that one spelling.
    public init?(_ text: String) {
        guard let bytes = Base64URL.decode(text), bytes.count == 65,
            let key = try? P256.Signing.PublicKey(x963Representation: bytes)
        else { return nil }
        self.init(key)
    }

    /// Reads a public key in PEM ("BEGIN PUBLIC KEY"). Returns nil unless it is one on P-256.
    public init?(pem: String) {
        guard let key = try? P256.Signing.PublicKey(pemRepresentation: pem) else { return nil }
        self.init(key)
    }

    package func isValid(_ signature: DeviceSignature, for payload: [UInt8]) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature.bytes) else { return false }
        return key.isValidSignature(signature, for: payload)
    }

    public static func == (left: Self, right: Self) -> Bool { left.description == right.description }
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}
