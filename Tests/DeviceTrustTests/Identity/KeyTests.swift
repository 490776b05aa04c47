import Crypto
import Encodings
import Foundation
import Secrets
import TestSupport
import Testing

@testable import DeviceTrust

@Suite("Keys and fingerprints")
struct KeyTests {
    @Test("a fingerprint is read with colons and without, in either case, and in no other form")
    func fingerprints() throws {
        let print = CertificateFingerprint(ofDER: Array("abc".utf8))
        #expect(print.hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(print.description.hasPrefix("ba:78:16:bf"))
        for text in [print.hex, print.description, print.hex.uppercased(), print.description.uppercased()] {
            #expect(CertificateFingerprint(text) == print)
        }
        for text in [
            "", String(print.hex.dropLast()), print.hex + "0", ":" + print.description, "g" + print.hex.dropFirst(),
            print.description.replacing(":", with: "-"), print.description.replacing("ba:", with: "b:a"),
        ] {
            #expect(CertificateFingerprint(String(text)) == nil)
        }
    }

    @Test("a public key has one spelling: the 65 bytes of a point on the curve")
    func publicKeys() throws {
        let key = VaultDeviceKey().publicKey
        #expect(DevicePublicKey(key.description) == key)
        #expect(AgreementPublicKey(key.description) != nil)
        let bytes = try #require(Base64URL.decode(key.description))
        var off = bytes
        off[64] ^= 1
        let compressed = [2 + (bytes[64] & 1)] + bytes[1..<33]
        for bad in [off, compressed, Array(bytes.dropLast()), [0], bytes + [0], [UInt8](repeating: 0, count: 65)] {
            #expect(DevicePublicKey(Base64URL.encode(bad)) == nil)
            #expect(AgreementPublicKey(Base64URL.encode(bad)) == nil)
        }
    }

    @Test("keys and signatures of other programs are read from PEM and DER")
    func foreignForms() async throws {
        let mine = P256.Signing.PrivateKey()
        let key = try #require(DevicePublicKey(pem: mine.publicKey.pemRepresentation))
        #expect(key == DevicePublicKey(mine.publicKey))
        let made = try mine.signature(for: [1, 2, 3])
        let signature = try #require(DeviceSignature(der: made.derRepresentation))
        #expect(key.isValid(signature, for: [1, 2, 3]) && !key.isValid(signature, for: [1, 2]))
        #expect(DeviceSignature(der: made.derRepresentation.dropLast()) == nil)
        #expect(DeviceSignature(der: made.rawRepresentation) == nil)
        #expect(DevicePublicKey(pem: "") == nil)
        #expect(DevicePublicKey(pem: P384.Signing.PrivateKey().publicKey.pemRepresentation) == nil)
    }

    @Test("a private key is restored from its bytes, and from no others")
    func privateKeys() throws {
        let key = AgreementPrivateKey()
        #expect(try AgreementPrivateKey(secret: key.secret).publicKey == key.publicKey)
        for size in [0, 31, 33] {
            #expect(throws: TrustError.self) {
                try VaultDeviceKey(secret: Secret(bytes: [UInt8](repeating: 1, count: size)))
            }
        }
        #expect(throws: TrustError.self) {
            try AgreementPrivateKey(secret: Secret(bytes: [UInt8](repeating: 0, count: 32)))
        }
    }
}

@Suite("Wycheproof", .needsVectors)
struct WycheproofSignatureTests {
    @Test("ECDSA on P-256 with SHA-256: raw signatures are judged as they are marked")
    func p1363() throws {
        let cases = try SignatureCase.all("ecdsa_secp256r1_sha256_p1363_test.json")
        var counts = [true: 0, false: 0]
        for test in cases {
            let signature = DeviceSignature(bytes: test.signature)
            let isValid = signature.map { test.key.isValid($0, for: test.message) } ?? false
            #expect(isValid == test.isValid, "\(test.id): \(test.comment)")
            counts[test.isValid, default: 0] += 1
        }
        print("Wycheproof P1363: \(counts[true] ?? 0) accepted, \(counts[false] ?? 0) refused")
        #expect(cases.count > 200)
    }

    @Test("ECDSA on P-256 with SHA-256: no signature in DER is accepted")
    func der() throws {
        let cases = try SignatureCase.all("ecdsa_secp256r1_sha256_test.json")
        for test in cases {
            let signature = DeviceSignature(bytes: test.signature)
            #expect(signature.map { test.key.isValid($0, for: test.message) } ?? false == false, "\(test.id)")
        }
        print("Wycheproof DER: \(cases.count) refused, \(cases.count(where: \.isValid)) of them valid in DER")
        #expect(cases.count > 400)
    }
}

/// A case of Project Wycheproof.
private struct SignatureCase {
    let id: Int
    let comment: String
    let key: DevicePublicKey
    let message: [UInt8]
    let signature: [UInt8]
    let isValid: Bool

    static func all(_ name: String) throws -> [SignatureCase] {
        let data = try Vectors.data("wycheproof/testvectors_v1/\(name)")
        let json = try JSONReader.read(data, limits: JSONLimits(size: 16 << 20))
        return try #require(json["testGroups"]?.arrayValue).flatMap { group in
            let point = try #require(group["publicKey"]?["uncompressed"]?.stringValue)
            let key = try #require(DevicePublicKey(Base64URL.encode(try bytes(point))))
            return try #require(group["tests"]?.arrayValue).map { test in
                SignatureCase(
                    id: test["tcId"]?.intValue ?? 0, comment: test["comment"]?.stringValue ?? "", key: key,
                    message: try bytes(test["msg"]?.stringValue), signature: try bytes(test["sig"]?.stringValue),
                    isValid: test["result"]?.stringValue == "valid")
            }
        }
    }

    private static func bytes(_ hex: String?) throws -> [UInt8] {
        let digits = Array(try #require(hex).utf8)
        return try stride(from: 0, to: digits.count, by: 2).map {
            try #require(UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16))
        }
    }
}
