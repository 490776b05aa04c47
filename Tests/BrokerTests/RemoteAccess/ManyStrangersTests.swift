import CurlClient
import Encodings
import Foundation
import Messages
import TestParties
import TestServers
import Testing

@testable import Broker

@Suite("Strangers at the server for programs elsewhere, behind its proxy", .timeLimit(.minutes(3)))
struct ManyStrangersTests {
    /// Calls as the proxy passes them on.
    private struct Proxy: Sendable {
        static let origin = "https://mcp.example"

        let stage: RemoteStage
        let http: CurlSession
        let port: Int

        func send(
            _ method: String, _ path: String, from address: String, _ type: String? = nil, body: [UInt8]? = nil
        ) async throws -> HTTPResponse {
            let headers = [
                ("Host", "mcp.example"), ("X-Forwarded-Proto", "https"), ("X-Forwarded-For", "192.0.2.1, \(address)"),
            ]
            return try await http.send(
                HTTPRequest(
                    method, "http://127.0.0.1:\(port)\(path)",
                    headers: (headers + (type.map { [("Content-Type", $0)] } ?? [])).map { HTTPHeader($0.0, $0.1) },
                    body: body))
        }

        func register(from address: String) async throws -> (status: Int, client: String?) {
            let body: JSONValue = ["client_name": "Books", "redirect_uris": [.string(RemoteStage.returnsTo)]]
            let answer = try await send(
                "POST", "/register", from: address, "application/json", body: body.compactBytes())
            return (answer.status, try? JSONReader.read(answer.body)["client_id"]?.stringValue)
        }

        func ask(_ client: String, from address: String) async throws -> Int {
            var question = stage.question(of: client)
            question["resource"] = Self.origin + "/mcp"
            return try await send("GET", "/authorize?" + RemoteStage.encoded(question), from: address).status
        }
    }

    private func withProxy(_ body: @escaping @Sendable (Proxy) async throws -> Void) async throws {
        try await BrokerStage().run { broker in
            let port = try FreePort.find()
            try await RemoteStage.serve(beside: broker, port: port, behindProxy: Proxy.origin) { stage in
                var configuration = CurlConfiguration()
                configuration.keepsCookies = false
                try await body(Proxy(stage: stage, http: CurlSession(configuration), port: port))
            }
        }
    }

    @Test("of one address use up no other address's registrations, questions and tries")
    func calls() async throws {
        try await withProxy { proxy in
            for (path, type) in [
                ("/register", "application/json"), ("/token", "application/x-www-form-urlencoded"),
                ("/mcp", "application/json"), ("/authorize?client_id=unknown", nil),
            ] {
                var status = 0
                for _ in 0..<120 where status != 429 {
                    status = try await proxy.send(
                        type == nil ? "GET" : "POST", path, from: "203.0.113.7", type, body: type.map { _ in [0x7B] }
                    ).status
                }
                #expect(status == 429, "\(path) has no limit")
            }
            let registered = try await proxy.register(from: "198.51.100.9")
            #expect(registered.status == 201)
            let client = try #require(registered.client)
            #expect(try await proxy.ask(client, from: "198.51.100.9") == 303)
            #expect(try await proxy.send("POST", "/mcp", from: "198.51.100.9").status == 401)
        }
    }

    @Test("of one address take no other address's place among the questions that wait for a person")
    func questions() async throws {
        try await withProxy { proxy in
            let client = try #require(try await proxy.register(from: "203.0.113.7").client)
            for _ in 0..<AuthorizationServer.mostWaiting {
                #expect(try await proxy.ask(client, from: "203.0.113.7") == 303)
            }
            #expect(try await proxy.ask(client, from: "203.0.113.7") == 429)
            let before = Set(try await proxy.stage.waiting().map(\.id))
            #expect(try await proxy.ask(client, from: "198.51.100.9") == 303, "a person asks")
            let waiting = try await proxy.stage.waiting()
            let persons = try #require(waiting.map(\.id).first { !before.contains($0) })
            #expect(waiting.count == AuthorizationServer.mostWaiting)
            for _ in 0..<5 { #expect(try await proxy.ask(client, from: "203.0.113.7") == 429) }
            // Neither do the other addresses of its network.
            #expect(try await proxy.ask(client, from: "2001:db8:1:2::1") == 303)
            #expect(try await proxy.ask(client, from: "2001:db8:1:2::2") == 303)
            #expect(try await proxy.stage.waiting().map(\.id).contains(persons))
        }
    }
}
