import Clocks
import Encodings
import Foundation
import Messages
import Secrets
import Testing

@testable import Signer

let secret = try! SharedSecret(Secret("a shared secret of more than thirty-two bytes"))
let issued = Date(timeIntervalSince1970: 1_770_000_000)

func anEnvelope(expiresIn seconds: TimeInterval = 300) -> RequestEnvelope {
    RequestEnvelope(
        bankID: "default", period: MonthYear(month: 1, year: 2026)!, issuedAt: Timestamp(issued),
        approvalExpiresAt: Timestamp(issued.addingTimeInterval(seconds)))
}

@Suite("A request envelope")
struct EnvelopeTests {
    @Test("is what was signed")
    func roundTrip() throws {
        let envelope = anEnvelope()
        let verified = try envelope.signed(with: secret).verified(with: secret, at: issued)
        #expect(verified.envelope == envelope)
    }

    @Test("has the specification's members and nothing else")
    func members() throws {
        let members = try #require(anEnvelope().signed(with: secret).json.objectValue)
        #expect(
            Set(members.keys) == [
                "version", "request_id", "type", "bank_id", "params", "issued_at", "approval_expires_at", "nonce",
                "signature",
            ])
        #expect(members["params"] == ["month": 1, "year": 2026])
    }

    @Test("has version 2 and one more member with the agent's reason, which is signed")
    func reason() throws {
        var envelope = anEnvelope()
        envelope.reason = AgentReason("the tax return")
        let signed = envelope.signed(with: secret)
        #expect(signed.json["version"] == "2" && signed.json["reason"] == "the tax return")
        #expect(try signed.verified(with: secret, at: issued).envelope == envelope)
        var members = try #require(signed.json.objectValue)
        members["reason"] = "the tax return!"
        var error = try #require(throws: MessageError.self) {
            try SignedEnvelope(json: .object(members)).verified(with: secret, at: issued)
        }
        #expect(error.code == .badSignature)
        // Version 1 has no such member, and a reason is not empty.
        for (name, value, code) in [
            ("version", "1", MessageError.Code.unknownVersion), ("reason", "", .malformed), ("reason", 7, .malformed),
        ] as [(String, JSONValue, MessageError.Code)] {
            members = try #require(signed.json.objectValue)
            members[name] = value
            let resigned = SignedEnvelope(json: try secret.signed(members))
            error = try #require(throws: MessageError.self) { try resigned.verified(with: secret, at: issued) }
            #expect(error.code == code)
        }
    }

    @Test("is refused after any change of a single bit")
    func bits() throws {
        let bytes = try anEnvelope().signed(with: secret).json.canonicalBytes()
        var refused = 0
        for position in 0..<bytes.count * 8 {
            var changed = bytes
            changed[position / 8] ^= 1 << (position % 8)
            guard let json = try? JSONReader.read(changed) else {
                refused += 1
                continue
            }
            #expect(throws: MessageError.self, "bit \(position)") {
                try SignedEnvelope(json: json).verified(with: secret, at: issued)
            }
            refused += 1
        }
        #expect(refused == bytes.count * 8)
    }

    @Test(
        "is refused with a reason",
        arguments: [
            ("version", "2", MessageError.Code.unknownVersion), ("type", "transfer", .malformed),
            ("request_id", "42", .malformed), ("nonce", "ABC", .malformed), ("issued_at", "yesterday", .malformed),
            ("params", ["month": 13, "year": 2026], .malformed), ("params", ["month": 1], .malformed),
            ("params", ["month": 1, "year": 2026, "account": "x"], .malformed), ("bank_id", nil, .malformed),
        ] as [(String, JSONValue, MessageError.Code)])
    func fields(name: String, value: JSONValue, code: MessageError.Code) throws {
        var members = try #require(anEnvelope().signed(with: secret).json.objectValue)
        members[name] = value
        let resigned = SignedEnvelope(json: try secret.signed(members))
        let error = try #require(throws: MessageError.self) { try resigned.verified(with: secret, at: issued) }
        #expect(error.code == code)
    }

    @Test("is refused when it has expired, or comes from the future")
    func times() throws {
        let signed = anEnvelope().signed(with: secret)
        #expect(throws: Never.self) { try signed.verified(with: secret, at: issued.addingTimeInterval(299)) }
        let late = try #require(throws: MessageError.self) {
            try signed.verified(with: secret, at: issued.addingTimeInterval(300))
        }
        #expect(late.code == .expired)
        let early = try #require(throws: MessageError.self) {
            try signed.verified(with: secret, at: issued.addingTimeInterval(-61))
        }
        #expect(early.code == .notYetValid)
    }

    @Test("signs unknown members too")
    func unknownMembers() throws {
        var members = try #require(anEnvelope().signed(with: secret).json.objectValue)
        members["note"] = "added on the way"
        #expect(throws: MessageError.self) {
            try SignedEnvelope(json: .object(members)).verified(with: secret, at: issued)
        }
    }

    @Test("needs a secret of at least 32 bytes")
    func shortSecret() {
        #expect(throws: SignatureError.secretTooShort(31)) {
            try SharedSecret(Secret(String(repeating: "x", count: 31)))
        }
        #expect(throws: Never.self) { try SharedSecret(Secret(String(repeating: "x", count: 32))) }
    }
}

@Suite("A completion manifest")
struct ManifestTests {
    private func aManifest() -> CompletionManifest {
        let id = RequestID()
        return CompletionManifest(
            requestID: id, filename: "\(id)-jan-2026.pdf", sha256: String(repeating: "a", count: 64), bytes: 12,
            completedAt: Timestamp(issued))
    }

    @Test("is what was signed")
    func roundTrip() throws {
        let manifest = aManifest()
        #expect(try manifest.signed(with: secret).verified(with: secret).manifest == manifest)
    }

    @Test("is refused after any change of a single bit")
    func bits() throws {
        let bytes = aManifest().signed(with: secret).bytes
        for position in 0..<bytes.count * 8 {
            var changed = bytes
            changed[position / 8] ^= 1 << (position % 8)
            guard let json = try? JSONReader.read(changed) else { continue }
            #expect(throws: MessageError.self, "bit \(position)") {
                try SignedManifest(json: json).verified(with: secret)
            }
        }
    }

    @Test(
        "names a PDF of its own request in the inbox, and nothing else",
        arguments: ["../x.pdf", "/etc/passwd", "x.pdf", "", "a\u{0}b.pdf", "..", "statement-jan-2026.pdf"])
    func names(filename: String) throws {
        var manifest = aManifest()
        manifest.filename = filename
        #expect(throws: MessageError.self) { try manifest.signed(with: secret).verified(with: secret) }
    }
}
