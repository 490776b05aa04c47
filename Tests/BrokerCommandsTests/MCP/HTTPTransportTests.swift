import Broker
import BrokerClient
import Encodings
import Foundation
import Messages
import Testing

@testable import BrokerCommands

@Suite("The transport over HTTP", .timeLimit(.minutes(4)))
struct HTTPTransportTests {
    private static let meta: JSONValue = [
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": [:],
    ]

    private static func request(_ method: String, _ params: [String: JSONValue] = [:]) -> JSONValue {
        ["jsonrpc": "2.0", "id": 1, "method": .string(method), "params": .object(params)]
    }

    private static func headers(_ method: String, _ name: String? = nil) -> [String: String] {
        var headers = ["mcp-protocol-version": "2026-07-28", "mcp-method": method]
        headers["mcp-name"] = name
        return headers
    }

    private static func answer(
        _ body: [UInt8], _ headers: [String: String], in session: MCPSession, endingIn seconds: TimeInterval = 60
    ) async throws -> (status: Int, messages: [JSONValue], signs: Int) {
        let transport = HTTPTransport(client: session.client, page: nil, answered: AnsweredAddresses())
        let call = RemoteCall(
            agent: try #require(AgentName("books")), endsAt: Date().addingTimeInterval(seconds), body: body,
            headers: headers)
        switch await transport.answer(call) {
        case .accepted: return (202, [], 0)
        case .message(let status, let bytes): return (status, [try JSONReader.read(bytes)], 0)
        case .stream(let stream):
            var (messages, signs) = ([JSONValue](), 0)
            for await bytes in stream {
                if bytes.isEmpty { signs += 1 } else { messages.append(try JSONReader.read(bytes)) }
            }
            return (200, messages, signs)
        }
    }

    @Test("answers each version: the stateless one, and those with a handshake that nothing remembers")
    func versions() async throws {
        try await MCPSession.with { session in
            let listed = try await Self.answer(
                Self.request("tools/list", ["_meta": Self.meta]).compactBytes(), Self.headers("tools/list"), in: session
            )
            #expect(listed.status == 200 && listed.messages[0]["result"]?["tools"]?.arrayValue?.isEmpty == false)
            let greeting = try await Self.answer(
                Self.request("initialize", ["protocolVersion": "2025-11-25"]).compactBytes(), [:], in: session)
            #expect(greeting.messages[0]["result"]?["protocolVersion"] == "2025-11-25")
            let notice = try await Self.answer(
                Array("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}".utf8), [:], in: session)
            #expect(notice.status == 202 && notice.messages.isEmpty)
            for version in ["2025-11-25", "2025-06-18"] {
                let later = try await Self.answer(
                    Self.request("tools/list").compactBytes(), ["mcp-protocol-version": version], in: session)
                #expect(later.messages[0]["result"]?["tools"] != nil, "\(version)")
            }
        }
    }

    @Test(
        "refuses headers that say something else than the message",
        arguments: [
            ("mcp-protocol-version", "2025-11-25"), ("mcp-protocol-version", nil), ("mcp-method", "tools/list"),
            ("mcp-method", nil), ("mcp-name", "request_statement"), ("mcp-name", nil), ("mcp-name", "=?base64?!!?="),
        ] as [(String, String?)])
    func mismatches(name: String, value: String?) async throws {
        try await MCPSession.with { session in
            let body = Self.request("tools/call", ["name": "list_banks", "arguments": [:], "_meta": Self.meta])
                .compactBytes()
            var headers = Self.headers("tools/call", "list_banks")
            #expect(try await Self.answer(body, headers, in: session).status == 200)
            headers["mcp-name"] = "=?base64?bGlzdF9iYW5rcw==?="
            #expect(try await Self.answer(body, headers, in: session).status == 200)
            headers[name] = value
            let refused = try await Self.answer(body, headers, in: session)
            #expect(refused.status == 400 && refused.messages[0]["error"]?["code"] == -32020)
        }
    }

    @Test(
        "refuses batches, unknown versions and everything but a message",
        arguments: [
            ("[]", [:], -32600), ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", [:], -32600),
            ("{", [:], -32700),
            ("", [:], -32700), ("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", [:], -32600),
            (
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}", ["mcp-protocol-version": "2024-11-05"],
                -32022
            ),
            (
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}", ["mcp-protocol-version": "2026-07-28"],
                -32602
            ),
        ] as [(String, [String: String], Int)])
    func refused(body: String, headers: [String: String], code: Int) async throws {
        try await MCPSession.with { session in
            let answer = try await Self.answer(Array(body.utf8), headers, in: session)
            #expect(answer.status == 400)
            #expect(answer.messages[0]["error"]?["code"]?.intValue == code, "\(answer.messages)")
        }
    }

    @Test("an unknown method is 404, and a megabyte of arguments a result that says why")
    func errors() async throws {
        try await MCPSession.with { session in
            let unknown = try await Self.answer(
                Self.request("no/such", ["_meta": Self.meta]).compactBytes(), Self.headers("no/such"), in: session)
            #expect(unknown.status == 404 && unknown.messages[0]["error"]?["code"] == -32601)
            let words = String(repeating: "x", count: 900_000)
            let large = try await Self.answer(
                Self.request(
                    "tools/call",
                    ["name": "request_statement", "arguments": [.init(words): 1], "_meta": Self.meta]
                ).compactBytes(), Self.headers("tools/call", "request_statement"), in: session)
            #expect(large.status == 200 && large.messages[0]["result"]?["isError"] == true)
            #expect(large.messages[0].compactText().utf8.count < 2_000, "what was sent is not sent back whole")
            let larger = try await Self.answer([UInt8](repeating: 0x20, count: (1 << 20) + 1), [:], in: session)
            #expect(larger.status == 400)
        }
    }

    @Test("a wait shows signs of life, and ends with the token")
    func waits() async throws {
        try await MCPSession.with { session in
            let body = Self.request(
                "tools/call",
                [
                    "name": "request_statement",
                    "arguments": ["month": 1, "year": 2026, "wait_seconds": 600], "_meta": Self.meta,
                ]
            ).compactBytes()
            let start = ContinuousClock.now
            let waited = try await Self.answer(
                body, Self.headers("tools/call", "request_statement"), in: session, endingIn: 4)
            // The next sign of life would come after 17 s.
            #expect(ContinuousClock.now - start < .seconds(14))
            #expect(waited.signs >= 1)
            let result = waited.messages.last?["result"]?["structuredContent"]
            #expect(result?["status"] == "PENDING_APPROVAL", "\(waited.messages)")
        }
    }
}
