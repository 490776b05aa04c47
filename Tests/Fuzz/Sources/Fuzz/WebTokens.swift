import Crypto
import Foundation

@testable import Assistant
@testable import AssistantStore
@testable import Encodings

private let now = Date(timeIntervalSince1970: 1_780_000_000)
private let key = SymmetricKey(data: Array(repeating: UInt8(0x5A), count: 32))
private let other = SymmetricKey(data: Array(repeating: UInt8(0xA5), count: 32))
private let pair = P256.Signing.PrivateKey()

/// Reads a JSON Web Token, signs the input as claims, and reads a key of a key set.
func fuzzWebToken(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    promise(AccessTokens(key: other).session(of: text, at: now) == nil, "an access token needs the key")
    if let token = JSONWebToken(text) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        promise(parts.count == 3 && token.signed == Array("\(parts[0]).\(parts[1])".utf8), "two parts are signed")
        promise(Base64URL.encode(token.signature) == parts[2], "a signature has one spelling")
        promise(
            !token.isSigned(with: other) && !token.isSigned(with: .p256(pair.publicKey)), "a signature needs the key")
    }
    guard let json = try? JSONReader.read(input), json.objectValue != nil else { return }
    _ = VerificationKey(json)
    checkClaims(json)
}

private func checkClaims(_ claims: JSONValue) {
    let text = JSONWebToken.signed(claims, with: key)
    // Claims that are deeper or longer than a token's may be are signed, and not read.
    guard let token = JSONWebToken(text) else { return }
    promise(token.claims == claims, "claims are read as they were signed")
    promise(token.isSigned(with: key) && !token.isSigned(with: other), "a token is signed with one key")
    promise(AccessTokens(key: other).session(of: text, at: now) == nil, "and names no session with another")
    let changed = text.dropLast() + (text.last == "A" ? "E" : "A")
    promise(JSONWebToken(String(changed))?.isSigned(with: key) != true, "a change voids the signature")
    guard let session = AccessTokens(key: key).session(of: text, at: now) else { return }
    promise((claims["exp"]?.numberValue ?? 0) > now.timeIntervalSince1970, "a token of the past names no session")
    promise(
        claims["sub"]?.stringValue?.lowercased() == session.userID.uuidString.lowercased(), "the user is the token's")
}
