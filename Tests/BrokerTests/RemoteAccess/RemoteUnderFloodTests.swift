import Encodings
import Foundation
import TestServers
import Testing

@testable import Broker

@Suite("The server for programs elsewhere under a flood", .timeLimit(.minutes(3)))
struct RemoteUnderFloodTests {
    @Test("answers a program that was allowed")
    func program() async throws {
        try await RemoteStage.run { stage in
            let tokens = try await stage.tokens()
            let message = Array("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}".utf8)
            @Sendable func send(_ token: String) async throws -> Int {
                try await stage.send(
                    "POST", "/mcp",
                    [
                        ("Authorization", "Bearer \(token)"), ("Content-Type", "application/json"),
                        ("Accept", "application/json, text/event-stream"),
                    ], body: message
                ).status
            }
            let flood = Flood(
                "MCP over HTTP",
                [
                    { _ = try await send("a token that was never given") },
                    { _ = try await stage.register() },
                    { _ = try await stage.authorize(stage.question(of: "a client that is unknown")) },
                    {
                        _ = try await stage.token([
                            "grant_type": "refresh_token", "refresh_token": "wrong", "client_id": tokens.client,
                        ])
                    },
                    { _ = try await stage.send("GET", "/.well-known/oauth-authorization-server") },
                    { _ = try await stage.send("POST", "/mcp", [], body: Array(repeating: 0x20, count: 60_000)) },
                ])
            let outcome = await flood.beside { _ in
                let status = try await send(tokens.access)
                return status == 200 ? nil : "a message was answered \(status)"
            }
            #expect(outcome.failures.isEmpty, "\(outcome.failures.prefix(3))")
            if Flood.isMeasured { #expect(outcome.prompt >= 99, "\(outcome.row)") }
        }
    }
}
