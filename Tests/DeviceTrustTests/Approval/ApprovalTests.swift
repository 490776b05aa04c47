import Clocks
import Crypto
import DeviceTrust
import Encodings
import Foundation
import Messages
import Secrets
import Testing

@Suite("A signed approval")
struct ApprovalTests {
    let server = ServerID()
    let device = DeviceID()
    let key = VaultDeviceKey()
    let script = String(repeating: "ab", count: 32)
    let envelope = RequestEnvelope(
        bankID: "default", period: MonthYear(month: 1, year: 2026)!,
        issuedAt: Timestamp("2026-11-21T10:00:00.000Z")!, approvalExpiresAt: Timestamp("2026-11-21T10:05:00.000Z")!)

    private func approval() async throws -> SignedApproval {
        try await ApprovalSummary(
            envelope: envelope, deviceID: device, script: script, verifiedBy: [.passkey, .passphrase]
        ).signed(for: server, with: key)
    }

    @Test("is accepted by a broker that knows the same request, also after a JSON round trip")
    func valid() async throws {
        let read = try SignedApproval(json: try JSONReader.read(try await approval().json.compactText()))
        let summary = try read.verified(envelope: envelope, device: device, key: key.publicKey, server: server)
        #expect(summary.verifiedBy == [.passkey, .passphrase])
        #expect(summary.json["verified_by"] == ["passkey", "passphrase"])
    }

    @Test("is 72 bytes of fixed parts; the last eight are the expiry in milliseconds")
    func challenge() throws {
        let summary = ApprovalSummary(envelope: envelope, deviceID: device, script: script, verifiedBy: [.passkey])
        let bytes = summary.challenge(of: server)
        #expect(bytes.count == 72)
        #expect(bytes[..<16].map { String(format: "%02x", $0) }.joined() == server.description.replacing("-", with: ""))
        #expect(bytes[32..<64].elementsEqual(SHA256.hash(data: try summary.json.canonicalBytes())))
        #expect(bytes[64...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } == 1_795_255_500_000)
    }

    @Test("is invalid for another request, summary, expiry, device, key or broker")
    func others() async throws {
        let approval = try await approval()
        var request = envelope
        request.requestID = RequestID()
        var month = envelope
        month.period = MonthYear(month: 2, year: 2026)!
        var bank = envelope
        bank.bankID = "other"
        var expiry = envelope
        expiry.approvalExpiresAt = Timestamp("2026-11-21T10:05:00.001Z")!
        var issue = envelope
        issue.issuedAt = Timestamp("2026-11-21T10:00:00.001Z")!
        var nonce = envelope
        nonce.nonce = Nonce()
        for other in [request, month, bank, expiry, issue, nonce] {
            #expect(
                code { try approval.verified(envelope: other, device: device, key: key.publicKey, server: server) }
                    == .badSignature)
        }
        let otherKey = VaultDeviceKey().publicKey
        #expect(
            code { try approval.verified(envelope: envelope, device: device, key: otherKey, server: server) } != nil)
        #expect(
            code { try approval.verified(envelope: envelope, device: DeviceID(), key: key.publicKey, server: server) }
                != nil)
        #expect(
            code { try approval.verified(envelope: envelope, device: device, key: key.publicKey, server: ServerID()) }
                != nil)
    }

    @Test(
        "is refused when one of its members is changed",
        arguments: [
            ("device_id", JSONValue.string(DeviceID().description)),
            ("script", .string(String(repeating: "0", count: 64))),
            ("verified_by", ["passkey"]), ("lease_seconds", 60),
            ("script", .string(String(repeating: "AB", count: 32))),
            ("verified_by", ["passphrase", "passkey"]), ("verified_by", []), ("verified_by", ["passkey", "passkey"]),
            ("verified_by", ["device_signature"]), ("lease_seconds", -1), ("lease_seconds", 86_401),
            ("signature", "AAAA"), ("signature", .string(Base64URL.encode([UInt8](repeating: 0, count: 64)))),
            ("more", 1),
        ] as [(String, JSONValue)])
    func changed(member: String, value: JSONValue) async throws {
        let json = try await approval().json.setting(member, to: value)
        #expect(throws: TrustError.self) {
            try SignedApproval(json: json).verified(
                envelope: envelope, device: device, key: key.publicKey, server: server)
        }
    }

    @Test("of several documents says so, in version 2")
    func documents() async throws {
        let months = try #require(DocumentSelection(periods: (1...2).map { MonthYear(month: $0, year: 2026)! }))
        let asked = RequestEnvelope(
            bankID: "default", subject: .documents(months), issuedAt: envelope.issuedAt,
            approvalExpiresAt: envelope.approvalExpiresAt, client: AgentName("books"))
        let summary = ApprovalSummary(envelope: asked, deviceID: device, script: script, verifiedBy: [.passkey])
        #expect(summary.json["version"] == "2" && summary.json["type"] == "documents")
        #expect(summary.json["client"] == "books")
        let approval = try await summary.signed(for: server, with: key)
        #expect(approval.json["version"] == "2")
        let read = try SignedApproval(json: try JSONReader.read(approval.json.compactText()))
        #expect(try read.verified(envelope: asked, device: device, key: key.publicKey, server: server) == summary)
        // Without its version it is an approval of version 1, which says something else.
        for version in [nil, "1", "3", 2] as [JSONValue?] {
            var members = approval.json.objectValue ?? [:]
            members["version"] = version
            #expect(throws: TrustError.self) {
                try SignedApproval(json: .object(members)).verified(
                    envelope: asked, device: device, key: key.publicKey, server: server)
            }
        }
        // Version 2 is not for a statement.
        let statement = ApprovalSummary(
            envelope: envelope, deviceID: device, script: script, verifiedBy: [.passkey], version: .two)
        let wrong = try await statement.signed(for: server, with: key)
        #expect(
            code { try wrong.verified(envelope: envelope, device: device, key: key.publicKey, server: server) }
                == .badSignature)
    }

    @Test("of several documents by a phone before version 2 is read as what it says: a statement's")
    func documentsInVersionOne() async throws {
        let months = try #require(DocumentSelection(periods: (1...2).map { MonthYear(month: $0, year: 2026)! }))
        let asked = RequestEnvelope(
            bankID: "default", subject: .documents(months), issuedAt: envelope.issuedAt,
            approvalExpiresAt: envelope.approvalExpiresAt)
        let signed = try await ApprovalSummary(
            envelope: asked, deviceID: device, script: script, verifiedBy: [.passkey], version: .one
        ).signed(for: server, with: key)
        #expect(signed.json["version"] == nil)
        let summary = try SignedApproval(json: signed.json).verified(
            envelope: asked, device: device, key: key.publicKey, server: server)
        #expect(summary.json["type"] == "statement" && summary.json["version"] == "1")
        #expect(summary.json["params"] == asked.parameters)
    }

    @Test("is refused when it is encoded in DER")
    func der() async throws {
        let summary = ApprovalSummary(envelope: envelope, deviceID: device, script: script, verifiedBy: [.passkey])
        let signing = try key.secret.withUnsafeBytes { try P256.Signing.PrivateKey(rawRepresentation: $0) }
        let signature = try signing.signature(for: summary.challenge(of: server))
        #expect(DeviceSignature(Base64URL.encode(signature.rawRepresentation)) != nil)
        #expect(DeviceSignature(Base64URL.encode(signature.derRepresentation)) == nil)
    }

    @Test("with every single bit of its signature changed is refused")
    func bits() async throws {
        let approval = try await approval()
        let bytes = try #require(Base64URL.decode(approval.signature.description))
        for bit in 0..<512 {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            let json = approval.json.setting("signature", to: .string(Base64URL.encode(changed)))
            #expect(
                code {
                    try SignedApproval(json: json).verified(
                        envelope: envelope, device: device, key: key.publicKey, server: server)
                } == .badSignature)
        }
    }

    @Test("cannot be made once the vault has been closed")
    func closed() async throws {
        key.secret.wipe()
        #expect(await asyncCode { try await approval() } == .wrongKey)
    }
}

@Suite("A device's rotation")
struct RotationTests {
    @Test("gives both sides the same new credentials, which are not the old ones")
    func rotates() throws {
        let secret = Secret(String(repeating: "s", count: 43))
        let id = DeviceID()
        let phone = PhoneRotation(deviceID: id, secret: secret)
        let broker = try BrokerRotation(message: phone.message, deviceID: id, secret: secret)
        let credentials = try phone.credentials(answer: broker.answer)
        #expect(credentials.token.isEqual(to: broker.credentials.token))
        #expect(credentials.sharedSecret.isEqual(to: broker.credentials.sharedSecret))
        #expect(!credentials.sharedSecret.isEqual(to: secret))
        let other = try BrokerRotation(message: phone.message, deviceID: id, secret: secret)
        #expect(!other.credentials.token.isEqual(to: broker.credentials.token))
    }

    @Test("is refused by the phone when the sender lacks the old secret or a member was changed")
    func refused() throws {
        let secret = Secret(String(repeating: "s", count: 43))
        let id = DeviceID()
        let phone = PhoneRotation(deviceID: id, secret: secret)
        let answer = try BrokerRotation(message: phone.message, deviceID: id, secret: secret).answer
        let stranger = try BrokerRotation(
            message: phone.message, deviceID: id, secret: Secret(String(repeating: "t", count: 43)))
        let foreign = try BrokerRotation(message: phone.message, deviceID: DeviceID(), secret: secret)
        let again = try BrokerRotation(message: phone.message, deviceID: id, secret: secret).answer
        for bad in [stranger.answer, foreign.answer]
            + ["server_ephemeral", "nonce", "proof"].map({
                answer.exchanging([$0], with: again)
            })
        {
            #expect(code { try phone.credentials(answer: bad) } == .wrongProof)
        }
        for message in [answer, phone.message.setting("nonce", to: "x"), phone.message.setting("more", to: 1)] {
            #expect(code { try BrokerRotation(message: message, deviceID: id, secret: secret) } == .malformed)
        }
    }
}
