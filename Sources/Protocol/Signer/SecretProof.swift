import Encodings
import Foundation
import Messages

/// A signed round trip that proves to both sides that they share a secret, without revealing it.
///
/// The phone posts `{"nonce", "signature"}` to `/phone/check`, its signature over the canonical JSON of `{"nonce": …,
/// "side": "phone"}`; the broker answers with its signature over the same with `"side": "broker"`. The side is signed,
/// so that neither side can send the other's proof back.
public enum SecretProof {
    public enum Side: String, Sendable { case phone, broker }

    public static func signature(by side: Side, of nonce: Nonce, with secret: SharedSecret) -> String {
        secret.signature(of: payload(side, nonce))
    }

    public static func isValid(_ signature: String, by side: Side, of nonce: Nonce, with secret: SharedSecret) -> Bool {
        secret.isValid(signature, for: payload(side, nonce))
    }

    private static func payload(_ side: Side, _ nonce: Nonce) -> [UInt8] {
        let json: JSONValue = ["nonce": .string(nonce.description), "side": .string(side.rawValue)]
        // Two short strings always have a canonical form.
        return (try? json.canonicalBytes()) ?? []
    }
}
