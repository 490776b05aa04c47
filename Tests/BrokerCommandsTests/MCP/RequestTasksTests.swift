import BrokerClient
import Encodings
import Foundation
import Messages
import Secrets
import TestParties
import Testing

@testable import BrokerCommands

@Suite("A request is a task", .timeLimit(.minutes(4)))
struct RequestTasksTests {
    private static let follows: JSONValue = ["extensions": ["io.modelcontextprotocol/tasks": [:]]]
    private static let opens: JSONValue = [
        "extensions": ["io.modelcontextprotocol/tasks": [:]], "elicitation": ["url": [:]],
    ]

    private func make(
        _ session: MCPSession, month: Int = 1, _ abilities: JSONValue = Self.follows
    ) async throws -> (JSONValue, RequestID) {
        let answer = try await session.ask(
            "tools/call",
            ["name": "request_statement", "arguments": ["month": .number(Double(month)), "year": 2026]],
            abilities: abilities)
        let result = try #require(answer["result"], "\(answer)")
        return (result, try #require(result["taskId"]?.stringValue.flatMap { RequestID($0) }, "\(answer)"))
    }

    private func get(_ session: MCPSession, _ id: RequestID, _ abilities: JSONValue = Self.follows) async throws
        -> JSONValue
    {
        try await session.ask("tasks/get", ["taskId": .string(id.description)], abilities: abilities)["result"] ?? .null
    }

    @Test("for a client that follows tasks, which gets the result by its id, also from a server that was started later")
    func wholeWay() async throws {
        try await MCPSession.with { session in
            let (made, id) = try await make(session)
            #expect(made["resultType"] == "task" && made["status"] == "working" && made["ttlMs"] == .null)
            #expect(made["createdAt"]?.stringValue?.hasSuffix("Z") == true)
            let waiting = try await get(session, id)
            #expect(waiting["resultType"] == "complete" && waiting["status"] == "working", "\(waiting)")
            #expect(waiting["statusMessage"]?.stringValue?.contains("approval") == true)
            try await session.deliver(id, pdf: "%PDF-1.4 statement startxref 0 %%EOF")
            // Another server of the same agent, as after a restart.
            let later = RequestTasks(client: session.client, page: nil, answered: AnsweredAddresses())
            var task: [String: JSONValue] = [:]
            while task["status"] != "completed" {
                task = try await later.get(["taskId": .string(id.description)])
                #expect(task["status"] == "working" || task["status"] == "completed", "\(task)")
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(task["result"]?["structuredContent"]?["status"] == "COMPLETED")
            #expect(task["result"]?["content"]?.arrayValue?.last?["type"] == "resource_link")
        }
    }

    @Test("and for no other client")
    func others() async throws {
        try await MCPSession.with { session in
            let plain = try await session.callTool("request_statement", ["month": 1, "year": 2026])
            #expect(plain["resultType"] == "complete" && plain["structuredContent"]?["request_id"] != nil)
            // What has ended is a result at once.
            let id = try #require(plain["structuredContent"]?["request_id"]?.stringValue.flatMap { RequestID($0) })
            try await session.client.withdraw(id)
            #expect(try await get(session, id)["status"] == "cancelled")
            session.say([
                "jsonrpc": "2.0", "id": 7, "method": "initialize",
                "params": [
                    "protocolVersion": "2025-11-25", "capabilities": [:], "clientInfo": ["name": "t", "version": "1"],
                ],
            ])
            let capabilities = try await session.hear()["result"]?["capabilities"]
            #expect(capabilities?["extensions"] == nil)
            session.say(["jsonrpc": "2.0", "id": 8, "method": "tasks/get", "params": ["taskId": "x"]])
            #expect(try await session.hear()["error"]?["code"] == -32601)
        }
    }

    @Test("whose question is an address, never a form, and whose answer decides nothing")
    func question() async throws {
        try await MCPSession.with { session in
            let (_, id) = try await make(session, Self.opens)
            let task = try await get(session, id, Self.opens)
            #expect(task["status"] == "input_required", "\(task)")
            let question = task["inputRequests"]?["approval"]
            #expect(question?["method"] == "elicitation/create" && question?["params"]?["mode"] == "url")
            #expect(question?["params"]?["url"]?.stringValue == "http://localhost:9443/#r-\(id.short)")
            #expect(question?["params"]?["requestedSchema"] == nil)
            #expect(try await get(session, id)["status"] == "working", "a client that cannot show it is not asked")
            for action in ["accept", "accept"] as [JSONValue] {
                let answer = try await session.ask(
                    "tasks/update",
                    [
                        "taskId": .string(id.description),
                        "inputResponses": ["approval": ["action": action], "other": ["action": "accept"]],
                    ], abilities: Self.opens)
                #expect(answer["result"]?["resultType"] == "complete", "\(answer)")
            }
            #expect(try await get(session, id, Self.opens)["status"] == "working")
            #expect(try await session.client.request(id).status == .pendingApproval)
        }
    }

    @Test("that its agent can take back while it waits, and not once it runs")
    func cancel() async throws {
        try await MCPSession.with { session in
            func cancel(_ id: RequestID) async throws -> JSONValue {
                try await session.ask("tasks/cancel", ["taskId": .string(id.description)], abilities: Self.follows)
            }
            let (_, waiting) = try await make(session)
            #expect(try await cancel(waiting)["result"]?["resultType"] == "complete")
            #expect(try await get(session, waiting)["status"] == "cancelled")
            #expect(try await session.client.request(waiting).errorCode == "WITHDRAWN_BY_AGENT")
            #expect(try await cancel(waiting)["result"] != nil, "cancelling twice is allowed")
            let (_, running) = try await make(session, month: 2)
            try await session.approve(running)
            #expect(try await cancel(running)["result"] != nil)
            #expect(try await get(session, running)["status"] == "working")
        }
    }

    @Test("without a client that asks about it ends by itself, and says then that its time was over")
    func expired() async throws {
        let clock = TestClock()
        try await MCPSession.with(clock: clock.brokerClock) { session in
            let (_, id) = try await make(session)
            clock.advance(by: 301)
            var task = try await get(session, id)
            while task["status"] == "working" {
                try await Task.sleep(for: .milliseconds(50))
                task = try await get(session, id)
            }
            #expect(task["status"] == "completed", "\(task)")
            #expect(task["result"]?["structuredContent"]?["status"] == "EXPIRED", "\(task)")
            #expect(task["statusMessage"]?.stringValue?.contains("EXPIRED") == true)
            let late = try await session.ask(
                "tasks/cancel", ["taskId": .string(id.description)], abilities: Self.follows)
            #expect(late["result"]?["resultType"] == "complete", "\(late)")
            #expect(try await session.client.request(id).status == .expired)
        }
    }

    @Test("that answers a client that polls without a pause, and arguments of a megabyte")
    func flood() async throws {
        try await MCPSession.with { session in
            let (_, id) = try await make(session)
            for number in 0..<300 {
                session.say([
                    "jsonrpc": "2.0", "id": .number(Double(1000 + number)), "method": "tasks/get",
                    "params": [
                        "taskId": .string(id.description),
                        "_meta": [
                            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                            "io.modelcontextprotocol/clientCapabilities": Self.follows,
                        ],
                    ],
                ])
            }
            var answered: Set<Int> = []
            while answered.count < 300 {
                let answer = try await session.hear()
                #expect(answer["result"]?["status"] == "working" || answer["error"]?["code"] == -32603, "\(answer)")
                answered.insert(try #require(answer["id"]?.intValue))
            }
            let long = try await session.ask(
                "tasks/get", ["taskId": .string(String(repeating: "x", count: 1 << 20))], abilities: Self.follows)
            #expect(long["error"]?["code"] == -32700 || long["error"]?["code"] == -32602, "\(long)")
            #expect(try await get(session, id)["status"] == "working")
        }
    }

    @Test(
        "that is unknown to other agents, and under any other id", arguments: ["", "x", "other", "unknown", "missing"])
    func unknown(id: String) async throws {
        try await MCPSession.with { session in
            let text =
                switch id {
                case "other": try await session.requestOfAnotherAgent().description
                case "unknown": RequestID().description
                default: id
                }
            for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
                var params: [String: JSONValue] = ["taskId": .string(text), "inputResponses": [:]]
                if id == "missing" { params["taskId"] = nil }
                let answer = try await session.ask(method, params, abilities: Self.follows)
                #expect(answer["error"]?["code"] == -32602, "\(method): \(answer)")
            }
        }
    }

    // MARK: Streams

    private func listen(_ session: MCPSession, _ wishes: JSONValue, _ abilities: JSONValue = Self.follows) {
        session.say([
            "jsonrpc": "2.0", "id": "s", "method": "subscriptions/listen",
            "params": [
                "notifications": wishes,
                "_meta": [
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientCapabilities": abilities,
                ],
            ],
        ])
    }

    @Test("and its states come over a stream, which names what it sends first and ends with an answer")
    func stream() async throws {
        try await MCPSession.with { session in
            let (_, id) = try await make(session)
            let other = try await session.requestOfAnotherAgent()
            listen(
                session,
                [
                    "taskIds": [.string(id.description), .string(other.description), "x"], "promptsListChanged": true,
                    "resourcesListChanged": true,
                ])
            let agreed = try await session.hear()
            #expect(agreed["method"] == "notifications/subscriptions/acknowledged", "\(agreed)")
            #expect(agreed["params"]?["_meta"]?["io.modelcontextprotocol/subscriptionId"] == "s")
            #expect(
                agreed["params"]?["notifications"]
                    == ["taskIds": [.string(id.description)], "resourcesListChanged": true])
            let first = try await session.hear()
            #expect(first["method"] == "notifications/tasks" && first["params"]?["status"] == "working", "\(first)")
            try await session.deliver(id, pdf: "%PDF-1.4 statement startxref 0 %%EOF")
            var methods: Set<String> = []
            var last: JSONValue = [:]
            while methods.count < 2 || last["status"] != "completed" {
                let message = try await session.hear()
                #expect(message["params"]?["_meta"]?["io.modelcontextprotocol/subscriptionId"] == "s")
                methods.insert(message["method"]?.stringValue ?? "")
                if message["method"] == "notifications/tasks" { last = message["params"] ?? [:] }
            }
            #expect(methods == ["notifications/tasks", "notifications/resources/list_changed"])
            #expect(last["result"]?["structuredContent"]?["status"] == "COMPLETED")
            let end = await session.end().last
            #expect(end?["id"] == "s" && end?["result"]?["resultType"] == "complete", "\(end ?? .null)")
        }
    }

    @Test("and a stream that cannot be is refused")
    func refusedStreams() async throws {
        try await MCPSession.with { session in
            listen(session, ["taskIds": ["x"]], [:])
            let missing = try await session.hear()
            #expect(missing["error"]?["code"] == -32021, "\(missing)")
            #expect(
                missing["error"]?["data"]?["requiredCapabilities"]?["extensions"]?["io.modelcontextprotocol/tasks"]
                    != nil)
            listen(session, .array([]))
            #expect(try await session.hear()["error"]?["code"] == -32602)
            listen(session, ["taskIds": .array((0..<33).map { _ in .string(RequestID().description) })])
            #expect(try await session.hear()["error"]?["code"] == -32602)
        }
    }
}
