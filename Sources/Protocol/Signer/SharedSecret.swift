import Crypto
import Encodings
import Foundation
import Secrets

/// The key that broker and phone share, `BROKER_PHONE_SHARED_SECRET`: the UTF-8 bytes of a text, at least 32 bytes.
///
/// It signs with HMAC-SHA256 (RFC 2104, FIPS 180-4) over canonical JSON (RFC 8785) without the member `signature`.
public struct SharedSecret: Sendable {
    private let secret: Secret

    /// The smallest accepted number of bytes.
    public static let minimumLength = 32

    /// - Throws: ``SignatureError/secretTooShort``.
    public init(_ secret: Secret) throws(SignatureError) {
        guard secret.count >= Self.minimumLength else { throw .secretTooShort(secret.count) }
        self.secret = secret
    }

    /// Accepts short keys, for test vectors.
    init(unchecked secret: Secret) {
        self.secret = secret
    }

    /// Gives access to the key, to derive other keys from it. Do not keep the bytes.
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try secret.withUnsafeBytes(body)
    }

    /// Signs the payload.
    ///
    /// - Returns: the signature in base64url without padding (RFC 4648, section 5).
    public func signature(of payload: [UInt8]) -> String {
        let key = secret.withUnsafeBytes { SymmetricKey(data: $0) }
        return Base64URL.encode(Data(HMAC<SHA256>.authenticationCode(for: payload, using: key)))
    }

    /// Verifies a signature in constant time. Any other spelling of it, e.g. with padding, is refused: one message has
    /// one signature.
    public func isValid(_ signature: String, for payload: [UInt8]) -> Bool {
        guard let code = Base64URL.decode(signature), code.count == SHA256.byteCount else { return false }
        let key = secret.withUnsafeBytes { SymmetricKey(data: $0) }
        return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: payload, using: key)
    }

    func signed(_ members: [String: JSONValue]) throws(JSONError) -> JSONValue {
        var members = members
        members["signature"] = nil
        let payload = try JSONValue.object(members).canonicalBytes()
        members["signature"] = .string(signature(of: payload))
        return .object(members)
    }

    func verifies(_ members: [String: JSONValue]) -> Bool {
        guard let signature = members["signature"]?.stringValue else { return false }
        var payload = members
        payload["signature"] = nil
        guard let bytes = try? JSONValue.object(payload).canonicalBytes() else { return false }
        return isValid(signature, for: bytes)
    }
}

/// The reason why a secret cannot sign.
public enum SignatureError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The secret has only this many bytes.
    case secretTooShort(Int)

    public var description: String {
        switch self {
        case .secretTooShort(let count):
            "the shared secret has \(count) bytes; it needs at least \(SharedSecret.minimumLength). "
                + "Make one with: openssl rand -base64 48"
        }
    }
}
