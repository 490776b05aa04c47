import Crypto
import TestParties

@testable import WebServing

extension SoftPasskey {
    static let site = RelyingParty(id: "localhost", origin: "https://localhost:8766")

    func register(_ challenge: [UInt8], format: String = "none") -> PasskeyRegistration {
        let made = created(challenge, format: format)
        return PasskeyRegistration(clientDataJSON: made.clientDataJSON, attestationObject: made.attestationObject)
    }

    func assert(_ challenge: [UInt8]) throws -> PasskeyAssertion {
        let answer = try signed(challenge)
        return PasskeyAssertion(
            credentialID: credentialID, clientDataJSON: answer.clientDataJSON,
            authenticatorData: answer.authenticatorData, signature: answer.signature)
    }

    var known: PasskeyAssertion.Known {
        let registration = try? register([]).verified(challenge: [], relyingParty: Self.site)
        return PasskeyAssertion.Known(
            credentialID: credentialID, publicKey: registration?.publicKey ?? [], signCount: 0,
            isBackupEligible: flags & 0x08 != 0)
    }
}

extension WebAuthnVectors {
    static func digest(_ bytes: [UInt8]) -> SHA256.Digest { SHA256.hash(data: bytes) }
}
