import AssistantStore
import Crypto
import Encodings
import Foundation

/// The access tokens that this service issues: JWT by HMAC-SHA256, for one hour.
package struct AccessTokens: Sendable {
    package static let lifetime: TimeInterval = 3600
    private static let issuer = "countersign-assistant"

    private let key: SymmetricKey

    package init(key: SymmetricKey) {
        self.key = key
    }

    package func token(for session: StoredSession, at now: Date) -> String {
        let issued = now.timeIntervalSince1970.rounded(.down)
        return JSONWebToken.signed(
            [
                "iss": .string(Self.issuer), "sub": .string(session.userID.uuidString.lowercased()),
                "sid": .string(session.id.uuidString.lowercased()), "iat": .number(issued),
                "exp": .number(issued + Self.lifetime), "jti": .string(UUIDText.random()),
            ], with: key)
    }

    /// Returns the session that a token names, or nil for a token that is not ours or has expired.
    package func session(of token: String, at now: Date) -> StoredSession? {
        guard token.utf8.count <= 2048, let token = JSONWebToken(token), token.isSigned(with: key),
            token.claims["iss"]?.stringValue == Self.issuer,
            let expires = token.claims["exp"]?.numberValue, now.timeIntervalSince1970 < expires,
            let user = token.claims["sub"]?.stringValue.flatMap(UUID.init(uuidString:)),
            let id = token.claims["sid"]?.stringValue.flatMap(UUID.init(uuidString:))
        else { return nil }
        return StoredSession(id: id, userID: user)
    }
}
