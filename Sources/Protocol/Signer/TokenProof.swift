import Crypto
import Encodings
import Foundation
import Messages
import Secrets

/// A broker's proof that it knows a token, for a client that is about to send it.
///
/// Without TLS, whatever program listens at the broker's address would get the token. So the client first posts
/// `{"token_id", "nonce"}` to `/proof`. The broker answers with the address at which it was reached, and with a signature
/// over address and nonce. The client compares that address with the server's end of its own connection. A program in
/// between that passes the question on to the broker was reached at another address, so its proof is worth nothing.
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

    /// Signs the canonical JSON (RFC 8785) of `{"address", "nonce", "purpose": "countersign broker proof"}` with
    /// HMAC-SHA256 (RFC 2104) under the digest. The signature is in base64url.
    public func proof(of nonce: Nonce, at address: String) -> String {
        Base64URL.encode(authentication(of: Self.payload(nonce, address)))
    }

    /// Verifies a proof in constant time.
    public func isValid(_ proof: String, of nonce: Nonce, at address: String) -> Bool {
        guard let code = Base64URL.decode(proof), code.count == SHA256.byteCount else { return false }
        let key = digest.withUnsafeBytes { SymmetricKey(data: $0) }
        return HMAC<SHA256>.isValidAuthenticationCode(
            code, authenticating: Self.payload(nonce, address), using: key)
    }

    private func authentication(of payload: [UInt8]) -> [UInt8] {
        let key = digest.withUnsafeBytes { SymmetricKey(data: $0) }
        return Array(HMAC<SHA256>.authenticationCode(for: payload, using: key))
    }

    private static func payload(_ nonce: Nonce, _ address: String) -> [UInt8] {
        let json: JSONValue = [
            "address": .string(address), "nonce": .string(nonce.description), "purpose": "countersign broker proof",
        ]
        // Three texts always have a canonical form.
        return (try? json.canonicalBytes()) ?? []
    }
}
