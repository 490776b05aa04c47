import Encodings

/// The body of `POST /proof`: a client asks the broker to prove that it knows the client's token. `TokenProof` of Signer
/// says what the members are made of.
package struct TokenCheck: Sendable, Hashable {
    /// Names the token without revealing it: 22 characters of base64url.
    package var tokenID: String
    /// New for each check.
    package var nonce: Nonce

    package init(tokenID: String, nonce: Nonce) {
        self.tokenID = tokenID
        self.nonce = nonce
    }

    package var json: JSONValue { ["token_id": .string(tokenID), "nonce": .string(nonce.description)] }

    /// - Throws: ``BodyError`` that names the first field that is missing or invalid.
    package init(json: JSONValue) throws(BodyError) {
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
package struct TokenCheckAnswer: Sendable, Hashable {
    /// The end of the connection at which the broker was reached, e.g. `127.0.0.1:8765`.
    package var address: String
    /// The other end, at which the broker sees the client, e.g. `127.0.0.1:50412`.
    package var client: String
    package var proof: String

    package init(address: String, client: String, proof: String) {
        self.address = address
        self.client = client
        self.proof = proof
    }

    package var json: JSONValue { ["address": .string(address), "client": .string(client), "proof": .string(proof)] }

    /// Returns nil for an answer of another form.
    package init?(json: JSONValue) {
        guard let address = json["address"]?.stringValue, let client = json["client"]?.stringValue,
            let proof = json["proof"]?.stringValue
        else { return nil }
        self.address = address
        self.client = client
        self.proof = proof
    }
}
