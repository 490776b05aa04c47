import Encodings

/// The body of `POST /proof`: a client asks the broker to prove that it knows the client's token. `TokenProof` of Signer
/// says what the members are made of.
public struct TokenCheck: Sendable, Hashable {
    /// Names the token without revealing it: 22 characters of base64url.
    public var tokenID: String
    /// New for each check.
    public var nonce: Nonce

    public init(tokenID: String, nonce: Nonce) {
        self.tokenID = tokenID
        self.nonce = nonce
    }

    public var json: JSONValue { ["token_id": .string(tokenID), "nonce": .string(nonce.description)] }

    /// - Throws: ``BodyError`` that names the first field that is missing or invalid.
    public init(json: JSONValue) throws(BodyError) {
        let fields = BodyFields(json)
        tokenID = try fields.text("token_id", atMost: 22)
        guard tokenID.wholeMatch(of: /[A-Za-z0-9_\-]{22}/) != nil else {
            throw .invalid("token_id", "not 22 characters of base64url")
        }
        guard let nonce = Nonce(try fields.text("nonce", atMost: 64)) else { throw .invalid("nonce", "not a nonce") }
        self.nonce = nonce
    }
}

/// The answer to ``TokenCheck``.
public struct TokenCheckAnswer: Sendable, Hashable {
    /// The end of the connection at which the broker was reached, e.g. `127.0.0.1:8765`.
    public var address: String
    /// The other end, at which the broker sees the client, e.g. `127.0.0.1:50412`.
    public var client: String
    public var proof: String

    public init(address: String, client: String, proof: String) {
        self.address = address
        self.client = client
        self.proof = proof
    }

    public var json: JSONValue { ["address": .string(address), "client": .string(client), "proof": .string(proof)] }

    /// Returns nil for an answer of another form.
    public init?(json: JSONValue) {
        guard let address = json["address"]?.stringValue, let client = json["client"]?.stringValue,
            let proof = json["proof"]?.stringValue
        else { return nil }
        self.address = address
        self.client = client
        self.proof = proof
    }
}
