import Foundation
import TestServers
import Testing

@testable import AttestedKeys

/// Documents under a root of our own, so that every rule can be broken by itself.
@Suite("Nitro: documents of our own root") struct NitroEvidenceVerifierTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private static func flaw(_ error: EvidenceError?) -> String {
        switch error {
        case nil: "none"
        case .malformed: "malformed"
        case .badSignature: "signature"
        case .unknownSigner: "signer"
        case .untrustedCertificate: "certificate"
        case .debugMode: "debug"
        }
    }

    @Test("a right document states its image, its registers, the nonce and the key")
    func right() async throws {
        let authority = try NitroAuthority(at: Self.now)
        let document = try authority.document(.init(at: Self.now, nonce: [5], publicKey: [6]))
        let evidence = await NitroEvidenceVerifier(rootDigest: authority.rootDigest).examine(document, at: Self.now)
        #expect(evidence.flaw == nil)
        let claims = try #require(evidence.claims)
        #expect(claims.runtime == "nitro" && claims.nonce == [5] && claims.publicKey == [6])
        #expect(claims.measurement == String(repeating: "a1", count: 48))
        #expect(claims.registers[8] == String(repeating: "8c", count: 48))
        #expect(claims.issuedAt == Self.now)
        #expect(try NitroEvidenceVerifier.measurement(in: document) == claims.measurement)
    }

    @Test(
        "each rule is kept",
        arguments: [
            ("AWS's root is pinned", "certificate"), ("another chain", "certificate"),
            ("four hours later", "certificate"),
            ("ten minutes before", "certificate"), ("an issuer that is not an authority", "certificate"),
            ("a leaf that may not sign", "certificate"), ("debug mode", "debug"), ("a debug image alone", "none"),
        ])
    func rules(_ broken: String, _ expected: String) async throws {
        let authority = try NitroAuthority(
            at: Self.now, intermediateIsAuthority: broken != "an issuer that is not an authority",
            leafMaySign: broken != "a leaf that may not sign")
        var statement = NitroAuthority.Statement(at: Self.now)
        if broken == "debug mode" {
            for register in 0...2 { statement.registers[register] = .init(repeating: 0, count: 48) }
        }
        // AWS zeroes all three; one that is zero by itself is a matter for the list of measurements.
        if broken == "a debug image alone" { statement.registers[0] = .init(repeating: 0, count: 48) }
        let signer = broken == "another chain" ? try NitroAuthority(at: Self.now) : authority
        let verifier =
            broken == "AWS's root is pinned"
            ? NitroEvidenceVerifier() : NitroEvidenceVerifier(rootDigest: authority.rootDigest)
        let offset: TimeInterval = ["four hours later": 14_400, "ten minutes before": -600][broken] ?? 0
        let evidence = await verifier.examine(try signer.document(statement), at: Self.now.addingTimeInterval(offset))
        #expect(Self.flaw(evidence.flaw) == expected, "\(String(describing: evidence.flaw))")
    }

    @Test("one changed bit is refused, wherever it is")
    func everyByte() async throws {
        let authority = try NitroAuthority(at: Self.now)
        let verifier = NitroEvidenceVerifier(rootDigest: authority.rootDigest)
        let document = try authority.document(.init(at: Self.now, nonce: [5], publicKey: [6]))
        var accepted: [Int] = []
        for index in document.indices {
            var changed = document
            changed[index] ^= 1 << UInt8(index % 8)
            if await verifier.examine(changed, at: Self.now).flaw == nil { accepted.append(index) }
        }
        #expect(accepted.isEmpty)
    }

    @Test("the module's messages are those of its interface")
    func messages() throws {
        // {"Attestation": {"nonce": h'05', "user_data": null, "public_key": h'06'}}
        #expect(
            NitroModuleMessage.attestation(nonce: [5], publicKey: [6])
                == [0xA1, 0x6B] + Array("Attestation".utf8) + [0xA3, 0x65] + Array("nonce".utf8) + [0x41, 5, 0x69]
                + Array("user_data".utf8) + [0xF6, 0x6A] + Array("public_key".utf8) + [0x41, 6])
        #expect(
            try NitroModuleMessage.document(
                in: [0xA1, 0x6B] + Array("Attestation".utf8) + [0xA1, 0x68] + Array("document".utf8) + [0x42, 7, 8])
                == [7, 8])
        let refusal = [0xA1, 0x65] + Array("Error".utf8) + [0x6B] + Array("InputTooBig".utf8)
        #expect {
            try NitroModuleMessage.document(in: refusal)
        } throws: {
            "\($0)".contains("InputTooBig")
        }
        for response: [UInt8] in [[], [0xA0], [0xF6], Array("text".utf8)] {
            #expect(throws: EvidenceError.self) { try NitroModuleMessage.document(in: response) }
        }
    }
}
