import Clocks
import Crypto
import Encodings
import Foundation
import Messages
import Secrets
import TestSupport
import Testing

@testable import DeviceTrust

@Suite(
    "Against a phone and a broker in Python, written from the documentation",
    .needsPeers)
struct PairingPeerTests {
    /// The pairings here are of one fixed day.
    private let now: JSONValue = .string(PairingStage.begin.description)

    private func randomHex(_ count: Int) -> JSONValue {
        VectorMaker.hex(SymmetricKey(size: .init(bitCount: count * 8)).withUnsafeBytes { Array($0) })
    }

    private func uuid() -> JSONValue { .string(UUID().uuidString.lowercased()) }

    @Test("200 random pairings have the same transcript, proofs, words and secrets on both sides")
    func pairings() async throws {
        let peer = try PythonPeer()
        defer { peer.end() }
        for number in 1...200 {
            let given: JSONValue = [
                "server_id": uuid(), "server_key": VectorMaker.hex(privateKey()),
                "server_ephemeral_key": VectorMaker.hex(privateKey()), "server_nonce": randomHex(16),
                "attempt": randomHex(16), "device_id": uuid(), "device_key": VectorMaker.hex(privateKey()),
                "device_ephemeral_key": VectorMaker.hex(privateKey()), "device_nonce": randomHex(16),
                "device_share_key": VectorMaker.hex(privateKey()), "server_share_key": VectorMaker.hex(privateKey()),
                "device_name": .string(["Telephone", "Zoë’s “phone” \\ /", "电话 📱", "a\"b"][number % 4]),
                "code": .string(PairingCode(session: number * 49).written.revealed()),
                "endpoint": "https://127.0.0.1:8765", "tls_sha256": randomHex(32),
                "created_at": "2026-11-21T10:00:00.000Z", "expires_at": "2026-11-21T10:05:00.000Z",
            ]
            let mine = try await VectorMaker.pairing(given)
            let theirs = try peer.ask(["do": "pairing", "given": given])
            for name in ["begin", "offer", "transcript", "answer", "words", "finish", "shared_secret", "token"] {
                #expect(theirs[name] == mine[name], "\(name) of \(given.compactText())")
            }
            for name in ["attempt", "hello", "device_share", "code_proof"] {
                #expect(theirs["claim"]?[name] == mine["claim"]?[name])
            }
            let payload = try PairingPayload(Secret(try #require(theirs["uri"]?.stringValue)))
            #expect(
                try peer.ask(["do": "uri", "uri": mine["uri"] ?? .null])
                    == (try JSONReader.read(payload.json.revealed())))
        }
    }

    @Test("50 random rotations and approvals are the same on both sides")
    func others() async throws {
        let peer = try PythonPeer()
        defer { peer.end() }
        for number in 1...50 {
            let rotation: JSONValue = [
                "device_id": uuid(), "shared_secret": .string(Base64URL.encode(privateKey())),
                "device_ephemeral_key": VectorMaker.hex(privateKey()), "device_nonce": randomHex(16),
                "server_ephemeral_key": VectorMaker.hex(privateKey()), "server_nonce": randomHex(16),
            ]
            #expect(try peer.ask(["do": "rotation", "given": rotation]) == VectorMaker.rotation(rotation))
            let approval: JSONValue = [
                "server_id": uuid(), "device_id": uuid(), "device_key": VectorMaker.hex(privateKey()),
                "request_id": uuid(), "bank_id": .string("bänk “\(number)”"), "month": .number(Double(1 + number % 12)),
                "year": 2026, "nonce": randomHex(16), "issued_at": "2026-11-21T10:00:00.123Z",
                "approval_expires_at": "2026-11-21T10:05:00.123Z", "script": randomHex(32),
                "verified_by": [["passkey"], ["passphrase"], ["passkey", "passphrase"]][number % 3],
                "lease_seconds": 0,
            ]
            let mine = try await VectorMaker.approval(approval)
            let theirs = try peer.ask(["do": "approval", "given": approval])
            for name in ["device_pubkey", "summary", "challenge"] { #expect(theirs[name] == mine[name]) }
        }
    }

    @Test("their phone pairs with our broker, signs an approval that we accept, and rotates")
    func theirPhone() async throws {
        let peer = try PythonPeer()
        defer { peer.end() }
        let stage = try PairingStage()
        let begin = try peer.ask([
            "do": "phone begin", "name": "Python", "code": .string(stage.code.written.revealed()),
        ])
        let broker = try stage.broker(hearing: try #require(begin["begin"]))
        let claim = try peer.ask(["do": "phone claim", "offer": broker.offer.json, "now": now])
        let claimed = try broker.claim(try #require(claim["claim"]))
        #expect(claim["words"]?.stringValue == claimed.words.description)
        let finish = try peer.ask(["do": "phone finish", "answer": claimed.answer])
        try claimed.checkFinish(try #require(finish["finish"]))
        #expect(finish["token"]?.stringValue == claimed.credentials.token.revealed())
        #expect(finish["shared_secret"]?.stringValue == claimed.credentials.sharedSecret.revealed())

        let envelope = RequestEnvelope(
            bankID: "default", period: MonthYear(month: 3, year: 2026)!, issuedAt: PairingStage.begin,
            approvalExpiresAt: PairingStage.end)
        let answer = try peer.ask([
            "do": "phone approve", "server_id": .string(stage.id.description),
            "request_id": .string(envelope.requestID.description), "envelope": Self.json(envelope),
            "script": .string(String(repeating: "0f", count: 32)), "verified_by": ["passkey"], "lease_seconds": 0,
        ])
        let approval = try SignedApproval(json: try #require(answer["approval"]))
        let hello = claimed.hello
        _ = try approval.verified(
            envelope: envelope, device: hello.deviceID, key: hello.publicKey, server: stage.id)

        let message = try #require(try peer.ask(["do": "phone rotate"])["message"])
        let rotation = try BrokerRotation(
            message: message, deviceID: hello.deviceID, secret: claimed.credentials.sharedSecret)
        let rotated = try peer.ask(["do": "phone rotated", "answer": rotation.answer])
        #expect(rotated["token"]?.stringValue == rotation.credentials.token.revealed())
        #expect(rotated["shared_secret"]?.stringValue == rotation.credentials.sharedSecret.revealed())
    }

    @Test("our phone pairs with their broker, which accepts only our approval, and rotates")
    func theirBroker() async throws {
        let peer = try PythonPeer()
        defer { peer.end() }
        let code = PairingCode(session: 4)
        let key = VaultDeviceKey()
        let phone = try PhonePairing(name: "Swift", key: key)
        let identity = try peer.ask([
            "do": "broker open", "session": 4, "code": .string(code.written.revealed()), "tls_sha256": nil,
            "created_at": .string(PairingStage.begin.description), "expires_at": .string(PairingStage.end.description),
        ])
        let offer = try #require(try peer.ask(["do": "broker begin", "begin": phone.begin, "now": now])["offer"])
        let claim = try await phone.claim(
            offer, code: code, payload: nil, connection: .plain, at: PairingStage.begin.date)
        #expect(claim.server.id.description == identity["server_id"]?.stringValue)
        let answer = try peer.ask(["do": "broker claim", "claim": claim.message, "now": now])
        try claim.check(try #require(answer["answer"]))
        #expect(answer["words"]?.stringValue == claim.words.description)
        #expect(answer["token"]?.stringValue == claim.credentials.token.revealed())
        #expect(answer["shared_secret"]?.stringValue == claim.credentials.sharedSecret.revealed())
        #expect(try peer.ask(["do": "broker finish", "finish": claim.finish])["status"] == "DONE")

        let envelope = RequestEnvelope(
            bankID: "default", period: MonthYear(month: 3, year: 2026)!, issuedAt: PairingStage.begin,
            approvalExpiresAt: PairingStage.end)
        let approval = try await ApprovalSummary(
            envelope: envelope, deviceID: phone.hello.deviceID, script: String(repeating: "0f", count: 32),
            verifiedBy: [.passkey, .passphrase]
        ).signed(for: claim.server.id, with: key)
        var other = envelope
        other.period = MonthYear(month: 4, year: 2026)!
        for (known, isValid) in [(envelope, true), (other, false)] {
            let verdict = try peer.ask([
                "do": "broker verify", "device_pubkey": .string(key.publicKey.description),
                "server_id": .string(claim.server.id.description),
                "request_id": .string(envelope.requestID.description), "envelope": Self.json(known),
                "approval": approval.json,
            ])
            #expect(verdict["valid"] == .bool(isValid))
        }

        let rotation = PhoneRotation(deviceID: phone.hello.deviceID, secret: claim.credentials.sharedSecret)
        let rotated = try peer.ask([
            "do": "broker rotate", "device_id": .string(phone.hello.deviceID.description),
            "shared_secret": .string(claim.credentials.sharedSecret.revealed()), "message": rotation.message,
        ])
        let credentials = try rotation.credentials(answer: try #require(rotated["answer"]))
        #expect(rotated["token"]?.stringValue == credentials.token.revealed())
    }

    @Test("a phone with a wrong code is refused by their broker, and a broker without the code by their phone")
    func wrongCodes() async throws {
        let peer = try PythonPeer()
        defer { peer.end() }
        let stage = try PairingStage()
        let other = PairingCode(session: 17)
        let begin = try peer.ask(["do": "phone begin", "name": "Python", "code": .string(other.written.revealed())])
        let broker = try stage.broker(hearing: try #require(begin["begin"]))
        let claim = try #require(try peer.ask(["do": "phone claim", "offer": broker.offer.json, "now": now])["claim"])
        #expect(code { try broker.claim(claim) } == .wrongCode)
        let answer: JSONValue = ["broker_proof": .string(Base64URL.encode(privateKey())), "status": "CLAIMED"]
        #expect(try peer.ask(["do": "phone finish", "answer": answer])["error"] != nil)

        _ = try peer.ask([
            "do": "broker open", "session": 17, "code": .string(other.written.revealed()), "tls_sha256": nil,
            "created_at": .string(PairingStage.begin.description), "expires_at": .string(PairingStage.end.description),
        ])
        let offer = try #require(try peer.ask(["do": "broker begin", "begin": stage.phone.begin, "now": now])["offer"])
        let ours = try await stage.claim(offer, connection: .plain)
        #expect(try peer.ask(["do": "broker claim", "claim": ours.message, "now": now])["error"] != nil)
    }

    private func privateKey() -> [UInt8] { AgreementPrivateKey().secret.withUnsafeBytes { Array($0) } }

    private static func json(_ envelope: RequestEnvelope) -> JSONValue {
        [
            "bank_id": .string(envelope.bankID), "month": .number(Double(envelope.period.month)),
            "year": .number(Double(envelope.period.year)), "nonce": .string(envelope.nonce.description),
            "issued_at": .string(envelope.issuedAt.description),
            "approval_expires_at": .string(envelope.approvalExpiresAt.description),
        ]
    }
}
