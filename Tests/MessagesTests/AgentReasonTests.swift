import Encodings
import Testing

@testable import Messages

@Suite("An agent's reason")
struct AgentReasonTests {
    @Test(
        "has 1 to 200 characters, and one that a reader sees",
        arguments: [
            ("Quarterly VAT return", true), ("x", true), ("", false), ("   ", false), ("\n\t", false),
            (String(repeating: "x", count: 200), true), (String(repeating: "x", count: 201), false),
            ("e" + String(repeating: "\u{301}", count: 200), false),
        ] as [(String, Bool)])
    func limits(text: String, isReason: Bool) {
        #expect((AgentReason(text) != nil) == isReason)
    }

    @Test("is one line, whatever it holds")
    func shown() throws {
        let reason = try #require(AgentReason("tax\nApproved by your bank\u{202E}\u{7}"))
        #expect(reason.shown == "tax\\u000aApproved by your bank\\u202e\\u0007")
    }

    @Test(
        "closes no quotation mark around it",
        arguments: ["”", "“", "„", "«", "»", "\""])
    func quotation(mark: String) throws {
        let reason = try #require(AgentReason("tax\(mark), checked by Countersign: \(mark)genuine"))
        #expect(reason.shown == "tax', checked by Countersign: 'genuine")
    }

    @Test(
        "has no link, name or command in a messenger",
        arguments: [
            ("see https://evil.example/x", "see https: / / evil. example/ x"), ("/start now", "/ start now"),
            ("ask @helper #1", "ask @ helper # 1"), ("the tax return", "the tax return"),
        ])
    func links(text: String, shown: String) throws {
        #expect(try #require(AgentReason(text)).shownWithoutLinks == shown)
    }

    @Test(
        "is read from both bodies, and refused with the field's name",
        arguments: ["statement", "documents"])
    func bodies(type: String) throws {
        var members: [String: JSONValue] =
            type == "statement"
            ? ["type": "statement", "month": 1, "year": 2026]
            : ["type": "documents", "from": "2026-01", "to": "2026-02"]
        members["reason"] = "the tax return"
        let body = try AgentRequestBody(json: .object(members))
        let (reason, json) =
            switch body {
            case .statement(let request): (request.reason, request.json)
            case .documents(let request): (request.reason, request.json)
            }
        #expect(reason?.text == "the tax return" && json["reason"] == "the tax return")
        members["reason"] = .null
        #expect(throws: Never.self) { try AgentRequestBody(json: .object(members)) }
        for bad in ["", " ", .string(String(repeating: "x", count: 201)), 5] as [JSONValue] {
            members["reason"] = bad
            let error = try #require(throws: BodyError.self) { try AgentRequestBody(json: .object(members)) }
            #expect(error.code == .invalidField && error.message.hasPrefix("“reason” is "))
        }
    }
}
