import Broker
import Clocks
import Encodings
import Foundation
import Messages
import Testing

@Suite("A thief of the default phone's token approves without a signature", .timeLimit(.minutes(3)))
struct DefaultDeviceTests {
    @Test("the first pairing switches the default device off, at once and without a restart")
    func off() async throws {
        try await AttackedBroker().run { broker in
            let pending = try await broker.ask().json["request_id"]?.stringValue
            let path = "/phone/requests/\(try #require(pending))/decision"
            let phone = try await AttackedPhone(broker)
            let decision: JSONValue = ["decision": "APPROVE", "decided_at": .string(Timestamp(broker.now).description)]
            #expect(try await broker.send("POST", path, token: AttackedBroker.phoneToken, decision).status == 401)
            #expect(try await phone.send("GET", "/phone/requests/pending").status == 200)

            try await broker.administration().devices.switchDefaultDevice(on: true)
            #expect(try await broker.send("POST", path, token: AttackedBroker.phoneToken, decision).status == 200)
        }
    }

    @Test("its signature under a delivery does not count any more either")
    func delivery() async throws {
        try await AttackedBroker().run { broker in
            let id = try await broker.approved()
            _ = try await AttackedPhone(broker)
            try broker.deliver(Array("%PDF-1.4 startxref 0 %%EOF".utf8), for: id)
            while !broker.log.all.contains(where: { $0.contains("delivery refused") }) {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try await broker.outcome(of: id, within: 0)["status"] == "APPROVED")
        }
    }

    @Test("an owner who wants both keeps both")
    func kept() async throws {
        try await AttackedBroker().run { broker in
            _ = try await AttackedPhone(broker, keepsDefaultDevice: true)
            #expect(
                try await broker.send("GET", "/phone/requests/pending", token: AttackedBroker.phoneToken).status == 200)
        }
    }

    @Test("a request that no phone can approve is refused at once")
    func nobody() async throws {
        try await AttackedBroker().run { broker in
            let phone = try await AttackedPhone(broker)
            #expect(try await broker.ask().status == 202)
            _ = try await broker.administration().devices.remove(phone.id)
            let answer = try await broker.ask(month: 2)
            #expect(answer.status == 409 && answer.json["error_code"] == "FACTOR_UNAVAILABLE", "\(answer)")
        }
    }

    @Test("the owner who checks the broker learns that the default device is off, not that its token is wrong")
    func check() async throws {
        try await AttackedBroker().run { broker in
            _ = try await AttackedPhone(broker)
            var configuration = try broker.configuration
            configuration.port = try #require(URL(string: broker.url)?.port)
            let findings = await BrokerCheck(configuration).findings()
            #expect(findings.contains { $0.text.contains("the default device is switched off") }, "\(findings)")
            #expect(!findings.contains { $0.text.contains("phone's token does not match") }, "\(findings)")
        }
    }
}
