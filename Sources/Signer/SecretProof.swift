import Foundation
import JSON

/// A signed round trip that shows two sides the same secret, without showing it to anyone.
///
/// The phone posts `{"nonce", "signature"}` to `/phone/check`, its signature over the canonical JSON of
/// `{"nonce": …, "side": "phone"}`; the broker answers in kind with `"side": "broker"`. The side is signed, so that
/// neither can send the other's proof back.
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
        // Two short texts always have a canonical form.
        return (try? json.canonicalBytes()) ?? []
    }
}
