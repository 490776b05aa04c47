import DeviceTrust
import Encodings
import Foundation
import Secrets
import TestParties
import Testing

@testable import Broker

/// One change to a message.
struct MessageChange: Sendable, CustomTestStringConvertible {
    let what: String
    let change: @Sendable (inout [String: JSONValue]) -> Void

    var testDescription: String { what }

    /// Replaces the value of each member by each of these.
    static func all(_ names: [String], with values: [(String, JSONValue)]) -> [MessageChange] {
        names.flatMap { name in
            [MessageChange(what: "no \(name)") { $0[name] = nil }]
                + values.map { word, value in
                    MessageChange(what: "\(name): \(word)") { $0[name] = value }
                }
        } + [MessageChange(what: "one more") { $0["more"] = "x" }]
    }

    func applied(to message: JSONValue) -> JSONValue {
        var members = message.objectValue ?? [:]
        change(&members)
        return .object(members)
    }
}

private let wrongValues: [(String, JSONValue)] = [
    ("null", .null), ("a number", 7), ("a list", []), ("an object", [:]), ("empty", ""), ("text", "not this"),
    ("other 32 bytes", .string(String(repeating: "A", count: 43))),
    ("padded", .string(String(repeating: "A", count: 43) + "=")),
    ("other hex", .string(String(repeating: "ab", count: 16))),
    ("other UUID", "0f0e0d0c-0b0a-4900-8807-060504030201"),
    ("other signature", .string(String(repeating: "A", count: 86))),
    ("an invalid point", .string("BA" + String(repeating: "A", count: 85))),
]

@Suite("Each field of each pairing message", .timeLimit(.minutes(4)))
struct PairingMessageTests {
    @Test("begin: a changed message is refused with the reason, and the session goes on")
    func begin() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let open = try await stage.administration().openPairing(life: .seconds(60), name: nil)
            let phone = try PhonePairing(name: "Telephone", key: VaultDeviceKey())
            for change in MessageChange.all(["version", "commitment"], with: wrongValues) {
                let message = change.applied(to: phone.begin)
                let answer = try await stage.pairingCall(open.session.session, "begin", message)
                // Another commitment of the right form is noticed only at the claim.
                guard change.what != "commitment: other 32 bytes" else {
                    let claim = try await phone.claim(
                        answer.json, code: open.payload.code, payload: nil, connection: .plain, at: stage.clock.now)
                    let claimed = try await stage.pairingCall(open.session.session, "claim", claim.message)
                    #expect(claimed.status == 403 && claimed.json["error_code"] == "PAIRING_REFUSED")
                    continue
                }
                #expect(answer.status == 400, "\(change.what): \(answer.json)")
            }
            _ = try await stage.claim(open)
        }
    }

    @Test("claim: a message with any changed member, or a changed hello, claims nothing")
    func claim() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let broker = try stage.administration()
            let outer = MessageChange.all(["attempt", "hello", "code_proof", "key_proof"], with: wrongValues)
            let inner = MessageChange.all(
                ["device_id", "device_pubkey", "device_name", "device_ephemeral", "device_nonce"], with: wrongValues)
            let other = try PhonePairing(name: "Other", key: VaultDeviceKey())
            let foreign: [MessageChange] = ["device_pubkey", "device_ephemeral", "device_name"].map { name in
                let value = other.hello.json[name] ?? .null
                return MessageChange(what: "\(name): another device's") { $0[name] = value }
            }
            let changes =
                outer
                + (inner + foreign).map { change in
                    MessageChange(what: "hello's \(change.what)") { members in
                        members["hello"] = change.applied(to: members["hello"] ?? .null)
                    }
                }
            for change in changes {
                let open = try await broker.openPairing(life: .seconds(60), name: nil)
                let phone = try PhonePairing(name: "Telephone", key: VaultDeviceKey())
                let session = open.session.session
                let offer = try await stage.pairingCall(session, "begin", phone.begin).json
                let claim = try await phone.claim(
                    offer, code: open.payload.code, payload: open.payload, connection: .plain, at: stage.clock.now)
                let answer = try await stage.pairingCall(session, "claim", change.applied(to: claim.message))
                #expect([400, 403, 409].contains(answer.status), "\(change.what): \(answer.status) \(answer.json)")
                #expect(answer.json["error_code"] != nil && answer.json["broker_proof"] == nil)
                #expect(try await broker.pairings.current(open.session).state == .open, "\(change.what)")
                try await broker.pairings.end(open.session, because: .cancelled)
            }
            #expect(try await broker.devices.devices().isEmpty)
        }
    }

    @Test("finish: a changed or replayed message, or one from another phone, pairs nothing")
    func finish() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let broker = try stage.administration()
            let open = try await broker.openPairing(life: .seconds(60), name: nil)
            let session = open.session.session
            let claim = try await stage.claim(open)
            let other = try await broker.openPairing(life: .seconds(60), name: nil)
            let otherClaim = try await stage.claim(other)
            #expect(try await broker.pairings.confirm(open.session))
            #expect(try await broker.pairings.confirm(other.session))
            for change in MessageChange.all(["attempt", "proof"], with: wrongValues) {
                let answer = try await stage.pairingCall(session, "finish", change.applied(to: claim.finish))
                #expect([400, 403, 409].contains(answer.status), "\(change.what): \(answer.json)")
            }
            for (number, message) in [(session, otherClaim.finish), (other.session.session, claim.finish)] {
                let answer = try await stage.pairingCall(number, "finish", message)
                #expect(answer.status == 409 && answer.json["error_code"] == "PAIRING_ATTEMPT_UNKNOWN")
            }
            #expect(try await broker.devices.devices().isEmpty)
            #expect(try await stage.pairingCall(session, "finish", claim.finish).json["status"] == "DONE")
        }
    }

    @Test("messages out of order or repeated have no effect")
    func order() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let broker = try stage.administration()
            let open = try await broker.openPairing(life: .seconds(60), name: nil)
            let session = open.session.session
            let phone = try PhonePairing(name: "Telephone", key: VaultDeviceKey())
            let offer = try await stage.pairingCall(session, "begin", phone.begin).json
            let claim = try await phone.claim(
                offer, code: open.payload.code, payload: nil, connection: .plain, at: stage.clock.now)
            // Finish before claim.
            let early = try await stage.pairingCall(session, "finish", claim.finish)
            #expect(early.status == 409 && early.json["error_code"] == "PAIRING_ATTEMPT_UNKNOWN")
            // A claim in another session.
            let other = try await broker.openPairing(life: .seconds(60), name: nil)
            let strayed = try await stage.pairingCall(other.session.session, "claim", claim.message)
            #expect(strayed.status == 409 && strayed.json["error_code"] == "PAIRING_ATTEMPT_UNKNOWN")
            // A confirmation before the claim.
            #expect(try await !broker.pairings.confirm(open.session))
            #expect(try await stage.pairingCall(session, "claim", claim.message).status == 200)
            // Each message a second time.
            for (step, message) in [("claim", claim.message), ("begin", phone.begin)] {
                let again = try await stage.pairingCall(session, step, message)
                #expect(again.status == 409 && again.json["error_code"] == "PAIRING_CLAIMED", "\(step)")
            }
            #expect(try await broker.pairings.confirm(open.session))
            #expect(try await stage.pairingCall(session, "finish", claim.finish).status == 200)
            for (step, message) in [("claim", claim.message), ("begin", phone.begin)] {
                let again = try await stage.pairingCall(session, step, message)
                #expect(again.status == 410 && again.json["error_code"] == "PAIRING_OVER", "\(step)")
            }
            #expect(try await broker.devices.devices().count == 1)
        }
    }

    @Test("a known device pairs again under a new id, not under its old one")
    func sameDevice() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let broker = try stage.administration()
            let phone = try await stage.pair()
            try await broker.devices.remove(phone.id)
            let open = try await broker.openPairing(life: .seconds(60), name: nil)
            let again = try PhonePairing(deviceID: phone.id, name: "Again", key: phone.key)
            let offer = try await stage.pairingCall(open.session.session, "begin", again.begin).json
            let claim = try await again.claim(
                offer, code: open.payload.code, payload: nil, connection: .plain, at: stage.clock.now)
            let answer = try await stage.pairingCall(open.session.session, "claim", claim.message)
            #expect(answer.status == 409 && answer.json["error_code"] == "CONFLICT")
        }
    }

    @Test("bodies that are not JSON, too large or of another shape get the usual errors")
    func shapes() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let open = try await stage.administration().openPairing(life: .seconds(60), name: nil)
            for step in ["begin", "claim", "finish"] {
                let path = "/pairing/\(open.session.session)/\(step)"
                for body in ["", "{", "[]", "null", "{\"version\":\"1\",\"version\":\"1\"}", "{\"a\":1e999}"] {
                    let answer = try await stage.send("POST", path, as: .nobody, body: Array(body.utf8))
                    #expect(answer.status == 400 && answer.json["error_code"] == "INVALID_JSON", "\(step) \(body)")
                }
                let large = try await stage.send(
                    "POST", path, as: .nobody, body: [UInt8](repeating: 0x20, count: 256 << 10 + 1))
                #expect(large.status == 413)
                #expect(try await stage.send("GET", path, as: .nobody).status == 405)
            }
        }
    }
}
