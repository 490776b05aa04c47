import BrokerStore
import Encodings
import Messages
import TestParties
import Testing

@testable import Broker

@Suite("An agent that names no bank", .timeLimit(.minutes(4)))
struct UnnamedBankTests {
    private static let statement: JSONValue = ["type": "statement", "month": 1, "year": 2026]

    /// Runs a broker with one paired phone, and without the default device.
    private static func broker(
        of bank: String?, _ body: @escaping @Sendable (BrokerStage, PairedPhone) async throws -> Void
    ) async throws {
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.bankID = bank
        try await stage.run(configuration) { stage in
            let phone = try await stage.pair()
            try await stage.administration().devices.switchDefaultDevice(on: false)
            try await body(stage, phone)
        }
    }

    private static func tell(_ phone: PairedPhone, _ ids: [String]) async throws {
        let banks = ids.map { JSONValue.object(["bank_id": .string($0), "name": .string($0), "documents": true]) }
        #expect(try await phone.send("PUT", "/phone/banks", ["banks": .array(banks)]).status == 200)
    }

    @Test(
        "asks the only bank there is: the broker's own, even before a phone has told, else the one that the phones have",
        arguments: [
            (nil, nil, "default"), (nil, ["north"], "north"), ("north", nil, "north"), ("north", ["north"], "north"),
            ("north", ["south"], "south"),
        ] as [(String?, [String]?, String)])
    func onlyBank(own: String?, told: [String]?, asked: String) async throws {
        try await Self.broker(of: own) { stage, phone in
            if let told { try await Self.tell(phone, told) }
            let answer = try await stage.send("POST", "/request", Self.statement)
            #expect(answer.status == 202, "\(answer.json)")
            let pending = try await phone.pending()
            #expect(pending.map { $0["envelope"]?["bank_id"]?.stringValue } == [asked])
            guard told != nil else { return }
            let offer = try await stage.send("POST", "/offers", ["from": "2026-01", "to": "2026-01"])
            #expect(offer.status == 202 && offer.json["bank_id"]?.stringValue == asked, "\(offer.json)")
        }
    }

    @Test(
        "is told the banks where there are several, and nothing is stored",
        arguments: [
            ("/request", statement), ("/request", ["type": "documents", "from": "2026-01", "to": "2026-02"]),
            ("/offers", ["from": "2026-01", "to": "2026-01"]),
        ] as [(String, JSONValue)], [nil, "north"] as [String?])
    func severalBanks(call: (path: String, body: JSONValue), own: String?) async throws {
        try await Self.broker(of: own) { stage, phone in
            try await Self.tell(phone, ["south", "north"])
            let answer = try await stage.send("POST", call.path, call.body)
            #expect(answer.status == 400 && answer.json["error_code"] == "INVALID_FIELD", "\(answer.json)")
            #expect(answer.json["banks"] == ["north", "south"], "\(answer.json)")
            let words = answer.json["error_message"]?.stringValue ?? ""
            #expect(words.contains("“bank_id” is missing") && words.contains("north, south"), "\(words)")
            #expect(try await stage.send("GET", "/requests").json["requests"] == [])
            #expect(try await stage.send("GET", "/offers").json == ["offers": []])
        }
    }

    @Test("gets the first answer again for its own name, when another bank has come since")
    func repeated() async throws {
        try await Self.broker(of: nil) { stage, phone in
            try await Self.tell(phone, ["north"])
            let body: JSONValue = ["type": "statement", "month": 1, "year": 2026, "agent_request_id": "january"]
            let first = try await stage.send("POST", "/request", body)
            try await Self.tell(phone, ["north", "south"])
            let again = try await stage.send("POST", "/request", body)
            #expect(again.status == 202 && again.json["request_id"] == first.json["request_id"], "\(again.json)")
        }
    }

    @Test("the broker's own bank may be named before its phone has told of it, beside another one that has")
    func namedUntold() async throws {
        try await Self.broker(of: "north") { stage, _ in
            let other = try await stage.pair("Another")
            try await Self.tell(other, ["south"])
            for (bank, status) in [("north", 202), ("west", 400)] {
                let answer = try await stage.send(
                    "POST", "/request", ["type": "statement", "month": 1, "year": 2026, "bank_id": .string(bank)])
                #expect(answer.status == status, "\(answer.json)")
            }
            let unnamed = try await stage.send("POST", "/request", Self.statement)
            #expect(unnamed.json["banks"] == ["north", "south"], "\(unnamed.json)")
        }
    }

    @Test(
        "the owner's commands on the broker's machine know the same bank",
        arguments: [
            ([:], ["north"], .bank("north")), ([:], ["north", "south"], .oneOf(["north", "south"])),
            (["BROKER_BANK_ID": "north"], nil, .bank("north")), ([:], nil, .bank("default")),
        ] as [([String: String], [String]?, UsualBank)])
    func administration(environment: [String: String], told: [String]?, bank: UsualBank) async throws {
        try await Self.broker(of: nil) { stage, phone in
            if let told { try await Self.tell(phone, told) }
            #expect(try await stage.administration(environment).usualBank() == bank)
        }
    }
}
