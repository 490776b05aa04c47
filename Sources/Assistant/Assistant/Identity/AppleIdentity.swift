import Crypto
import Encodings
import Foundation
import Secrets

/// A failure of Sign in with Apple.
package enum AppleIdentityError: Error, Sendable, Hashable {
    /// The identity token is not one of Apple's for this service, or not for now.
    case invalidToken
    /// Apple's keys have never been fetched, and cannot be now.
    case keysUnavailable
}

/// Verifies identity tokens of Sign in with Apple ("Verifying a user" in Apple's documentation).
package struct AppleIdentity: Sendable {
    /// The seconds by which a token may come from the future, for clocks that differ.
    private static let skew: TimeInterval = 60

    private let issuer: String
    private let audience: String
    private let keys: AppleKeySet

    package init(issuer: String, audience: String, keys: AppleKeySet) {
        self.issuer = issuer
        self.audience = audience
        self.keys = keys
    }

    /// Verifies a token: its signature by a key of Apple's set, then every claim.
    ///
    /// - Parameters:
    ///   - token: the JWT, or its Base64 as Apple's framework hands it over.
    ///   - nonce: the app's own raw value. The claim is its SHA-256 in hex. A token with a nonce is refused without it.
    /// - Returns: Apple's name for the user.
    /// - Throws: ``AppleIdentityError``, which does not tell which check failed.
    package func subject(of token: Secret, nonce: String?, at now: Date) async throws(AppleIdentityError) -> String {
        let text = token.revealed()
        let compact = text.contains(".") ? text : Data(base64Encoded: text).map { String(decoding: $0, as: UTF8.self) }
        guard let parsed = compact.flatMap(JSONWebToken.init), let id = parsed.keyID, id.utf8.count <= 128,
            Self.hasTimes(parsed.claims, at: now), parsed.claims["iss"]?.stringValue == issuer,
            isAudience(parsed.claims["aud"]), Self.hasNonce(parsed.claims, nonce),
            let subject = parsed.claims["sub"]?.stringValue, (1...255).contains(subject.utf8.count)
        else { throw .invalidToken }
        guard let key = try await keys.key(id), parsed.isSigned(with: key) else { throw .invalidToken }
        return subject
    }

    /// RFC 7519, section 4.1.3: one audience, or a list.
    private func isAudience(_ claim: JSONValue?) -> Bool {
        claim?.stringValue == audience || claim?.arrayValue?.contains(.string(audience)) == true
    }

    private static func hasTimes(_ claims: JSONValue, at now: Date) -> Bool {
        guard let expires = claims["exp"]?.numberValue, now.timeIntervalSince1970 < expires,
            let issued = claims["iat"]?.numberValue, issued <= now.timeIntervalSince1970 + skew
        else { return false }
        guard let begins = claims["nbf"] else { return true }
        return begins.numberValue.map { $0 <= now.timeIntervalSince1970 + skew } ?? false
    }

    private static func hasNonce(_ claims: JSONValue, _ nonce: String?) -> Bool {
        guard let nonce else { return claims["nonce"] == nil }
        let digest = Base16.encode(SHA256.hash(data: Array(nonce.utf8)))
        return claims["nonce"]?.stringValue.map { ConstantTime.isEqual($0.utf8, digest.utf8) } ?? false
    }
}
