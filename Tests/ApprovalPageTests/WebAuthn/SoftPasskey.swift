import Crypto
import Encodings
import Foundation
import JSON
import Secrets

@testable import ApprovalPage

/// A passkey in software, each of whose answers a test can falsify.
final class SoftPasskey {
    static let site = RelyingParty(id: "localhost", origin: "https://localhost:8766")

    var key = P256.Signing.PrivateKey()
    var credentialID = [UInt8](repeating: 7, count: 32)
    var rpID = "localhost"
    var origin = "https://localhost:8766"
    var flags: UInt8 = 0x05
    var signCount: UInt32 = 1
    var extraClientData = ""
    var type: String?

    func clientData(_ ceremony: String, _ challenge: [UInt8]) -> [UInt8] {
        Array(
            #"{"type":"\#(type ?? ceremony)","challenge":"\#(Base64URL.encode(challenge))","origin":"\#(origin)"\#(extraClientData)}"#
                .utf8)
    }

    func authenticatorData(attested: Bool) -> [UInt8] {
        var bytes = Array(SHA256.hash(data: Array(rpID.utf8)))
        bytes.append(attested ? flags | 0x40 : flags)
        bytes += withUnsafeBytes(of: signCount.bigEndian) { Array($0) }
        guard attested else { return bytes }
        bytes += [UInt8](repeating: 0, count: 16)
        bytes += [UInt8(credentialID.count >> 8), UInt8(credentialID.count & 0xFF)] + credentialID
        let point = key.publicKey.x963Representation.dropFirst()
        bytes += [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + point.prefix(32)
        bytes += [0x22, 0x58, 0x20] + point.suffix(32)
        return bytes
    }

    func register(_ challenge: [UInt8], format: String = "none") -> PasskeyRegistration {
        let data = authenticatorData(attested: true)
        var object: [UInt8] = [0xA3, 0x63] + Array("fmt".utf8) + [0x60 + UInt8(format.utf8.count)] + Array(format.utf8)
        object += [0x67] + Array("attStmt".utf8) + [0xA0]
        object += [0x68] + Array("authData".utf8) + [0x58, UInt8(data.count)] + data
        return PasskeyRegistration(clientDataJSON: clientData("webauthn.create", challenge), attestationObject: object)
    }

    func assert(_ challenge: [UInt8]) throws -> PasskeyAssertion {
        let data = authenticatorData(attested: false)
        let client = clientData("webauthn.get", challenge)
        let signature = try key.signature(for: data + Array(SHA256.hash(data: client)))
        return PasskeyAssertion(
            credentialID: credentialID, clientDataJSON: client, authenticatorData: data,
            signature: Array(signature.derRepresentation))
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
