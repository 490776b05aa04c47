import Crypto
import Foundation
import TestParties
import Testing

@testable import WebServing

private let challenge = [UInt8](repeating: 42, count: 32)

@Suite("WebAuthn ceremonies") struct CeremonyTests {
    struct Bend: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: WebAuthnError.Code
        let bend: @Sendable (SoftPasskey) -> Void
    }

    static let bends: [Bend] = [
        Bend(testDescription: "another origin", code: .wrongOrigin) { $0.origin = "https://evil.example" },
        Bend(testDescription: "another port", code: .wrongOrigin) { $0.origin = "https://localhost:8767" },
        Bend(testDescription: "plain http", code: .wrongOrigin) { $0.origin = "http://localhost:8766" },
        Bend(testDescription: "another site", code: .wrongRelyingParty) { $0.rpID = "evil.example" },
        Bend(testDescription: "no user present", code: .userNotPresent) { $0.flags = 0x04 },
        Bend(testDescription: "no user verified", code: .userNotVerified) { $0.flags = 0x01 },
        Bend(testDescription: "backed up but not eligible", code: .malformed) { $0.flags = 0x15 },
        Bend(testDescription: "a reserved flag", code: .malformed) { $0.flags = 0x07 },
        Bend(testDescription: "another type", code: .wrongType) { $0.type = "payment.get" },
        Bend(testDescription: "inside a frame", code: .crossOrigin) { $0.extraClientData = #","crossOrigin":true"# },
        Bend(testDescription: "under another page", code: .crossOrigin) {
            $0.extraClientData = #","topOrigin":"https://evil.example""#
        },
        Bend(testDescription: "client data that is not I-JSON", code: .malformed) {
            $0.extraClientData = #","origin":"https://localhost:8766""#
        },
    ]

    @Test("a correct answer passes")
    func right() throws {
        let passkey = SoftPasskey()
        passkey.extraClientData = #","crossOrigin":false,"hint":"anything""#
        let made = try passkey.register(challenge).verified(challenge: challenge, relyingParty: SoftPasskey.site)
        #expect(made.credentialID == passkey.credentialID)
        let count = try passkey.assert(challenge)
            .verified(by: passkey.known, challenge: challenge, relyingParty: SoftPasskey.site)
        #expect(count == 1)
    }

    @Test("a registration with one wrong field is refused", arguments: bends)
    func bentRegistration(_ bend: Bend) {
        let passkey = SoftPasskey()
        bend.bend(passkey)
        let answer = passkey.register(challenge)
        #expect { try answer.verified(challenge: challenge, relyingParty: SoftPasskey.site) } throws: {
            ($0 as? WebAuthnError)?.code == bend.code
        }
    }

    @Test("an assertion with one wrong field is refused", arguments: bends)
    func bentAssertion(_ bend: Bend) throws {
        let passkey = SoftPasskey()
        let known = passkey.known
        bend.bend(passkey)
        let answer = try passkey.assert(challenge)
        #expect { try answer.verified(by: known, challenge: challenge, relyingParty: SoftPasskey.site) } throws: {
            ($0 as? WebAuthnError)?.code == bend.code
        }
    }

    @Test("a challenge of another ceremony is refused")
    func otherChallenge() throws {
        let passkey = SoftPasskey()
        let other = [UInt8](repeating: 1, count: 32)
        #expect { try passkey.register(other).verified(challenge: challenge, relyingParty: SoftPasskey.site) } throws: {
            ($0 as? WebAuthnError)?.code == .wrongChallenge
        }
        let answer = try passkey.assert(other)
        #expect {
            try answer.verified(by: passkey.known, challenge: challenge, relyingParty: SoftPasskey.site)
        } throws: { ($0 as? WebAuthnError)?.code == .wrongChallenge }
    }

    @Test("another key, another credential, a counter that goes back and a changed backup state are refused")
    func otherPasskey() throws {
        let passkey = SoftPasskey()
        let known = passkey.known
        func code(_ known: PasskeyAssertion.Known) throws -> WebAuthnError.Code? {
            let answer = try passkey.assert(challenge)
            do throws(WebAuthnError) {
                _ = try answer.verified(by: known, challenge: challenge, relyingParty: SoftPasskey.site)
                return nil
            } catch { return error.code }
        }
        func remembered(count: UInt32 = 0, eligible: Bool = false) -> PasskeyAssertion.Known {
            .init(
                credentialID: known.credentialID, publicKey: known.publicKey, signCount: count,
                isBackupEligible: eligible)
        }
        #expect(try code(remembered()) == nil)
        #expect(try code(remembered(count: 1)) == .counterWentBack)
        #expect(try code(remembered(count: 2)) == .counterWentBack)
        #expect(try code(remembered(eligible: true)) == .backupStateChanged)
        passkey.signCount = 0
        #expect(try code(remembered()) == nil)
        #expect(try code(remembered(count: 5)) == .counterWentBack)
        passkey.key = P256.Signing.PrivateKey()
        #expect(try code(remembered()) == .badSignature)
        passkey.credentialID = [1]
        #expect(try code(remembered()) == .unknownCredential)
    }

    @Test("every flipped bit of an assertion is refused")
    func flippedAssertion() throws {
        let passkey = SoftPasskey()
        let known = passkey.known
        let right = try passkey.assert(challenge)
        for (part, length) in [right.clientDataJSON.count, right.authenticatorData.count, right.signature.count]
            .enumerated()
        {
            for bit in 0..<(length * 8) {
                var parts = [right.clientDataJSON, right.authenticatorData, right.signature]
                parts[part][bit / 8] ^= 1 << (bit % 8)
                let bent = PasskeyAssertion(
                    credentialID: right.credentialID, clientDataJSON: parts[0], authenticatorData: parts[1],
                    signature: parts[2])
                #expect(throws: WebAuthnError.self, "part \(part), bit \(bit)") {
                    try bent.verified(by: known, challenge: challenge, relyingParty: SoftPasskey.site)
                }
            }
        }
    }

    @Test("an attestation that was not requested is refused")
    func attestation() {
        let passkey = SoftPasskey()
        for (format, code) in [("tpm", WebAuthnError.Code.unsupportedAttestation), ("packed", .malformed)] {
            #expect {
                try passkey.register(challenge, format: format)
                    .verified(challenge: challenge, relyingParty: SoftPasskey.site)
            } throws: { ($0 as? WebAuthnError)?.code == code }
        }
    }
}
