import Crypto
import Foundation
import LoopbackPage
import Testing

@testable import ApprovalPage

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

@Suite("Reading CBOR") struct CBORTests {
    @Test(
        "CBOR that authenticators do not write is refused",
        arguments: [
            [], [0x18], [0x18, 0x17], [0x19, 0x00, 0xFF], [0x1A, 0, 0, 0xFF, 0xFF], [0x5F, 0x41, 0x00, 0xFF],
            [0x9F, 0xFF], [0xBF, 0xFF], [0xC0, 0x60], [0xF9, 0x3C, 0x00], [0xF7], [0x61, 0xFF], [0x42, 0x00],
            [0x82, 0x00],
            [0xA1, 0x00], [0xA2, 0x00, 0x00, 0x00, 0x00], [0x00, 0x00],
            [0x1B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x9B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x5B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0xBB, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [UInt8](repeating: 0x81, count: 5000),
        ] as [[UInt8]])
    func refused(_ bytes: [UInt8]) {
        #expect(throws: WebAuthnError.self) { try CBOR(bytes) }
    }

    @Test(
        "RFC 8949, appendix A",
        arguments: [
            ([0x00], .integer(0)), ([0x17], .integer(23)), ([0x18, 0x18], .integer(24)),
            ([0x19, 0x03, 0xE8], .integer(1000)), ([0x1A, 0x00, 0x0F, 0x42, 0x40], .integer(1_000_000)),
            ([0x1B, 0, 0, 0, 0xE8, 0xD4, 0xA5, 0x10, 0], .integer(1_000_000_000_000)), ([0x20], .integer(-1)),
            ([0x38, 0x63], .integer(-100)), ([0xF4], .bool(false)), ([0xF5], .bool(true)), ([0xF6], .null),
            ([0x44, 1, 2, 3, 4], .bytes([1, 2, 3, 4])), ([0x64, 0x49, 0x45, 0x54, 0x46], .text("IETF")),
            ([0x83, 1, 2, 3], .array([.integer(1), .integer(2), .integer(3)])),
            ([0xA2, 1, 2, 3, 4], .map([.integer(1): .integer(2), .integer(3): .integer(4)])),
        ] as [([UInt8], CBOR)])
    func read(_ bytes: [UInt8], _ expected: CBOR) throws {
        #expect(try CBOR(bytes) == expected)
    }
}
