import Clocks
import CurlClient
import DeviceTrust
import Encodings
import Foundation
import Messages
import Secrets
import Signer
import Testing

@testable import Broker

/// A phone that is paired with the attacked broker.
struct AttackedPhone: Sendable {
    let broker: AttackedBroker
    let id: DeviceID
    let key: VaultDeviceKey
    let credentials: DeviceCredentials
    let server: ServerID

    /// Pairs over the broker's own routes, and confirms as the owner does.
    init(_ broker: AttackedBroker, keepsDefaultDevice: Bool = false) async throws {
        let key = VaultDeviceKey()
        let phone = try PhonePairing(name: "Telephone", key: key)
        let administration = try broker.administration()
        let open = try await administration.openPairing(
            life: .seconds(60), name: nil, keepsDefaultDevice: keepsDefaultDevice)
        let path = "/pairing/\(open.session.session)"
        let begun = try await broker.send("POST", "\(path)/begin", token: nil, phone.begin)
        let claim = try await phone.claim(
            begun.json, code: open.payload.code, payload: open.payload, connection: .plain, at: broker.now)
        try claim.check(try await broker.send("POST", "\(path)/claim", token: nil, claim.message).json)
        #expect(try await administration.pairings.confirm(try await administration.pairings.current(open.session)))
        #expect(try await broker.send("POST", "\(path)/finish", token: nil, claim.finish).status == 200)
        self.broker = broker
        id = claim.hello.deviceID
        self.key = key
        credentials = claim.credentials
        server = claim.server.id
    }

    func send(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> (status: Int, json: JSONValue)
    {
        let answer = try await broker.send(method, path, token: credentials.token.revealed(), body)
        return (answer.status, answer.json)
    }

    /// Returns the request as this phone verifies it.
    func envelope(of id: RequestID) async throws -> RequestEnvelope {
        let list = try await send("GET", "/phone/requests/pending").json["requests"]?.arrayValue ?? []
        let entry = try #require(list.first { $0["envelope"]?["request_id"]?.stringValue == id.description })
        return try SignedEnvelope(json: try #require(entry["envelope"]))
            .verified(with: SharedSecret(credentials.sharedSecret), at: broker.now).envelope
    }

    /// Signs an approval of this envelope and sends it.
    func approve(_ envelope: RequestEnvelope) async throws -> (status: Int, json: JSONValue) {
        let summary = ApprovalSummary(
            envelope: envelope, deviceID: id, script: String(repeating: "5c", count: 32), verifiedBy: [.passphrase])
        let approval = try await summary.signed(for: server, with: key).json
        let body: JSONValue = [
            "decision": "APPROVE", "decided_at": .string(Timestamp(broker.now).description), "approval": approval,
        ]
        return try await send("POST", "/phone/requests/\(envelope.requestID)/decision", body)
    }
}
