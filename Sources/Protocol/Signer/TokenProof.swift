import Crypto
import Encodings
import Foundation
import Messages
import Secrets

/// A broker's proof that it knows a token, for a client that is about to send it.
///
/// Without TLS, whatever program listens at the broker's address would get the token. So the client first posts
/// `{"token_id", "nonce"}` to `/proof`. The broker answers with both ends of the connection that the question came over, and
/// with a signature over ends and nonce. The client compares them with those of its own connection. A program in between
/// that passes the question on to the broker has a connection of its own, and the system gives no two open connections the
/// same two ends, so its proof is worth nothing.
///
/// All keys come from the token's SHA-256, because of most tokens a broker stores nothing else. A program that took the
/// broker's port learns the token's name and nothing that helps to find a token of 128 random bits or more.
public struct TokenProof: Sendable {
    private let digest: Secret

    public init(token: Secret) {
        digest = token.withUnsafeBytes { Secret(bytes: Array(SHA256.hash(data: $0))) }
    }

    /// - Parameter digest: the 32 bytes of the token's SHA-256, in Base16. Returns nil for anything else.
    public init?(digest: String) {
        guard let bytes = Base16.decode(digest), bytes.count == SHA256.byteCount else { return nil }
        self.digest = Secret(bytes: bytes)
    }

    /// Names the token: the first 16 bytes of HMAC-SHA256(digest, "countersign token name 1") in base64url.
    public var tokenID: String {
        Base64URL.encode(Array(authentication(of: Array("countersign token name 1".utf8)).prefix(16)))
    }

    /// Signs the canonical JSON (RFC 8785) of `{"address", "client", "nonce", "purpose": "countersign broker proof"}` with
    /// HMAC-SHA256 (RFC 2104) under the digest. The signature is in base64url.
    ///
    /// - Parameters:
    ///   - address: the broker's end of the connection, e.g. `127.0.0.1:8765` or `[::1]:8765`.
    ///   - client: the client's end, written in the same way.
    public func proof(of nonce: Nonce, at address: String, for client: String) -> String {
        Base64URL.encode(authentication(of: Self.payload(nonce, address, client)))
    }

    /// Verifies a proof in constant time.
    public func isValid(_ proof: String, of nonce: Nonce, at address: String, for client: String) -> Bool {
        guard let code = Base64URL.decode(proof), code.count == SHA256.byteCount else { return false }
        let key = digest.withUnsafeBytes { SymmetricKey(data: $0) }
        return HMAC<SHA256>.isValidAuthenticationCode(
            code, authenticating: Self.payload(nonce, address, client), using: key)
    }

    private func authentication(of payload: [UInt8]) -> [UInt8] {
        let key = digest.withUnsafeBytes { SymmetricKey(data: $0) }
        return Array(HMAC<SHA256>.authenticationCode(for: payload, using: key))
    }

    private static func payload(_ nonce: Nonce, _ address: String, _ client: String) -> [UInt8] {
        let json: JSONValue = [
            "address": .string(address), "client": .string(client), "nonce": .string(nonce.description),
            "purpose": "countersign broker proof",
        ]
        // Four texts always have a canonical form.
        return (try? json.canonicalBytes()) ?? []
    }
}
