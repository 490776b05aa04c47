import AssistantJobs
import AssistantStore
import Encodings
import Foundation

/// A question to a passkey that waits for its answer.
///
/// Its id is a signed token (RFC 7519) that holds everything about it, so that a question costs the service no memory:
/// anyone may ask for one, and a stranger's questions cannot displace others'.
struct PasskeyChallenge: Sendable, Hashable {
    enum Ceremony: String, Sendable, Hashable { case register, login }

    /// The longest id, in bytes. A device's name has at most 128 characters, the rest is short.
    static let longestID = 2048

    let ceremony: Ceremony
    /// The user that a registration makes.
    let userHandle: UUID
    let deviceID: String
    let timeZone: String
    /// The digest of the invitation that came with a registration.
    let invitation: [UInt8]?
    /// The time from which an answer is too late, in whole seconds.
    let expires: Date
    let id: String

    /// Makes a question.
    ///
    /// - Parameter expires: rounded up to whole seconds.
    init(
        _ ceremony: Ceremony, deviceID: String, timeZone: String, invitation: [UInt8]?, expires: Date, keys: StateKeys
    ) {
        self.ceremony = ceremony
        userHandle = UUID()
        self.deviceID = deviceID
        self.timeZone = timeZone
        self.invitation = invitation
        self.expires = Date(timeIntervalSince1970: expires.timeIntervalSince1970.rounded(.up))
        var claims: [String: JSONValue] = [
            "use": .string(ceremony.rawValue), "sub": .string(userHandle.uuidString.lowercased()),
            "device": .string(deviceID), "zone": .string(timeZone),
            "exp": .number(self.expires.timeIntervalSince1970), "jti": .string(UUIDText.random()),
        ]
        if let invitation { claims["invitation"] = .string(Base64URL.encode(invitation)) }
        id = JSONWebToken.signed(.object(claims), with: keys.passkeyChallenges)
    }

    /// Returns nil for an id that this service did not make, or that is too old.
    init?(id: String, at now: Date, keys: StateKeys) {
        guard id.utf8.count <= Self.longestID, let token = JSONWebToken(id),
            token.isSigned(with: keys.passkeyChallenges),
            let ceremony = token.claims["use"]?.stringValue.flatMap(Ceremony.init),
            let user = token.claims["sub"]?.stringValue.flatMap(UUID.init(uuidString:)),
            let deviceID = token.claims["device"]?.stringValue, let timeZone = token.claims["zone"]?.stringValue,
            let expires = token.claims["exp"]?.numberValue, now.timeIntervalSince1970 < expires
        else { return nil }
        self.ceremony = ceremony
        userHandle = user
        self.deviceID = deviceID
        self.timeZone = timeZone
        invitation = Base64URL.decode(token.claims["invitation"])
        self.expires = Date(timeIntervalSince1970: expires)
        self.id = id
    }

    /// The bytes that the passkey signs. They follow from the id by a key of the service, so that only the service can make
    /// them.
    func bytes(_ keys: StateKeys) -> [UInt8] { keys.digest(id, for: "passkey challenge") }

    /// The challenge as the store knows it once it is answered.
    func answered(_ keys: StateKeys) -> AnsweredChallenge {
        AnsweredChallenge(digest: keys.digest(id, for: "answered challenge"), expires: expires)
    }
}
