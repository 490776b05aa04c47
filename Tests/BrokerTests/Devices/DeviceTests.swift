import Clocks
import DeviceTrust
import Encodings
import Foundation
import GRDB
import Messages
import Secrets
import TestParties
import Testing

@testable import Broker
@testable import BrokerStore

@Suite("Devices", .timeLimit(.minutes(4)))
struct DeviceTests {
    /// Every call that a device can make.
    private static func calls(_ id: RequestID, _ approval: JSONValue) -> [(String, String, JSONValue?)] {
        let now = JSONValue.string(Timestamp(Date()).description)
        return [
            ("GET", "/phone/requests/pending", nil),
            ("POST", "/phone/requests/\(id)/decision", ["decision": "DENY", "decided_at": now]),
            (
                "POST", "/phone/requests/\(id)/decision",
                ["decision": "APPROVE", "decided_at": now, "approval": approval]
            ),
            ("POST", "/phone/requests/\(id)/started", [:]),
            ("POST", "/phone/requests/\(id)/failure", ["error_code": "NAVIGATION_FAILED", "failed_at": now]),
            ("POST", "/phone/check", ["nonce": .string(Nonce().description), "signature": "x"]),
            ("POST", "/phone/device/rotate", ["nonce": .string(Nonce().description)]),
        ]
    }

    @Test("a removed device's calls are refused, and the other devices go on")
    func removed() async throws {
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.limits.rates.wrongTokensPerMinute = 1_000_000
        try await stage.run(configuration) { stage in
            let phone = try await stage.pair()
            let other = try await stage.pair("Another")
            let id = try await stage.request()
            let approval = try await phone.approval(of: try await phone.envelope(of: id))
            let rotation = PhoneRotation(deviceID: phone.id, secret: phone.credentials.sharedSecret)
            let next = try rotation.credentials(
                answer: try await phone.send("POST", "/phone/device/rotate", rotation.message).json)
            #expect(try await stage.administration().devices.remove(phone.id).isEmpty)
            for caller in [phone, phone.with(next)] {
                for (method, path, body) in Self.calls(id, approval) {
                    let answer = try await caller.send(method, path, body)
                    #expect(answer.status == 401 && answer.json["error_code"] == "UNAUTHORIZED", "\(method) \(path)")
                }
            }
            #expect(try await stage.status(id) == "PENDING_APPROVAL")
            #expect(try await other.approve(id).status == 200)
            #expect(try await stage.administration().devices.devices().map(\.id) == [other.id])
            let left = try await stage.administration().database.pool.read { db in
                try Int.fetchOne(
                    db,
                    sql: """
                        SELECT count(*) FROM devices WHERE removed_at IS NOT NULL AND coalesce(token_sha256, secret_sealed,
                            pending_token_sha256, pending_secret_sealed) IS NOT NULL
                        """)
            }
            #expect(left == 0, "nothing of its secrets is left")
        }
    }

    @Test(
        "the requests that a removed device was about to run fail, and its delivery is refused",
        arguments: [false, true])
    func removedWhileRunning(hasStarted: Bool) async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let phone = try await stage.pair()
            let id = try await stage.request()
            #expect(try await phone.approve(id).status == 200)
            if hasStarted { #expect(try await phone.send("POST", "/phone/requests/\(id)/started", [:]).status == 200) }
            async let waited = stage.waiting("/request/\(id)?wait=60")
            try await Task.sleep(for: .milliseconds(100))
            let start = ContinuousClock.now
            #expect(try await stage.administration().devices.remove(phone.id) == [id])
            let ended = try await waited
            #expect(ended["status"] == "FAILED" && ended["error_code"] == "DEVICE_REMOVED", "\(ended)")
            #expect(ContinuousClock.now - start < .seconds(20), "those who wait are told")
            try await stage.refusesDelivery(of: id, signedWith: phone.secret)
            #expect(try await stage.status(id) == "FAILED")
            #expect(try await stage.audited().contains("device.removed"))
        }
    }

    @Test("rotation replaces the credentials without pairing; the old ones end when the new are first used")
    func rotation() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let broker = try stage.administration()
            let phone = try await stage.pair()
            let id = try await stage.request()
            let before = try await phone.envelope(of: id)
            #expect(try await phone.send("GET", "/phone/requests/pending").json["rotation_requested"] == nil)
            try await broker.devices.requestRotation(of: phone.id)
            #expect(try await phone.send("GET", "/phone/requests/pending").json["rotation_requested"] == true)

            // A rotation that the phone never uses changes nothing.
            let lost = PhoneRotation(deviceID: phone.id, secret: phone.credentials.sharedSecret)
            #expect(try await phone.send("POST", "/phone/device/rotate", lost.message).status == 200)
            let rotation = PhoneRotation(deviceID: phone.id, secret: phone.credentials.sharedSecret)
            let answer = try await phone.send("POST", "/phone/device/rotate", rotation.message)
            let next = phone.with(try rotation.credentials(answer: answer.json))
            #expect(try await phone.pending().count == 1, "both sides have what they had until it is used")

            let after = try await next.envelope(of: id)
            #expect(after == before, "the same request, under the new secret")
            #expect(try await phone.send("GET", "/phone/requests/pending").status == 401)
            #expect(try await next.send("GET", "/phone/requests/pending").json["rotation_requested"] == nil)
            #expect(try await next.approve(id).status == 200)
            try stage.publish(id, secret: next.secret)
            #expect(try await stage.waiting("/request/\(id)?wait=30")["status"] == "COMPLETED")
            #expect(try await broker.devices.devices().map(\.generation) == [2])
            let audited = try await stage.audited()
            #expect(
                audited.filter { $0.hasPrefix("device.rot") } == [
                    "device.rotation_requested", "device.rotation_agreed", "device.rotation_agreed", "device.rotated",
                ])
        }
    }

    @Test(
        "a request approved before a rotation may be delivered with the old or the new secret",
        arguments: [true, false])
    func rotationMeanwhile(signsWithOld: Bool) async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let phone = try await stage.pair()
            let id = try await stage.request()
            #expect(try await phone.approve(id).status == 200)
            let rotation = PhoneRotation(deviceID: phone.id, secret: phone.credentials.sharedSecret)
            let answer = try await phone.send("POST", "/phone/device/rotate", rotation.message)
            let next = phone.with(try rotation.credentials(answer: answer.json))
            #expect(try await next.pending().isEmpty)
            try stage.publish(id, secret: signsWithOld ? phone.secret : next.secret)
            #expect(try await stage.waiting("/request/\(id)?wait=30")["status"] == "COMPLETED")
        }
    }

    @Test("a malformed rotation message is refused, and the default device cannot rotate")
    func wrongRotation() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let phone = try await stage.pair()
            let rotation = PhoneRotation(deviceID: phone.id, secret: phone.credentials.sharedSecret)
            for change in MessageChange.all(
                ["device_ephemeral", "nonce"], with: [("null", .null), ("a number", 1), ("text", "x"), ("empty", "")])
            {
                let answer = try await phone.send(
                    "POST", "/phone/device/rotate", change.applied(to: rotation.message))
                #expect(answer.status == 400, "\(change.what)")
            }
            let standard = try await stage.send("POST", "/phone/device/rotate", as: .phone, rotation.message)
            #expect(standard.status == 409)
            #expect(try await phone.pending().isEmpty)
        }
    }

    @Test("are found by name, id or the beginning of the id, unless it is ambiguous")
    func names() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let store = try stage.administration().devices
            let phone = try await stage.pair("Telephone")
            let other = try await stage.pair("Tablet")
            #expect(try await store.device(called: "Telephone").id == phone.id)
            #expect(try await store.device(called: other.id.description).id == other.id)
            #expect(try await store.device(called: String(other.id.description.prefix(8))).id == other.id)
            try await store.rename(other.id, to: "Telephone")
            for name in ["Telephone", "Unknown", "", String(phone.id.description.prefix(3)), "default"] {
                await #expect(throws: DeviceNameError.self) { try await store.device(called: name) }
            }
            for name in ["", " ", " padded ", "a\u{202E}b", "a\nb", String(repeating: "x", count: 65)] {
                await #expect(throws: DeviceNameError.self) { try await store.rename(phone.id, to: name) }
            }
        }
    }

    @Test("each has its own rate limit")
    func rates() async throws {
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.limits.rates.perTokenAndSecond = 5
        try await stage.run(configuration) { stage in
            let phone = try await stage.pair()
            let other = try await stage.pair("Another")
            var statuses: [Int] = []
            for _ in 0..<14 { statuses.append(try await phone.send("GET", "/phone/requests/pending").status) }
            #expect(statuses.first == 200 && statuses.contains(429))
            #expect(try await other.send("GET", "/phone/requests/pending").status == 200)
            #expect(try await stage.send("GET", "/phone/requests/pending", as: .phone).status == 200)
        }
    }

    @Test("with the default device switched off, no request is taken as long as no phone is paired")
    func switchedOff() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            try await stage.administration().devices.switchDefaultDevice(on: false)
            let answer = try await stage.send("POST", "/request", ["type": "statement", "month": 1, "year": 2026])
            #expect(answer.status == 409 && answer.json["error_code"] == "FACTOR_UNAVAILABLE", "\(answer.json)")
            _ = try await stage.pair()
            _ = try await stage.request()
        }
    }

    @Test("without the default device, its token is refused, and paired devices do everything")
    func noDefault() async throws {
        let stage = try BrokerStage()
        var configuration = BrokerConfiguration(
            agentToken: Secret(BrokerStage.agentToken), sealing: Sealing(stage.secret), inbox: stage.inbox,
            database: stage.database, port: 0)
        configuration.timing = stage.configuration.timing
        try await stage.run(configuration) { stage in
            #expect(try await stage.send("GET", "/phone/requests/pending", as: .phone).status == 401)
            let early = try await stage.send("POST", "/request", ["type": "statement", "month": 1, "year": 2026])
            #expect(early.status == 409 && early.json["error_code"] == "FACTOR_UNAVAILABLE")
            #expect(early.json["error_message"]?.stringValue?.hasPrefix("no phone can approve: none is paired") == true)
            let phone = try await stage.pair()
            let id = try await stage.request()
            #expect(try await phone.approve(id).status == 200)
            try await stage.refusesDelivery(of: id, signedWith: stage.secret)
            try stage.publish(id, secret: phone.secret)
            #expect(try await stage.waiting("/request/\(id)?wait=30")["status"] == "COMPLETED")
        }
    }
}
