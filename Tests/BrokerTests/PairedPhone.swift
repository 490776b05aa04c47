import Clocks
import CurlClient
import DeviceTrust
import Encodings
import Foundation
import Messages
import Secrets
import Signer
import TestParties
import Testing

@testable import Broker

/// A phone that is paired with the stage's broker and shows its own token.
final class PairedPhone: Sendable {
    let id: DeviceID
    let key: VaultDeviceKey
    let credentials: DeviceCredentials
    let server: ServerID
    private let stage: BrokerStage

    init(
        _ stage: BrokerStage, id: DeviceID, key: VaultDeviceKey, credentials: DeviceCredentials, server: ServerID
    ) {
        self.stage = stage
        self.id = id
        self.key = key
        self.credentials = credentials
        self.server = server
    }

    var secret: Signer.SharedSecret { get throws { try Signer.SharedSecret(credentials.sharedSecret) } }

    /// Returns the same phone after a rotation.
    func with(_ credentials: DeviceCredentials) -> PairedPhone {
        PairedPhone(stage, id: id, key: key, credentials: credentials, server: server)
    }

    func send(_ method: String, _ path: String, _ json: JSONValue? = nil) async throws -> (status: Int, json: JSONValue)
    {
        let answer = try await stage.send(
            method, path, as: .token(credentials.token.revealed()), body: try json?.canonicalBytes())
        return (answer.status, answer.json)
    }

    /// Returns the pending requests, as the broker lists them for this phone.
    func pending() async throws -> [JSONValue] {
        let answer = try await send("GET", "/phone/requests/pending")
        #expect(answer.status == 200)
        return answer.json["requests"]?.arrayValue ?? []
    }

    func entry(of request: RequestID) async throws -> JSONValue {
        try #require(
            try await pending().first { $0["envelope"]?["request_id"]?.stringValue == request.description })
    }

    func envelope(of request: RequestID) async throws -> RequestEnvelope {
        let envelope = try #require(try await entry(of: request)["envelope"])
        return try SignedEnvelope(json: envelope).verified(with: secret, at: stage.clock.now).envelope
    }

    static let script = String(repeating: "5c", count: 32)

    /// Returns the member `approval`, signed as the phone does. Tests change parts of it.
    func approval(
        of envelope: RequestEnvelope, verifiedBy: Set<ApprovalFactor> = [.passphrase],
        key: VaultDeviceKey? = nil, server: ServerID? = nil
    ) async throws -> JSONValue {
        let summary = ApprovalSummary(
            envelope: envelope, deviceID: id, script: Self.script, verifiedBy: verifiedBy)
        return try await summary.signed(for: server ?? self.server, with: key ?? self.key).json
    }

    func decide(
        _ request: RequestID, _ decision: String, _ approval: JSONValue? = nil
    ) async throws -> (status: Int, json: JSONValue) {
        var body: [String: JSONValue] = [
            "decision": .string(decision), "decided_at": .string(Timestamp(stage.clock.now).description),
        ]
        body["approval"] = approval
        return try await send("POST", "/phone/requests/\(request)/decision", .object(body))
    }

    /// Fetches the request, signs an approval and sends it.
    func approve(
        _ request: RequestID, verifiedBy: Set<ApprovalFactor> = [.passphrase]
    ) async throws -> (status: Int, json: JSONValue) {
        let envelope = try await envelope(of: request)
        return try await decide(request, "APPROVE", try await approval(of: envelope, verifiedBy: verifiedBy))
    }
}

extension BrokerStage {
    /// Opens the database as its owner does, while the broker runs.
    func administration(_ more: [String: String] = [:]) throws -> BrokerAdministration {
        try BrokerAdministration(
            environment: [
                "BROKER_DATABASE_PATH": database.path,
                "BROKER_PHONE_SHARED_SECRET": "a shared secret of more than thirty-two bytes",
            ].merging(more) { $1 }, clock: clock.brokerClock)
    }

    /// Sends on a new connection, so that a call that waits does not block others.
    func pairingCall(_ session: Int, _ step: String, _ message: JSONValue) async throws -> (
        status: Int, json: JSONValue
    ) {
        let http = CurlSession()
        let answer = try await http.send(
            HTTPRequest("POST", "\(url)/pairing/\(session)/\(step)", headers: [], body: try message.canonicalBytes()))
        await http.close()
        return (answer.status, try JSONReader.read(answer.body))
    }

    /// Sends a phone's first two messages and returns the answers.
    func claim(
        _ open: OpenPairing, name: String = "Telephone", key: VaultDeviceKey = VaultDeviceKey()
    ) async throws -> PhoneClaim {
        let phone = try PhonePairing(name: name, key: key)
        let session = open.session.session
        let begun = try await pairingCall(session, "begin", phone.begin)
        #expect(begun.status == 200, "\(begun.json)")
        let claim = try await phone.claim(
            begun.json, code: open.payload.code, payload: open.payload, connection: .plain, at: clock.now)
        let answer = try await pairingCall(session, "claim", claim.message)
        #expect(answer.status == 200, "\(answer.json)")
        try claim.check(answer.json)
        return claim
    }

    /// Runs the whole pairing, with the owner's confirmation.
    func pair(_ name: String = "Telephone", key: VaultDeviceKey = VaultDeviceKey()) async throws -> PairedPhone {
        let broker = try administration()
        let open = try await broker.openPairing(life: .seconds(60), name: nil, keepsDefaultDevice: true)
        let claim = try await claim(open, name: name, key: key)
        let session = try await broker.pairings.current(open.session)
        #expect(session.words == claim.words.description, "both show the same")
        #expect(try await broker.pairings.confirm(session))
        let done = try await pairingCall(session.session, "finish", claim.finish)
        #expect(done.status == 200 && done.json["status"] == "DONE", "\(done.json)")
        #expect(done.json["device_id"]?.stringValue == claim.hello.deviceID.description)
        return PairedPhone(
            self, id: claim.hello.deviceID, key: key, credentials: claim.credentials, server: claim.server.id)
    }

    /// Returns the types of the audit records, oldest first.
    func audited() async throws -> [String] {
        try await administration().database.audit.records().map(\.event.type)
    }
}
