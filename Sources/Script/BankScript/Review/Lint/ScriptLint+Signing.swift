// Checks of tokens that a private key signs.

extension ScriptLint {
    mutating func check(_ token: SignedToken, at mark: Mark?) {
        checkCredential(token.key, at: mark)
        check(RequestStep.Body.object(token.header), at: mark)
        check(RequestStep.Body.object(token.claims), at: mark)
        for (names, given, what) in [
            (SignedToken.ownHeader, Set(token.header.keys), "header"),
            (SignedToken.ownClaims, Set(token.claims.keys), "claims"),
        ] {
            for name in names where given.contains(name) {
                report(
                    "signed-token", .error, "“\(name)” of the \(what) is set when the token is signed",
                    hint: name == "alg" || name == "typ" ? "leave it out" : "leave it out, and write life and skew",
                    at: mark, about: name)
            }
        }
        if token.values.contains(.credential(token.key)) {
            report(
                "secret-place", .error,
                "the \(token.key) is a private key, and a token that holds it would give it away",
                hint: "leave it out of “header” and “claims”", at: mark, about: "$\(token.key)")
        }
        if !SignedToken.lives.contains(token.life) || !SignedToken.skews.contains(token.skew) {
            report(
                "signed-token", .error, "a token lives for 1 s to 24 h, and is dated at most 5 min back",
                hint: "life: 10 min", at: mark, about: "life")
        }
    }
}
