import BrokerStore
import DeviceTrust
import Encodings
import Foundation
import Messages
import Testing

@testable import Broker

@Suite("One agent asks, and the owner believes that another did", .timeLimit(.minutes(3)))
struct WhoAsksTests {
    @Test("the agent's name is in what the broker signs and in what the phone signs")
    func signed() async throws {
        try await AttackedBroker().run { broker in
            let name = try #require(AgentName("claude"))
            let token = try await broker.administration().agents.add(name).revealed()
            let phone = try await AttackedPhone(broker)
            let asked = try await broker.ask(token: token).json
            let id = try #require(asked["request_id"]?.stringValue.flatMap { RequestID($0) })
            let envelope = try await phone.envelope(of: id)
            #expect(envelope.client == name)

            // A phone that was shown another name signs another text.
            var other = envelope
            other.client = AgentName("bookkeeping")
            #expect(try await phone.approve(other).json["error_code"] == "SIGNATURE_INVALID")
            other.client = nil
            #expect(try await phone.approve(other).json["error_code"] == "SIGNATURE_INVALID")
            #expect(try await phone.approve(envelope).status == 200)
        }
    }

    @Test("a second agent that asks for what waits is named too, however often it asks")
    func second() async throws {
        try await AttackedBroker().run { broker in
            let agents = try broker.administration().agents
            let (first, second) = (try #require(AgentName("claude")), try #require(AgentName("tax")))
            let (token, other) = (try await agents.add(first).revealed(), try await agents.add(second).revealed())
            let phone = try await AttackedPhone(broker)
            let asked = try await broker.ask(token: token).json
            for key in [nil, "mine", nil] as [String?] {
                #expect(try await broker.ask(key: key, token: other).json["request_id"] == asked["request_id"])
            }
            #expect(try await broker.ask(token: token).json["request_id"] == asked["request_id"])
            let list = try await phone.send("GET", "/phone/requests/pending").json["requests"]?.arrayValue
            #expect(list?.count == 1)
            #expect(list?.first?["also_asked_by"] == ["tax"])
            #expect(list?.first?["envelope"]?["client"] == "claude")
        }
    }

    @Test("a removed agent's token stops working at once, and its hash alone is stored")
    func removed() async throws {
        let broker = try AttackedBroker()
        try await broker.run { broker in
            let agents = try broker.administration().agents
            let name = try #require(AgentName("claude"))
            let token = try await agents.add(name).revealed()
            #expect(try await broker.send("GET", "/requests", token: token).status == 200)
            let digest = PairedDevice.digest(ofToken: token.utf8)
            #expect(try await broker.send("GET", "/requests", token: digest).status == 401)
            try await agents.remove(name)
            #expect(try await broker.send("GET", "/requests", token: token).status == 401)
            await #expect(throws: AgentNameError.self) { try await agents.add(.standard) }
            let bytes =
                try Data(contentsOf: broker.database) + Data(contentsOf: URL(filePath: broker.database.path + "-wal"))
            #expect(bytes.range(of: Data(token.utf8)) == nil)
        }
    }

    @Test("an agent's token does not work on the phone's routes")
    func scope() async throws {
        try await AttackedBroker().run { broker in
            let token = try await broker.administration().agents.add(try #require(AgentName("claude"))).revealed()
            #expect(try await broker.send("GET", "/phone/requests/pending", token: token).status == 401)
        }
    }

    @Test(
        "no name looks like another, or like markup",
        arguments: ["", "Claude", "cl\u{430}ude", "-x", ".x", "a b", "<b>", String(repeating: "a", count: 41), "a\n"])
    func names(text: String) {
        #expect(AgentName(text) == nil)
    }
}
