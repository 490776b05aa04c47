import Encodings

/// The body of `POST /phone/check`: the phone proves that it has the shared secret. `SecretProof` of Signer says what
/// is signed.
public struct SecretCheck: Sendable, Hashable {
    public var nonce: Nonce
    public var signature: String

    public init(nonce: Nonce, signature: String) {
        self.nonce = nonce
        self.signature = signature
    }

    public var json: JSONValue { ["nonce": .string(nonce.description), "signature": .string(signature)] }

    /// - Throws: ``BodyError`` that names the first field that is missing or invalid.
    public init(json: JSONValue) throws(BodyError) {
        let fields = BodyFields(json)
        guard let nonce = Nonce(try fields.text("nonce", atMost: 64)) else { throw .invalid("nonce", "not a nonce") }
        self.nonce = nonce
        signature = try fields.text("signature", atMost: 100)
    }
}

/// The answer to ``SecretCheck``: the broker's own signature over the same nonce.
public struct SecretCheckAnswer: Sendable, Hashable {
    public var signature: String

    public init(signature: String) {
        self.signature = signature
    }

    public var json: JSONValue { ["signature": .string(signature)] }

    /// An answer without a signature has an empty one, which never verifies.
    public init(json: JSONValue) {
        signature = json["signature"]?.stringValue ?? ""
    }
}
