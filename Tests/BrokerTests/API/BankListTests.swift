import Encodings
import Messages
import TestParties
import Testing

@Suite("The banks that phones offer")
struct BankListTests {
    private static let two: JSONValue = [
        "banks": [["bank_id": "north", "name": "North Bank"], ["bank_id": "default", "name": "Meridian Savings"]]
    ]

    @Test("are listed for agents, and a request may name one; the phone sees which")
    func listed() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            #expect(try await stage.send("GET", "/banks").json == ["banks": []])
            #expect(try await stage.send("PUT", "/phone/banks", as: .phone, Self.two).status == 200)
            let sorted: JSONValue = [
                "banks": [
                    ["bank_id": "default", "name": "Meridian Savings"], ["bank_id": "north", "name": "North Bank"],
                ]
            ]
            #expect(try await stage.send("GET", "/banks").json == sorted)
            let asked = try await stage.send("POST", "/request", Self.request(bank: "north"))
            #expect(asked.status == 202, "\(asked)")
            let usual = try await stage.send("POST", "/request", Self.request(bank: nil))
            #expect(usual.json["request_id"] != asked.json["request_id"], "another bank is another request")
            let pending = try await stage.send("GET", "/phone/requests/pending", as: .phone).json["requests"]
            let banks = pending?.arrayValue?.compactMap { $0["envelope"]?["bank_id"]?.stringValue }
            #expect(banks?.sorted() == ["default", "north"])
        }
    }

    @Test("an unknown bank is refused with those that there are")
    func unknown() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let early = try await stage.send("POST", "/request", Self.request(bank: "north"))
            #expect(early.status == 400 && early.json["error_message"]?.stringValue?.contains("default") == true)
            #expect(try await stage.send("POST", "/request", Self.request(bank: "default")).status == 202)
            _ = try await stage.send("PUT", "/phone/banks", as: .phone, Self.two)
            let late = try await stage.send("POST", "/request", Self.request(bank: "south", month: 2))
            #expect(late.json["error_code"] == "INVALID_FIELD")
            #expect(late.json["error_message"]?.stringValue?.contains("default, north") == true, "\(late)")
        }
    }

    @Test("one name of an agent belongs to one bank")
    func idempotency() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            _ = try await stage.send("PUT", "/phone/banks", as: .phone, Self.two)
            let first = try await stage.send("POST", "/request", Self.request(bank: "north", key: "a"))
            let again = try await stage.send("POST", "/request", Self.request(bank: "north", key: "a"))
            #expect(first.status == 202 && again.json["request_id"] == first.json["request_id"])
            #expect(try await stage.send("POST", "/request", Self.request(bank: "default", key: "a")).status == 409)
        }
    }

    @Test("an agent cannot tell banks, nor a phone list them; a new list replaces the old one")
    func sides() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            #expect(try await stage.send("PUT", "/phone/banks", Self.two).status == 401)
            #expect(try await stage.send("GET", "/banks", as: .phone).status == 401)
            _ = try await stage.send("PUT", "/phone/banks", as: .phone, Self.two)
            _ = try await stage.send("PUT", "/phone/banks", as: .phone, ["banks": []])
            #expect(try await stage.send("GET", "/banks").json == ["banks": []])
        }
    }

    @Test(
        "what is not a list of banks is refused",
        arguments: [
            [:], ["banks": "north"], ["banks": [["bank_id": "north"]]], ["banks": [["bank_id": "No", "name": "x"]]],
            ["banks": [["bank_id": "north", "name": "a\u{202E}b"]]], ["banks": [["bank_id": "north", "name": " "]]],
        ] as [JSONValue])
    func refused(body: JSONValue) async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let answer = try await stage.send("PUT", "/phone/banks", as: .phone, body)
            #expect(answer.status == 400)
        }
    }

    private static func request(bank: String?, month: Int = 1, key: String? = nil) -> JSONValue {
        StatementRequest(month: month, year: 2026, bankID: bank, agentRequestID: key).json
    }
}
