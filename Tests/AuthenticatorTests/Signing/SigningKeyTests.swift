import Crypto
import CryptoExtras
import Encodings
import Foundation
import Secrets
import TestSupport
import Testing

@testable import Authenticator

@Suite("Web tokens that a private key signs")
struct SigningKeyTests {
    /// The seed of RFC 8037, appendix A.1, in PKCS #8.
    private static let ed25519 =
        "-----BEGIN PRIVATE KEY-----\n"
        + Data(
            [0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20]
                + Base64URL.decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A")!
        ).base64EncodedString() + "\n-----END PRIVATE KEY-----\n"

    private static let p256 = P256.Signing.PrivateKey().pemRepresentation
    private static let rsa = try? _RSA.Signing.PrivateKey(keySize: .bits2048).pemRepresentation

    fileprivate static func pem(_ algorithm: SigningKey.Algorithm) throws -> String {
        switch algorithm {
        case .rs256: try #require(rsa)
        case .es256: p256
        case .eddsa: ed25519
        }
    }

    @Test("an Ed25519 key signs as RFC 8037, appendix A.4, does")
    func vector() throws {
        let key = try Curve25519.Signing.PrivateKey(
            rawRepresentation: Base64URL.decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A")!)
        let token = try SigningKey(pem: Secret(Self.ed25519), for: .eddsa).token(header: [:], claims: ["a": 1])
        let parts = token.revealed().split(separator: ".").map(String.init)
        #expect(parts.count == 3)
        #expect(
            key.publicKey.isValidSignature(
                Base64URL.decode(parts[2])!, for: Array("\(parts[0]).\(parts[1])".utf8)))
        #expect(
            Base64URL.encode(key.publicKey.rawRepresentation) == "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")
        #expect(String(decoding: Base64URL.decode(parts[0])!, as: UTF8.self) == #"{"alg":"EdDSA","typ":"JWT"}"#)
        #expect(String(decoding: Base64URL.decode(parts[1])!, as: UTF8.self) == #"{"a":1}"#)
    }

    @Test(
        "a key is read with its lines, in one line, and with “\\n” for a line break",
        arguments: SigningKey.Algorithm.allCases)
    func lines(algorithm: SigningKey.Algorithm) throws {
        let pem = try Self.pem(algorithm)
        for text in [
            pem, pem.replacing("\n", with: " "), pem.replacing("\n", with: "\\n"), pem.replacing("\n", with: "\r\n"),
            "  " + pem.replacing("\n", with: ""),
        ] {
            let key = try SigningKey(pem: Secret(text), for: algorithm)
            #expect(try key.token(header: [:], claims: [:]).revealed().split(separator: ".").count == 3)
        }
    }

    @Test("another key than the algorithm's is refused with what to do, and without the key")
    func wrong() throws {
        let small = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"
        let encrypted = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----"
        let old = "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIB\n-----END EC PRIVATE KEY-----"
        let cases: [(String, SigningKey.Algorithm, String)] = [
            (Self.p256, .rs256, "RSA key of at least 2048 bits"), (Self.p256, .eddsa, "Ed25519"),
            (try Self.pem(.rs256), .es256, "P-256"), (Self.ed25519, .es256, "P-256"), (small, .es256, "P-256"),
            (small, .rs256, "RSA"), (encrypted, .es256, "openssl pkey"), (old, .es256, "openssl pkey"),
            ("my password", .es256, "BEGIN PRIVATE KEY"), ("", .eddsa, "BEGIN PRIVATE KEY"),
            ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", .es256, "BEGIN PRIVATE KEY"),
        ]
        for (text, algorithm, words) in cases {
            let error = try #require(throws: SigningKeyError.self) {
                try SigningKey(pem: Secret(text), for: algorithm)
            }
            #expect("\(error)".contains(words), "\(error)")
            #expect(!"\(error)".contains("MIIB"))
        }
    }
}

@Suite("Web tokens, verified by others", .needsPeers)
struct SigningKeyPeerTests {
    @Test("PyJWT and joserfc verify them", arguments: SigningKey.Algorithm.allCases)
    func verified(algorithm: SigningKey.Algorithm) async throws {
        let pem = try SigningKeyTests.pem(algorithm)
        let key = try SigningKey(pem: Secret(pem), for: algorithm)
        let tokens = try (0..<20).map { number in
            try key.token(
                header: ["kid": .string("key \(number)")],
                claims: ["iss": "Zoë & sons", "iat": 1_700_000_000, "exp": 4_000_000_000, "n": .number(Double(number))]
            ).revealed()
        }
        let input: JSONValue = [
            "key": .string(pem), "algorithm": .string(algorithm.rawValue),
            "tokens": .array(tokens.map(JSONValue.string)),
        ]
        let outcome = try await Peers.run(script: "web_tokens.py", input: Data(try input.canonicalBytes()))
        #expect(outcome.text == "20 by PyJWT, 20 by joserfc\n")
    }
}
