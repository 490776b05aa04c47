import Encodings
import Foundation
import TestSupport
import Testing

@testable import WebServing

/// The standard's own test vectors (WebAuthn level 3, section 16.1).
@Suite struct WebAuthnVectors {
    private static let file = "webauthn/webauthn-l3-test-vectors.json"

    struct Pair: Sendable, CustomTestStringConvertible {
        let title: String
        let registration: [String: [UInt8]]
        let assertion: [String: [UInt8]]
        var testDescription: String { title }
    }

    static func pairs() throws -> [Pair] {
        guard Vectors.folder != nil else { return [] }
        let blocks = try JSONReader.read(Vectors.data(file), limits: JSONLimits(size: 4 << 20)).arrayValue ?? []
        let fields = blocks.map { block in
            (block["fields"]?.objectValue ?? [:]).compactMapValues { bytes($0.stringValue) }
        }
        return zip(blocks, blocks.indices).compactMap { block, index in
            guard fields[index]["attestationObject"] != nil, index + 1 < blocks.count else { return nil }
            return Pair(
                title: block["title"]?.stringValue ?? "", registration: fields[index], assertion: fields[index + 1])
        }
    }

    static func bytes(_ hex: String?) -> [UInt8]? {
        guard let hex, hex.count.isMultiple(of: 2) else { return nil }
        let digits = Array(hex.utf8)
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16) ?? 0
        }
    }

    static let site = RelyingParty(id: "example.org", origin: "https://example.org")

    @Test(
        "registration and assertion pass every step, and stop where this page's rules are stricter",
        .needsVectors, arguments: try pairs())
    func pair(_ pair: Pair) throws {
        let registration = PasskeyRegistration(
            clientDataJSON: try #require(pair.registration["clientDataJSON"]),
            attestationObject: try #require(pair.registration["attestationObject"]))
        let challenge = try #require(pair.registration["challenge"])
        let outcome = Result { () throws(WebAuthnError) in
            try registration.verified(challenge: challenge, relyingParty: Self.site)
        }
        let object = try CBOR(registration.attestationObject)
        let bytes = try #require(object[.text("authData")]?.bytesValue)
        let json = String(decoding: registration.clientDataJSON, as: UTF8.self)
        let flags = AuthenticatorData.Flags(rawValue: bytes[32])

        switch outcome {
        case .success(let verified):
            #expect(verified.credentialID == pair.registration["credential_id"])
        case .failure(let error):
            let expected: WebAuthnError.Code? =
                if json.contains(#""crossOrigin":true"#) || json.contains(#""topOrigin""#) {
                    .crossOrigin
                } else if pair.title.contains("RS256") || pair.title.contains("Ed448") {
                    .unsupportedAlgorithm
                } else if !flags.contains(.userPresent) {
                    .userNotPresent
                } else if !flags.contains(.userVerified) {
                    .userNotVerified
                } else if !["none", "packed"].contains(object[.text("fmt")]?.textValue ?? "")
                    || object[.text("attStmt")]?[.text("x5c")] != nil
                {
                    .unsupportedAttestation
                } else { nil }
            #expect(error.code == expected, "\(error)")
        }
        guard let data = try? AuthenticatorData(bytes), let credential = data.credential else { return }
        try assertion(pair, credential, isBackupEligible: flags.contains(.backupEligible))
    }

    private func assertion(
        _ pair: Pair, _ credential: AuthenticatorData.AttestedCredential, isBackupEligible: Bool
    ) throws {
        let bytes = try #require(pair.assertion["authenticatorData"])
        let clientData = try #require(pair.assertion["clientDataJSON"])
        let flags = AuthenticatorData.Flags(rawValue: bytes[32])
        let assertion = PasskeyAssertion(
            credentialID: credential.id, clientDataJSON: clientData, authenticatorData: bytes,
            signature: try #require(pair.assertion["signature"]))
        let known = PasskeyAssertion.Known(
            credentialID: credential.id, publicKey: credential.publicKeyBytes, signCount: 0,
            isBackupEligible: flags.contains(.backupEligible))
        let json = String(decoding: clientData, as: UTF8.self)
        let challenge = try #require(pair.assertion["challenge"])
        do throws(WebAuthnError) {
            _ = try assertion.verified(by: known, challenge: challenge, relyingParty: Self.site)
            #expect(flags.isSuperset(of: [.userPresent, .userVerified]))
        } catch {
            let expected: WebAuthnError.Code? =
                if json.contains(#""crossOrigin":true"#) || json.contains(#""topOrigin""#) {
                    .crossOrigin
                } else if !flags.contains(.userPresent) {
                    .userNotPresent
                } else if !flags.contains(.userVerified) { .userNotVerified } else { nil }
            #expect(error.code == expected, "\(error)")
        }
        // The signature has to be valid even where this page's rules are stricter.
        let signed = bytes + Array(Self.digest(clientData))
        #expect(credential.publicKey.isValid(assertion.signature, for: signed))
    }
}
