import Clocks
import Encodings
import Foundation
import Messages
import Secrets
import Testing

@testable import Signer

@Suite("A proof of the shared secret")
struct SecretProofTests {
    private static let nonce = Nonce("00112233445566778899aabbccddeeff")!

    @Test("is the signature over nonce and side", arguments: [SecretProof.Side.phone, .broker])
    func bytes(side: SecretProof.Side) {
        let payload = #"{"nonce":"00112233445566778899aabbccddeeff","side":"\#(side.rawValue)"}"#
        let proof = SecretProof.signature(by: side, of: Self.nonce, with: secret)
        #expect(proof == secret.signature(of: Array(payload.utf8)))
        #expect(SecretProof.isValid(proof, by: side, of: Self.nonce, with: secret))
    }

    @Test("is worth nothing from the other side, for another nonce, with another secret, or spelled otherwise")
    func refused() throws {
        let proof = SecretProof.signature(by: .phone, of: Self.nonce, with: secret)
        let other = try SharedSecret(Secret("another shared secret of thirty-two bytes"))
        #expect(!SecretProof.isValid(proof, by: .broker, of: Self.nonce, with: secret))
        #expect(!SecretProof.isValid(proof, by: .phone, of: Nonce(), with: secret))
        #expect(!SecretProof.isValid(proof, by: .phone, of: Self.nonce, with: other))
        for wrong in ["", "no base64url!", proof + "=", String(proof.dropLast(4)), proof + "AAAA"] {
            #expect(!SecretProof.isValid(wrong, by: .phone, of: Self.nonce, with: secret), "\(wrong)")
        }
    }
}

@Suite("The limits of signed messages")
struct SignedLimitTests {
    @Test("a secret has at least 32 bytes", arguments: [(31, false), (32, true), (33, true)])
    func length(bytes: Int, isEnough: Bool) {
        let text = Secret(String(repeating: "é", count: bytes / 2) + String(repeating: "x", count: bytes % 2))
        #expect(text.count == bytes)
        #expect(((try? SharedSecret(text)) != nil) == isEnough)
        if !isEnough {
            #expect(throws: SignatureError.secretTooShort(bytes)) { try SharedSecret(text) }
        }
    }

    @Test(
        "the broker's clock may be a minute ahead, and no more",
        arguments: [
            (-60.0, true), (-60.001, false), (-61, false), (299, true), (299.999, true), (300, false), (301, false),
        ])
    func clocks(seconds: TimeInterval, isValid: Bool) {
        let now = issued.addingTimeInterval(seconds)
        let verified = try? anEnvelope(expiresIn: 300).signed(with: secret).verified(with: secret, at: now)
        #expect((verified != nil) == isValid)
    }

    @Test("what was verified keeps its signature")
    func signatures() throws {
        let envelope = try anEnvelope().signed(with: secret).verified(with: secret, at: issued)
        #expect(envelope.signature == envelope.signed.json["signature"]?.stringValue && envelope.signature.count == 43)
        let id = RequestID()
        let manifest = try CompletionManifest(
            requestID: id, filename: "\(id)-jan-2026.pdf", sha256: String(repeating: "0f", count: 32), bytes: 7,
            completedAt: Timestamp(issued)
        ).signed(with: secret).verified(with: secret)
        #expect(manifest.signature == manifest.signed.json["signature"]?.stringValue && manifest.signature.count == 43)
    }

    @Test("a message without a signature, or that is not an object, is refused")
    func unsigned() throws {
        var members = try #require(anEnvelope().signed(with: secret).json.objectValue)
        members["signature"] = nil
        for json in [JSONValue.object(members), 1, .null] {
            let errors = [
                #expect(throws: MessageError.self) {
                    try SignedEnvelope(json: json).verified(with: secret, at: issued)
                },
                #expect(throws: MessageError.self) { try SignedManifest(json: json).verified(with: secret) },
                #expect(throws: MessageError.self) { try SignedClosing(json: json).verified(with: secret) },
            ]
            let code: MessageError.Code = json.objectValue == nil ? .malformed : .badSignature
            #expect(errors.map { $0?.code } == [code, code, code])
        }
    }
}
