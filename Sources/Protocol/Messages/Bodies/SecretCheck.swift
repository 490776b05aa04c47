import Encodings

/// The body of `POST /phone/check`: the phone proves that it has the shared secret. `SecretProof` of Signer says what
/// is signed.
package struct SecretCheck: Sendable, Hashable {
    package var nonce: Nonce
    package var signature: String

    package init(nonce: Nonce, signature: String) {
        self.nonce = nonce
        self.signature = signature
    }

    package var json: JSONValue { ["nonce": .string(nonce.description), "signature": .string(signature)] }

    /// - Throws: ``BodyError`` that names the first field that is missing or invalid.
    package init(json: JSONValue) throws(BodyError) {
        let fields = BodyFields(json)
        guard let nonce = Nonce(try fields.text("nonce", atMost: 64)) else { throw .invalid("nonce", "not a nonce") }
        self.nonce = nonce
        signature = try fields.text("signature", atMost: 100)
    }
}

/// The answer to ``SecretCheck``: the broker's own signature over the same nonce.
package struct SecretCheckAnswer: Sendable, Hashable {
    package var signature: String

    package init(signature: String) {
        self.signature = signature
    }

    package var json: JSONValue { ["signature": .string(signature)] }

    /// An answer without a signature has an empty one, which never verifies.
    package init(json: JSONValue) {
        signature = json["signature"]?.stringValue ?? ""
    }
}
