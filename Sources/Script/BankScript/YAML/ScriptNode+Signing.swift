extension ScriptNode {
    /// Reads `{ RS256: $app_key, header: { … }, claims: { … }, life: 10 min, skew: 30 s }`.
    func signedToken() throws(ScriptSyntaxError) -> SignedToken {
        let fields = try fields("sign", example: "sign: { RS256: $app_key, claims: { iss: me }, life: 10 min }")
        let given = SignedToken.Algorithm.allCases.filter { fields[$0.rawValue] != nil }
        guard let algorithm = given.first, given.count == 1, let key = fields[algorithm.rawValue] else {
            throw error("“sign” must have exactly one of: RS256, ES256, EdDSA", hint: "RS256: $app_key")
        }
        guard let name = key.scalar, name.isCredential else {
            throw key.error("the key must be a credential", hint: "\(algorithm.rawValue): $app_key")
        }
        guard let claims = fields["claims"], let life = fields["life"] else {
            throw error("“sign” needs “claims” and “life”", hint: "claims: { iss: me }, life: 10 min")
        }
        return SignedToken(
            algorithm, key: String(name.dropFirst()), header: try fields["header"]?.bodies("header") ?? [:],
            claims: try claims.bodies("claims"), life: try life.duration("life"),
            skew: try fields["skew"]?.duration("skew") ?? SignedToken.usualSkew)
    }

    private func bodies(_ what: String) throws(ScriptSyntaxError) -> [String: RequestStep.Body] {
        var bodies: [String: RequestStep.Body] = [:]
        for (key, value) in try members(what) { bodies[try key.text("a name")] = try value.body() }
        return bodies
    }
}
