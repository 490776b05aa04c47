import Clocks
import Crypto
import Encodings
import Foundation
import Messages
import TestSupport
import Testing

@testable import DeviceTrust

@Suite("The proofs' model of what a device signs")
struct ApprovalModelTests {
    private let model: ProofModel
    private let server = ServerID()
    private let device = DeviceID()
    private let key = VaultDeviceKey()

    init() throws { model = try ProofModel("messages.pvl") }

    private func summary(client: AgentName?) throws -> ApprovalSummary {
        var envelope = RequestEnvelope(
            bankID: "default", period: try #require(MonthYear(month: 3, year: 2026)), issuedAt: PairingStage.begin,
            approvalExpiresAt: PairingStage.end)
        envelope.client = client
        return ApprovalSummary(
            envelope: envelope, deviceID: device, script: String(repeating: "0f", count: 32), verifiedBy: [.passkey])
    }

    @Test("has the members of a summary, with and without an agent's name, and its purpose")
    func members() throws {
        let members = try model.members(of: "summary")
        #expect(try summary(client: AgentName("ledger")).json.names == members.map(\.name))
        #expect(try summary(client: nil).json.names == members.filter { !$0.isOptional }.map(\.name))
        // An approval of several documents has the same members; its type and version follow from its params too.
        let march = try #require(MonthYear(month: 3, year: 2026))
        let months = try #require(DocumentSelection(periods: [march]))
        let documents = ApprovalSummary(
            envelope: RequestEnvelope(
                bankID: "default", subject: .documents(months), issuedAt: PairingStage.begin,
                approvalExpiresAt: PairingStage.end),
            deviceID: device, script: String(repeating: "0f", count: 32), verifiedBy: [.passkey])
        #expect(documents.json.names == members.filter { !$0.isOptional }.map(\.name))
        #expect(
            try summary(client: nil).json["purpose"]?.stringValue == model.text("text", "purpose_approval"))
    }

    @Test("has the parts of a challenge in their order")
    func challenge() throws {
        let summary = try summary(client: nil)
        let parts: [String: [UInt8]] = [
            "16 server_id": UUIDText.bytes(server.description),
            "16 request_id": UUIDText.bytes(summary.envelope.requestID.description),
            "32 SHA-256 of summary": Array(SHA256.hash(data: try summary.json.canonicalBytes())),
            "8 approval_expires_at": withUnsafeBytes(
                of: UInt64(summary.envelope.approvalExpiresAt.date.timeIntervalSince1970 * 1000).bigEndian
            ) { Array($0) },
        ]
        let form = try model.form("challenge").components(separatedBy: ", ")
        #expect(try summary.challenge(of: server) == form.flatMap { try #require(parts[$0]) })
        for part in form { #expect(part.hasPrefix("\(parts[part]?.count ?? 0) ")) }
    }

    @Test("has the members of a removal, and the bytes that are signed for it")
    func removal() async throws {
        let removal = DeviceRemoval(of: DeviceID(), by: device, verifiedBy: [.passkey], at: PairingStage.begin.date)
        var body = try #require(try await removal.signed(for: server, with: key).objectValue)
        let signature = try #require(body.removeValue(forKey: "signature")?.stringValue.flatMap { DeviceSignature($0) })
        #expect(try model.members(of: "removal").map(\.name) == JSONValue.object(body).names)
        let bytes = try removalBytes(JSONValue.object(body))
        #expect(key.publicKey.isValid(signature, for: bytes))
    }

    // The model has one term for each form, and so takes for granted that none can be read as another.
    @Test("is of three forms, which differ in length")
    func lengths() async throws {
        let stage = try PairingStage()
        let transcript = PairingTranscript(
            hello: stage.phone.hello, offer: try stage.broker(hearing: stage.phone.begin).offer)
        let lengths = [
            try summary(client: nil).challenge(of: server).count, transcript.keyProofPayload.count,
            try removalBytes([:]).count,
        ]
        #expect(lengths == [72, 58, 98])
    }

    private func removalBytes(_ members: JSONValue) throws -> [UInt8] {
        Array("\(try model.text("prefix", "device_removal"))\(server)\n".utf8)
            + SHA256.hash(data: try members.canonicalBytes())
    }
}
