import Broker
import Encodings
import Foundation
import Messages
import Testing

@testable import BrokerClient
@testable import BrokerCommands

@Suite("The agents' server speaks the Model Context Protocol")
struct ProtocolTests {
    @Test(
        "agrees on a version at the handshake",
        arguments: [
            ("2025-11-25", "2025-11-25"), ("2025-06-18", "2025-06-18"), ("2024-11-05", "2025-11-25"),
            ("2026-07-28", "2025-11-25"), ("1.0", "2025-11-25"),
        ])
    func handshake(requested: String, agreed: String) async throws {
        try await MCPSession.with { session in
            session.say([
                "jsonrpc": "2.0", "id": "a", "method": "initialize",
                "params": [
                    "protocolVersion": .string(requested), "capabilities": [:],
                    "clientInfo": ["name": "t", "version": "1"],
                ],
            ])
            let answer = try await session.hear()
            #expect(answer["id"] == "a")
            #expect(answer["result"]?["protocolVersion"]?.stringValue == agreed)
            #expect(answer["result"]?["capabilities"]?["tools"] != nil)
            session.say(["jsonrpc": "2.0", "method": "notifications/initialized"])
            session.say(["jsonrpc": "2.0", "id": 2, "method": "tools/list"])
            let tools = try await session.hear()["result"]
            #expect(tools?["tools"]?.arrayValue?.count == 9)
            #expect(tools?["resultType"] == nil, "the older form has no such member")
        }
    }

    @Test("answers each request by itself in the stateless form")
    func stateless() async throws {
        try await MCPSession.with { session in
            let discovered = try await session.ask("server/discover")["result"]
            #expect(discovered?["supportedVersions"]?.arrayValue?.contains("2026-07-28") == true)
            #expect(discovered?["resultType"] == "complete")
            #expect(discovered?["ttlMs"] != nil && discovered?["cacheScope"] != nil)
            #expect(discovered?["_meta"]?["io.modelcontextprotocol/serverInfo"]?["name"] == "countersign")
            let tools = try await session.ask("tools/list")["result"]?["tools"]?.arrayValue
            #expect(
                tools?.compactMap { $0["name"]?.stringValue } == [
                    "request_statement", "request_documents", "offer_documents", "get_request", "list_requests",
                    "list_banks", "list_documents", "find_documents", "read_document",
                ])
        }
    }

    @Test(
        "reports an invalid message",
        arguments: [
            ("{", -32700), ("[]", -32600), (#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
            (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#, -32602),
            (
                #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01"}}}"#,
                -32022
            ),
            (
                #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
                -32602
            ),
        ])
    func errors(line: String, code: Int) async throws {
        try await MCPSession.with { session in
            session.say(line)
            let answer = try await session.hear()
            #expect(answer["error"]?["code"]?.intValue == code, "\(answer)")
            if code == -32022 {
                #expect(answer["error"]?["data"]?["supported"]?.arrayValue?.contains("2026-07-28") == true)
            }
            session.say(#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#)
            #expect(try await session.hear()["result"] == [:], "and goes on")
        }
    }

    @Test("refuses unknown methods and tools")
    func unknown() async throws {
        try await MCPSession.with { session in
            let method = try await session.ask("prompts/list")
            #expect(method["error"]?["code"]?.intValue == -32601)
            let tool = try await session.ask("tools/call", ["name": "approve"])
            #expect(tool["error"]?["code"]?.intValue == -32602)
            let words = tool["error"]?["message"]?.stringValue ?? ""
            #expect(words.hasPrefix("unknown tool “approve”; the tools are request_statement, "), "\(words)")
        }
    }

    @Test("the form of a request's id is in the tool's schema, and fits the ids that there are")
    func idForm() async throws {
        try await MCPSession.with { session in
            let tools = try await session.ask("tools/list")["result"]?["tools"]?.arrayValue
            let asking = tools?.first { $0["name"] == "get_request" }
            let pattern = asking?["inputSchema"]?["properties"]?["request_id"]?["pattern"]?.stringValue
            let form = try Regex(try #require(pattern))
            let asked = try await session.callTool("request_statement", ["month": 1, "year": 2026])
            let id = try #require(asked["structuredContent"]?["request_id"]?.stringValue)
            #expect(id.wholeMatch(of: form) != nil, "\(id)")
            for wrong in ["sample", id.uppercased(), id + "0", ""] {
                #expect(wrong.wholeMatch(of: form) == nil, "\(wrong)")
            }
        }
    }
}

@Suite("The agents' server")
struct MCPServerTests {
    @Test("asks for a statement and reports its state")
    func asks() async throws {
        try await MCPSession.with { session in
            let asked = try await session.callTool("request_statement", ["month": 1, "year": 2026])
            #expect(asked["isError"] == nil)
            let id = try #require(asked["structuredContent"]?["request_id"])
            #expect(asked["structuredContent"]?["status"] == "PENDING_APPROVAL")
            let status = try await session.callTool("get_request", ["request_id": id])
            #expect(status["structuredContent"]?["status"] == "PENDING_APPROVAL")
            #expect(status["content"]?.arrayValue?.count == 1, "no link before there is a PDF")
            let banks = try await session.callTool("list_banks", [:])
            #expect(banks["structuredContent"] == ["banks": []])
            let list = try await session.callTool("list_requests", [:])
            #expect(list["structuredContent"]?["requests"]?.arrayValue?.first?["request_id"] == id)
        }
    }

    @Test(
        "takes a kind of files that is plugged in, names it in its tools, and refuses another with the kinds there are")
    func pluggedKind() async {
        await #expect(processExitsWith: .success) {
            DocumentKind.plug([DocumentKind("export", mediaType: "application/vnd.export", fileExtension: "exp")])
            try await MCPSession.with { session in
                try await session.tellBanks("default", kinds: ["pdf", "export"])
                let tools = try await session.ask("tools/list")["result"]?["tools"]?.arrayValue
                for tool in ["request_documents", "offer_documents"] {
                    let schema = tools?.first { $0["name"]?.stringValue == tool }?["inputSchema"]
                    let kinds = schema?["properties"]?["kinds"]?["items"]?["enum"]?.arrayValue
                    #expect(kinds?.contains("export") == true, "\(tool): \(String(describing: schema))")
                }
                let asked = try await session.callTool(
                    "request_documents", ["from": "2026-01", "to": "2026-01", "kinds": ["export"]])
                #expect(asked["isError"] == nil, "\(asked)")
                let id = try #require(asked["structuredContent"]?["request_id"])
                let state = try await session.callTool("get_request", ["request_id": id])
                let documents = state["structuredContent"]?["documents"]?.arrayValue
                #expect(documents?.map { $0["media_type"] } == ["application/vnd.export"], "\(state)")
                let other = try await session.callTool(
                    "request_documents", ["from": "2026-01", "to": "2026-01", "kinds": ["gone"]])
                #expect(other["isError"] == true)
                #expect(other.compactText().contains("must be among pdf, csv"), "\(other)")
                #expect(other.compactText().contains(", export"), "\(other)")

                // The same broker and server after the plug-in was left out.
                DocumentKind.plug([])
                let later = try await session.callTool("get_request", ["request_id": id])
                #expect(later["structuredContent"]?["documents"]?.arrayValue?.map { $0["kind"] } == ["export"])
                let list = try await session.callTool("list_requests", [:])
                #expect(list["isError"] == nil && list.compactText().contains("export"), "\(list)")
            }
        }
    }

    @Test("offers documents for later, and returns the offer that waits when they are offered again")
    func offers() async throws {
        try await MCPSession.with { session in
            let offered = try await session.callTool("offer_documents", ["from": "2026-01"])
            let offer = try #require(offered["structuredContent"])
            #expect(offered["isError"] == nil && offer["status"] == "WAITING", "\(offered)")
            #expect(offer["from"] == "2026-01" && offer["to"] == "2026-01" && offer["kinds"] == ["pdf"])
            let again = try await session.callTool("offer_documents", ["from": "2026-01", "to": "2026-01"])
            #expect(again["structuredContent"]?["offer_id"] == offer["offer_id"])
            let list = try await session.callTool("list_requests", [:])
            #expect(list["structuredContent"]?["requests"] == [], "an offer is not a request")
            let own = try await session.client.offers()
            #expect(own.map { JSONValue.string($0.id.description) } == [offer["offer_id"]])
            let withdrawn = try await session.client.withdraw(try #require(own.first).id)
            #expect(withdrawn.status == .withdrawn)
        }
    }

    @Test(
        "refuses an offer that no request could follow, and says why",
        arguments: [
            ([:], "“from” is needed"), (["from": "January"], "a month such as 2026-01"),
            (["from": "2026-02", "to": "2026-01"], "before “from”"), (["from": "2099-01"], "has not begun"),
            (["from": "2026-01", "bank_id": "west"], "the banks are default"),
            (["from": "2026-01", "kinds": ["docx"]], "must be among pdf, csv"),
        ] as [(JSONValue, String)])
    func offersRefused(arguments: JSONValue, hint: String) async throws {
        try await MCPSession.with { session in
            let answer = try await session.callTool("offer_documents", arguments)
            #expect(answer["isError"] == true)
            let words = answer["content"]?.arrayValue?.first?["text"]?.stringValue ?? ""
            #expect(words.contains(hint), "\(words)")
            #expect(try await session.client.offers().isEmpty)
        }
    }

    @Test("waits for the end, links to the PDF, and hands it over only when asked", .timeLimit(.minutes(3)))
    func completed() async throws {
        try await MCPSession.with { session in
            let request = try await session.client.requestStatement(month: 1, year: 2026)
            async let waited = session.callTool(
                "get_request", ["request_id": .string(request.id.description), "wait_seconds": 50])
            try await session.deliver(request.id, pdf: "%PDF-1.4 statement startxref 0 %%EOF")
            let result = try await waited
            #expect(result["structuredContent"]?["status"] == "COMPLETED")
            let link = try #require(result["content"]?.arrayValue?.last)
            #expect(link["type"] == "resource_link")
            #expect(link["mimeType"] == "application/pdf")
            #expect(!result.compactText().contains(Data("%PDF".utf8).base64EncodedString().prefix(5)))
            let uri = try #require(link["uri"])
            let read = try await session.ask("resources/read", ["uri": uri])["result"]
            let blob = read?["contents"]?.arrayValue?.first?["blob"]?.stringValue
            #expect(blob.flatMap { Data(base64Encoded: $0) } == Data("%PDF-1.4 statement startxref 0 %%EOF".utf8))
            let listed = try await session.ask("resources/list")["result"]?["resources"]?.arrayValue
            #expect(listed?.map { $0["uri"] } == [uri])
        }
    }

    @Test(
        "reads only the files of completed requests",
        arguments: ["file:///etc/passwd", "http://127.0.0.1/", "", "file:///0f0e0d0c-0b0a-4900-8807-060504030201.pdf"])
    func otherFiles(uri: String) async throws {
        try await MCPSession.with { session in
            let answer = try await session.ask("resources/read", ["uri": .string(uri)])
            #expect(answer["error"]?["code"]?.intValue == -32002)
        }
    }

    @Test(
        "tells the assistant the banks when there are several, and asks the only one without a question",
        arguments: [
            ("request_statement", ["month": 1, "year": 2026]),
            ("request_documents", ["from": "2026-01", "to": "2026-01"]),
            ("offer_documents", ["from": "2026-01"]),
        ] as [(String, JSONValue)])
    func unnamedBank(tool: String, arguments: JSONValue) async throws {
        try await MCPSession.with { session in
            try await session.tellBanks("north", "south")
            let several = try await session.callTool(tool, arguments)
            #expect(
                several["isError"] == true && several.compactText().contains("name one of north, south"), "\(several)")
            try await session.tellBanks("north")
            let only = try await session.callTool(tool, arguments)
            #expect(only["isError"] != true, "\(only)")
            let tools = try await session.ask("tools/list")["result"]?["tools"]?.arrayValue
            let described = tools?.first { $0["name"]?.stringValue == tool }?["inputSchema"]?["properties"]?["bank_id"]
            #expect(described?["description"] == "One of list_banks; needed when there are several")
        }
    }

    @Test(
        "tells the assistant what is wrong with its arguments",
        arguments: [
            ("request_statement", ["month": 13, "year": 2026], "month"), ("request_statement", [:], "month"),
            ("request_statement", ["month": "1", "year": 2026], "month"), ("get_request", [:], "request_id"),
            (
                "get_request", ["request_id": "0f0e0d0c-0b0a-4900-8807-060504030201"], "REQUEST_NOT_FOUND"
            ),
            ("request_statement", ["month": 1, "year": 2026, "bank": "x"], "it takes agent_request_id, bank_id"),
            ("list_banks", ["bank": "x"], "it takes none"), ("list_requests", ["status": "LOST"], "status"),
            ("list_requests", ["cursor": "x"], "cursor"),
        ] as [(String, JSONValue, String)])
    func arguments(tool: String, arguments: JSONValue, word: String) async throws {
        try await MCPSession.with { session in
            let result = try await session.callTool(tool, arguments)
            #expect(result["isError"] == true)
            #expect(result["content"]?.arrayValue?.first?["text"]?.stringValue?.contains(word) == true, "\(result)")
        }
    }

    @Test("forgets a call that the client cancelled, and stops waiting when the input ends", .timeLimit(.minutes(3)))
    func cancelled() async throws {
        try await MCPSession.with { session in
            let request = try await session.client.requestStatement(month: 1, year: 2026)
            let unfinished = try await session.client.requestStatement(month: 2, year: 2026)
            for (id, waitedFor) in [(5, request), (6, request), (8, unfinished)] as [(JSONValue, AgentRequest)] {
                session.say([
                    "jsonrpc": "2.0", "id": id, "method": "tools/call",
                    "params": [
                        "name": "get_request",
                        "arguments": ["request_id": .string(waitedFor.id.description), "wait_seconds": 600],
                        "_meta": [
                            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                            "io.modelcontextprotocol/clientCapabilities": [:], "progressToken": id,
                        ],
                    ],
                ])
            }
            session.say(["jsonrpc": "2.0", "method": "notifications/cancelled", "params": ["requestId": 5]])
            session.say(["jsonrpc": "2.0", "id": 7, "method": "ping"])
            #expect(try await session.hear()["id"] == 7)
            // This ends the wait of 5 and 6. The server answers all calls that it still knows before it ends.
            try await session.deliver(request.id, pdf: "%PDF-1.4 statement startxref 0 %%EOF")
            let answer = try await session.hear()
            #expect(answer["id"] == 6)
            #expect(answer["result"]?["structuredContent"]?["status"] == "COMPLETED")
            let rest = await session.end()
            #expect(rest.compactMap { $0["id"] } == [8], "\(rest)")
        }
    }
}
