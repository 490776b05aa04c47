import Encodings
import Foundation
import Secrets

/// The browser's description of a ceremony (WebAuthn level 3, section 5.8.1).
struct ClientData: Sendable {
    enum Ceremony: String, Sendable {
        case create = "webauthn.create"
        case get = "webauthn.get"
    }

    /// Checks the client data: section 7.1, steps 7 to 11; section 7.2, steps 10 to 14. Unknown members are ignored, as
    /// the standard demands.
    static func check(
        _ bytes: [UInt8], _ ceremony: Ceremony, challenge: [UInt8], relyingParty: RelyingParty
    ) throws(WebAuthnError) {
        let json: JSONValue
        do {
            json = try JSONReader.read(Data(bytes), limits: JSONLimits(depth: 8, size: 16 << 10))
        } catch {
            throw WebAuthnError(.malformed, "the browser's client data is not JSON")
        }
        guard json["type"]?.stringValue == ceremony.rawValue else {
            throw WebAuthnError(.wrongType, "the browser answered another question than the one that was asked")
        }
        guard let answered = Base64URL.decode(json["challenge"]), ConstantTime.isEqual(answered, challenge) else {
            throw WebAuthnError(.wrongChallenge, "the answer belongs to another question; try again")
        }
        guard let origin = json["origin"]?.stringValue, origin == relyingParty.origin else {
            throw WebAuthnError(.wrongOrigin, "the answer comes from another page than this one")
        }
        guard json["crossOrigin"] == nil || json["crossOrigin"] == false, json["topOrigin"] == nil else {
            throw WebAuthnError(.crossOrigin, "the answer was made inside another site's page")
        }
    }
}
