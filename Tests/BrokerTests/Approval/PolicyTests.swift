import DeviceTrust
import Encodings
import Foundation
import Secrets
import TestParties
import Testing

@testable import Broker

@Suite("The approval policy", .timeLimit(.minutes(4)))
struct PolicyTests {
    private static let yaml = """
        version: 1
        rules:
          - bank: default
            when: {year: {below: 2024}}
            require: [passkey, device_signature]
            reason: old statements need a second look
          - bank: "*"
            when: {year: 2025}
            devices: 2
            reason: two for last year
          - bank: elsewhere
            require: [passkey]
            reason: not this bank
        """

    private func configuration(_ stage: BrokerStage) throws -> BrokerConfiguration {
        var configuration = stage.configuration
        configuration.policy = try ApprovalPolicy(yaml: Self.yaml)
        return configuration
    }

    @Test("a request that no device can approve is refused at once with the reason")
    func failsClosed() async throws {
        let stage = try BrokerStage()
        try await stage.run(try configuration(stage)) { stage in
            func ask(_ year: Int) async throws -> (status: Int, json: JSONValue) {
                let answer = try await stage.send(
                    "POST", "/request", ["type": "statement", "month": 1, "year": .number(Double(year))])
                return (answer.status, answer.json)
            }
            let old = try await ask(2020)
            #expect(old.status == 409 && old.json["error_code"] == "FACTOR_UNAVAILABLE")
            #expect(
                old.json["error_message"]
                    == "the approval needs a paired device, and there are 0; pair one with countersign pair (old statements need a second look)"
            )
            #expect(try await ask(2026).status == 202, "a request without a rule is unaffected")
            let phone = try await stage.pair()
            #expect(try await ask(2020).status == 202)
            let two = try await ask(2025)
            #expect(two.status == 409)
            #expect(
                two.json["error_message"]
                    == "the approval needs 2 paired devices, and there is 1; pair one with countersign pair (two for last year)"
            )
            _ = try await stage.pair("Another")
            #expect(try await ask(2025).status == 202)
            try await stage.administration().devices.remove(phone.id)
            #expect(try await ask(2025).status == 409)
            #expect(try await stage.send("GET", "/requests").json["requests"]?.arrayValue?.count == 3)
        }
    }

    @Test("is shown with each envelope; an approval that does not meet it does not count")
    func factors() async throws {
        let stage = try BrokerStage()
        try await stage.run(try configuration(stage)) { stage in
            let phone = try await stage.pair()
            let id = try await stage.request(year: 2020)
            let requirement = try #require(try await phone.entry(of: id)["requirement"])
            let read = try Requirement.read(requirement)
            #expect(read.requirement.factors == [.passkey, .deviceSignature] && read.requirement.devices == 1)
            #expect(read.approvals == 0)
            #expect(read.requirement.reasons == ["old statements need a second look"])
            let missing = try await phone.approve(id, verifiedBy: [.passphrase])
            #expect(missing.status == 403 && missing.json["error_code"] == "FACTOR_MISSING")
            #expect(missing.json["error_message"]?.stringValue?.contains("passkey") == true)
            let standard = try await stage.decide(id, "APPROVE")
            #expect(standard.status == 403 && standard.json["error_code"] == "FACTOR_MISSING")
            #expect(try await stage.status(id) == "PENDING_APPROVAL")
            #expect(try await phone.approve(id, verifiedBy: [.passkey]).status == 200)

            let free = try await stage.request(year: 2026)
            let none = try Requirement.read(try #require(try await phone.entry(of: free)["requirement"]))
            #expect(none.requirement.isNone)
            #expect(try await stage.decide(free, "APPROVE").status == 200)
        }
    }

    @Test("with two devices the first approval counts and the second starts the request")
    func twoDevices() async throws {
        let stage = try BrokerStage()
        try await stage.run(try configuration(stage)) { stage in
            let first = try await stage.pair()
            let second = try await stage.pair("Another")
            let id = try await stage.request(year: 2025)
            let counted = try await first.approve(id)
            #expect(counted.status == 202 && counted.json["status"] == "PENDING_APPROVAL")
            #expect(counted.json["approvals"] == 1 && counted.json["needed"] == 2)
            #expect(try await first.entry(of: id)["approved"] == true)
            #expect(try await second.entry(of: id)["approved"] == nil)
            #expect(try await second.entry(of: id)["requirement"]?["approvals"] == 1)
            let again = try await first.approve(id)
            #expect(again.status == 409, "one device is one device: \(again.json)")
            #expect(try await first.send("POST", "/phone/requests/\(id)/started", [:]).status == 409)
            #expect(try await second.approve(id).status == 200)
            #expect(try await first.send("POST", "/phone/requests/\(id)/started", [:]).status == 403)
            #expect(try await second.send("POST", "/phone/requests/\(id)/started", [:]).status == 200)
            try stage.publish(id, secret: second.secret)
            #expect(try await stage.waiting("/request/\(id)?wait=30")["status"] == "COMPLETED")
        }
    }

    @Test("a device that is paired twice with one key counts once")
    func samePhoneTwice() async throws {
        let stage = try BrokerStage()
        try await stage.run(try configuration(stage)) { stage in
            let key = VaultDeviceKey()
            let twice = [try await stage.pair("One", key: key), try await stage.pair("The same", key: key)]
            let ask: JSONValue = ["type": "statement", "month": 1, "year": 2025]
            #expect(try await stage.send("POST", "/request", ask).status == 409)
            let other = try await stage.pair("Another")
            let id = try await stage.request(year: 2025)
            #expect(try await twice[0].approve(id).status == 202)
            #expect(try await twice[1].approve(id).status == 202)
            #expect(try await other.approve(id).status == 200)
        }
    }

    @Test("a removed device's approval is void, and the remaining one is not enough")
    func voided() async throws {
        let stage = try BrokerStage()
        try await stage.run(try configuration(stage)) { stage in
            let phones = [try await stage.pair("One"), try await stage.pair("Two"), try await stage.pair("Three")]
            let store = try stage.administration().devices
            let id = try await stage.request(year: 2025)
            #expect(try await phones[0].approve(id).status == 202)
            try await store.remove(phones[0].id)
            #expect(try await phones[1].entry(of: id)["requirement"]?["approvals"] == 0)
            #expect(try await phones[1].approve(id).status == 202)
            #expect(try await phones[2].approve(id).status == 200)
            // The running request depends on this device's approval.
            #expect(try await store.remove(phones[1].id) == [id])
            #expect(try await stage.waiting("/request/\(id)?wait=30")["error_code"] == "DEVICE_REMOVED")
        }
    }

    @Test("an approval that asks for a lease is refused: every approval is for one request")
    func leases() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let phone = try await stage.pair()
            let id = try await stage.request()
            var members = try await phone.approval(of: try await phone.envelope(of: id)).objectValue ?? [:]
            members["lease_seconds"] = 60
            let approval = JSONValue.object(members)
            let refused = try await phone.decide(id, "APPROVE", approval)
            #expect(refused.status == 400 && refused.json["error_code"] == "INVALID_FIELD")
        }
    }

    @Test("is read from its file; an invalid file prevents the start, and its lines are named")
    func file() throws {
        let stage = try BrokerStage()
        let file = stage.root.appending(path: "policy.yaml")
        var environment = [
            "BROKER_API_TOKEN": BrokerStage.agentToken, "PHONE_API_TOKEN": BrokerStage.phoneToken,
            "BROKER_PHONE_SHARED_SECRET": "a shared secret of more than thirty-two bytes",
            "ICLOUD_INBOX_PATH": stage.inbox.path, "BROKER_POLICY_FILE": file.path,
        ]
        try Data(Self.yaml.utf8).write(to: file)
        #expect(try BrokerConfiguration(environment: environment, usesTelegram: false).policy.rules.count == 3)
        try Data("version: 1\nrules:\n  - bank: x\n    require: [retina]\n    reason: y\n".utf8).write(to: file)
        let error = try #require(throws: BrokerConfigurationError.self) {
            try BrokerConfiguration(environment: environment, usesTelegram: false)
        }
        #expect(error.description.contains("line 4") && error.description.contains("retina"), "\(error)")
        environment["BROKER_POLICY_FILE"] = nil
        #expect(try BrokerConfiguration(environment: environment, usesTelegram: false).policy.rules.isEmpty)
    }
}
