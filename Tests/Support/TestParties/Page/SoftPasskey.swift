import Crypto
import Encodings
import Foundation
import Secrets

/// A passkey in software, each of whose answers a test can falsify.
package final class SoftPasskey {
    package var key = P256.Signing.PrivateKey()
    package var credentialID = [UInt8](repeating: 7, count: 32)
    package var rpID = "localhost"
    package var origin = "https://localhost:8766"
    package var flags: UInt8 = 0x05
    package var signCount: UInt32 = 1
    package var extraClientData = ""
    package var type: String?

    package init() {}

    private func clientData(_ ceremony: String, _ challenge: [UInt8]) -> [UInt8] {
        Array(
            #"{"type":"\#(type ?? ceremony)","challenge":"\#(Base64URL.encode(challenge))","origin":"\#(origin)"\#(extraClientData)}"#
                .utf8)
    }

    private func authenticatorData(attested: Bool) -> [UInt8] {
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

    /// Returns a new credential, as `navigator.credentials.create` does.
    package func created(
        _ challenge: [UInt8], format: String = "none"
    ) -> (clientDataJSON: [UInt8], attestationObject: [UInt8]) {
        let data = authenticatorData(attested: true)
        var object: [UInt8] = [0xA3, 0x63] + Array("fmt".utf8) + [0x60 + UInt8(format.utf8.count)] + Array(format.utf8)
        object += [0x67] + Array("attStmt".utf8) + [0xA0]
        object += [0x68] + Array("authData".utf8) + [0x58, UInt8(data.count)] + data
        return (clientData("webauthn.create", challenge), object)
    }

    /// Signs a challenge, as `navigator.credentials.get` does.
    package func signed(
        _ challenge: [UInt8]
    ) throws -> (clientDataJSON: [UInt8], authenticatorData: [UInt8], signature: [UInt8]) {
        let data = authenticatorData(attested: false)
        let client = clientData("webauthn.get", challenge)
        let signature = try key.signature(for: data + Array(SHA256.hash(data: client)))
        return (client, data, Array(signature.derRepresentation))
    }

    // MARK: Answers to the page

    /// Returns the output of the authenticator's pseudo-random function.
    package func output(_ input: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: input, using: SymmetricKey(data: key.rawRepresentation)))
    }

    package func answer(_ challenge: [UInt8], input: [UInt8]) throws -> JSONValue {
        signCount += 1
        let assertion = try signed(challenge)
        return [
            "id": .string(Base64URL.encode(credentialID)),
            "clientDataJSON": .string(Base64URL.encode(assertion.clientDataJSON)),
            "authenticatorData": .string(Base64URL.encode(assertion.authenticatorData)),
            "signature": .string(Base64URL.encode(assertion.signature)),
            "prf": .string(Base64URL.encode(output(input))),
        ]
    }

    /// Answers the options of the page's server.
    package func answer(_ options: JSONValue) throws -> JSONValue {
        let input = Base64URL.decode(options["prf"]?[Base64URL.encode(credentialID)]) ?? []
        return try answer(Base64URL.decode(options["challenge"]) ?? [], input: input)
    }

    package func registration(
        _ options: JSONValue, named name: String, passphrase: String, code: String = ""
    ) throws -> JSONValue {
        let made = created(Base64URL.decode(options["challenge"]) ?? [])
        return [
            "name": .string(name), "passphrase": .string(passphrase), "code": .string(code),
            "registration": [
                "clientDataJSON": .string(Base64URL.encode(made.clientDataJSON)),
                "attestationObject": .string(Base64URL.encode(made.attestationObject)),
            ],
            "proof": try answer(
                Base64URL.decode(options["proofChallenge"]) ?? [], input: Base64URL.decode(options["prfInput"]) ?? []),
        ]
    }
}
