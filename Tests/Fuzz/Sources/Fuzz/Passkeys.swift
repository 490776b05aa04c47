import Crypto
import Foundation

@testable import Encodings
@testable import WebServing

private let site = RelyingParty(id: "phone.local", origin: "https://phone.local:8766")
private let siteHash = Array(SHA256.hash(data: Array("phone.local".utf8)))
private let challenge: [UInt8] = Array(1...32)
private let key = P256.Signing.PrivateKey()
private let credentialID: [UInt8] = [7, 7, 7]
private let known = PasskeyAssertion.Known(
    credentialID: credentialID, publicKey: coseKey, signCount: 3, isBackupEligible: false)

/// The public key as an authenticator writes it.
private let coseKey: [UInt8] = {
    let point = Array(key.publicKey.x963Representation.dropFirst())
    return CBOR.map([
        .integer(1): .integer(2), .integer(3): .integer(-7), .integer(-1): .integer(1),
        .integer(-2): .bytes(Array(point.prefix(32))), .integer(-3): .bytes(Array(point.suffix(32))),
    ]).encoded
}()

/// Offers the input as each part of a registration and of an answer, beside parts that are right.
func fuzzPasskey(_ input: [UInt8]) {
    checkAuthenticatorData(input)
    let data = siteHash + input
    checkAuthenticatorData(data)
    checkRegistration(data)
    let stranger = PasskeyRegistration(clientDataJSON: clientData("webauthn.create"), attestationObject: input)
    promise(
        (try? stranger.verified(challenge: challenge.reversed(), relyingParty: site)) == nil, "a challenge is needed")
    checkAnswer(data, clientData("webauthn.get"))
    checkClientData(input)
}

private func clientData(_ type: String) -> [UInt8] {
    Array(
        #"{"type":"\#(type)","challenge":"\#(Base64URL.encode(challenge))","origin":"\#(site.origin)"}"#.utf8)
}

private func checkAuthenticatorData(_ bytes: [UInt8]) {
    guard let data = try? AuthenticatorData(bytes) else { return }
    promise((try? AuthenticatorData(bytes + [0])) == nil, "nothing may follow authenticator data")
    for end in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 16)) {
        promise((try? AuthenticatorData(Array(bytes.prefix(end)))) == nil, "data that is cut off is refused")
    }
    promise((data.credential != nil) == (bytes[32] & 0x40 != 0), "a flag tells of the credential")
    guard let credential = data.credential else { return }
    promise((1...1023).contains(credential.id.count), "a credential has an id")
    promise((try? COSEKey(bytes: credential.publicKeyBytes)) == credential.publicKey, "a kept key is the same")
}

private func checkRegistration(_ data: [UInt8]) {
    let object = CBOR.map([.text("fmt"): .text("none"), .text("attStmt"): .map([:]), .text("authData"): .bytes(data)])
    let registration = PasskeyRegistration(
        clientDataJSON: clientData("webauthn.create"), attestationObject: object.encoded)
    guard let verified = try? registration.verified(challenge: challenge, relyingParty: site) else { return }
    promise(data[32] & 0x45 == 0x45, "a passkey was touched, checked its user, and is there")
    promise((try? COSEKey(bytes: verified.publicKey)) != nil, "its key can be used")
    promise(verified.isBackupEligible == (data[32] & 0x08 != 0), "and its flags are kept")
}

private func answer(_ data: [UInt8], _ client: [UInt8], signature: [UInt8]? = nil) -> PasskeyAssertion {
    let signed = data + Array(SHA256.hash(data: client))
    let own = (try? key.signature(for: signed)).map { Array($0.derRepresentation) } ?? []
    return PasskeyAssertion(
        credentialID: credentialID, clientDataJSON: client, authenticatorData: data, signature: signature ?? own)
}

private func checkAnswer(_ data: [UInt8], _ client: [UInt8]) {
    let foreign = answer(data, client, signature: data)
    promise((try? foreign.verified(by: known, challenge: challenge, relyingParty: site)) == nil, "a key is needed")
    guard let count = try? answer(data, client).verified(by: known, challenge: challenge, relyingParty: site) else {
        return
    }
    promise(count > known.signCount, "the counter goes on")
    promise(data[32] & 0x6F == 0x05, "the passkey was touched and checked its user")
}

private func checkClientData(_ input: [UInt8]) {
    let data = siteHash + [0x05, 0, 0, 0, 9]
    guard (try? answer(data, input).verified(by: known, challenge: challenge, relyingParty: site)) != nil else {
        return
    }
    let text = String(decoding: input, as: UTF8.self)
    promise(text.contains("webauthn"), "client data names its ceremony, perhaps escaped: \(text)")
}
