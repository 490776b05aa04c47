import Foundation

@testable import Authenticator
@testable import Secrets

private let now = Date(timeIntervalSince1970: 1_780_000_000)

/// Reads the URIs of QR codes: `otpauth://`, and Google Authenticator's `otpauth-migration://`.
func fuzzOTPAuth(_ input: [UInt8]) {
    let uri = Secret(bytes: input)
    if let migrated = try? MigrationURI.tokens(in: uri, at: now) {
        promise(!migrated.isEmpty, "a migration holds a token, or says what is wrong with one")
        for token in migrated.tokens { check(token) }
    }
    // Use the URI's bytes as the migration's payload, so that its fields are reached.
    let payload = Data(input).base64EncodedString().replacing("+", with: "%2B")
    let wrapped = try? MigrationURI.tokens(in: Secret("otpauth-migration://offline?data=\(payload)"), at: now)
    for token in wrapped?.tokens ?? [] { check(token) }
    if let token = try? OTPAuthURI(uri).token(at: now) { check(token) }
}

/// Reads exports of tokens: a list of URIs, or the JSON of Aegis. Encrypted exports are not opened.
func fuzzTokenImport(_ input: [UInt8]) {
    struct NoPassphrase: Error {}
    guard
        let read = try? TokenImport.read(Secret(bytes: input), at: now, passphrase: { throw NoPassphrase() })
    else { return }
    promise(!read.refusals.contains { $0.reason.isEmpty }, "a refusal says why")
    for token in read.tokens { check(token) }
}

/// Checks that a token stays the same when it is written and read.
private func check(_ token: Token) {
    let again: Token
    do {
        again = try OTPAuthURI(token.uri).token(at: now)
    } catch {
        // The longest names and secrets, percent-encoded, exceed the length limit of a URI.
        promise(token.uri.count > OTPAuthURI.longest, "a token's URI is read: \(error)")
        return
    }
    promise(
        again.issuer == token.issuer && again.account == token.account,
        "a token keeps its names: \(token.issuer.debugDescription), \(token.account.debugDescription) became "
            + "\(again.issuer.debugDescription), \(again.account.debugDescription)")
    promise(again.secret.isEqual(to: token.secret), "a token keeps its secret")
    promise(
        again.digits == token.digits && again.period == token.period && again.algorithm == token.algorithm,
        "a token keeps its parameters")
    promise(token.code(at: now).digits.count == token.digits, "a code has its digits")
}
