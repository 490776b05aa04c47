import Clocks
import DeviceTrust
import Encodings
import Foundation
import Messages
import Testing

@Suite("The removal of a device")
struct DeviceRemovalTests {
    let server = ServerID()
    let device = DeviceID()
    let lost = DeviceID()
    let key = VaultDeviceKey()
    let now = Date(timeIntervalSince1970: 1_770_000_000)

    private func body() async throws -> JSONValue {
        try await DeviceRemoval(of: lost, by: device, verifiedBy: [.passkey, .deviceSignature], at: now)
            .signed(for: server, with: key)
    }

    private func read(_ body: JSONValue, after seconds: TimeInterval = 0) throws(TrustError) -> DeviceRemoval {
        try DeviceRemoval(
            body: body, of: lost, by: device, key: key.publicKey, server: server, at: now.addingTimeInterval(seconds))
    }

    @Test("is what was signed, with the verifications of the person")
    func valid() async throws {
        let body = try await body()
        #expect(
            Set(try #require(body.objectValue).keys)
                == ["version", "device_id", "removes", "signed_at", "verified_by", "signature"])
        #expect(body["version"] == "1" && body["verified_by"] == ["passkey"])
        let read = try read(body)
        #expect(read.deviceID == device && read.removed == lost && read.verifiedBy == [.passkey])
        #expect(read.signedAt == Timestamp(now))
    }

    @Test(
        "is good for five minutes, by either clock",
        arguments: [(-301.0, false), (-300, true), (0, true), (300, true), (301, false)])
    func time(seconds: TimeInterval, isValid: Bool) async throws {
        let body = try await body()
        #expect(code { try read(body, after: seconds) } == (isValid ? nil : .badSignature))
    }

    @Test("fits one device, one broker, one signer and one key")
    func others() async throws {
        let body = try await body()
        let otherKey = VaultDeviceKey().publicKey
        for (removed, signer, key, server) in [
            (DeviceID(), device, key.publicKey, server), (lost, DeviceID(), key.publicKey, server),
            (lost, device, otherKey, server), (lost, device, key.publicKey, ServerID()),
        ] {
            #expect(
                code { try DeviceRemoval(body: body, of: removed, by: signer, key: key, server: server, at: now) }
                    == .badSignature)
        }
    }

    @Test("is refused after a change of any member")
    func changed() async throws {
        let body = try await body()
        let changes: [(String, JSONValue?, TrustError.Code)] = [
            ("removes", .string(DeviceID().description), .badSignature),
            ("device_id", .string(DeviceID().description), .badSignature),
            ("signed_at", .string(Timestamp(now.addingTimeInterval(1)).description), .badSignature),
            ("verified_by", ["passphrase"], .badSignature), ("verified_by", [], .malformed),
            ("verified_by", "passkey", .malformed), ("version", "2", .unknownVersion),
            ("signature", "AAAA", .malformed),
            ("signature", .string(Base64URL.encode([UInt8](repeating: 0, count: 64))), .badSignature),
            ("removes", "0", .malformed), ("device_id", "0", .malformed), ("signed_at", "now", .malformed),
            ("more", 1, .malformed), ("signature", nil, .malformed), ("verified_by", nil, .malformed),
        ]
        for (member, value, expected) in changes {
            #expect(
                code { try read(body.setting(member, to: value)) } == expected, "\(member) \(String(describing: value))"
            )
        }
    }
}

@Suite("The end of an approval's time")
struct ApprovalChallengeTests {
    @Test(
        "before 1970 counts as 1970",
        arguments: [("1969-12-31T23:59:59.000Z", UInt64(0)), ("1970-01-01T00:00:00.001Z", 1)])
    func early(text: String, milliseconds: UInt64) throws {
        let end = try #require(Timestamp(text))
        let envelope = RequestEnvelope(
            bankID: "default", period: MonthYear(month: 1, year: 2026)!, issuedAt: end, approvalExpiresAt: end)
        let summary = ApprovalSummary(
            envelope: envelope, deviceID: DeviceID(), script: String(repeating: "0", count: 64), verifiedBy: [.passkey])
        let bytes = summary.challenge(of: ServerID())[64...]
        #expect(bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } == milliseconds)
        #expect(summary.json["client"] == nil && summary.json["lease_seconds"] == 0)
    }

    @Test("the agent that asks is part of what is signed")
    func client() {
        let time = Timestamp(Date(timeIntervalSince1970: 1_770_000_000))
        let envelope = RequestEnvelope(
            bankID: "default", period: MonthYear(month: 1, year: 2026)!, issuedAt: time, approvalExpiresAt: time,
            client: AgentName("books"))
        let summary = ApprovalSummary(
            envelope: envelope, deviceID: DeviceID(), script: String(repeating: "0", count: 64), verifiedBy: [.passkey])
        #expect(summary.json["client"] == "books")
        #expect(summary.json["decision"] == "APPROVE" && summary.json["version"] == "1")
        #expect(summary.json["purpose"] == "countersign approval")
    }
}
