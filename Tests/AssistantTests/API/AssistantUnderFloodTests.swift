import Encodings
import Foundation
import TestServers
import Testing

@testable import Assistant

@Suite("The assistant under a flood", .timeLimit(.minutes(3)))
struct AssistantUnderFloodTests {
    @Test("answers a user who is signed in")
    func user() async throws {
        try await AssistantStage().run { stage in
            let token = try await stage.accessToken()
            let flood = Flood(
                "assistant",
                [
                    { _ = try await stage.send("GET", "/v1/preferences", token: "x") },
                    { _ = try await stage.send("POST", "/v1/auth/refresh", ["refresh_token": "wrong"]) },
                    {
                        _ = try await stage.send(
                            "POST", "/v1/auth/ios/session", ["apple_identity_token": "a.b.c", "device_id": "phone"])
                    },
                    {
                        _ = try await stage.send(
                            "POST", "/v1/auth/passkey/register/start", ["device_id": "phone", "time_zone": "UTC"])
                    },
                    { _ = try await stage.send("GET", "/healthz") },
                    { _ = try await stage.send("POST", "/v1/connectors", raw: Array(repeating: 0x20, count: 60_000)) },
                ])
            let outcome = await flood.beside { _ in
                let answer = try await stage.send("GET", "/v1/preferences", token: token)
                return answer.status == 200 ? nil : "a call was answered \(answer.status) \(answer.code)"
            }
            #expect(outcome.failures.isEmpty, "\(outcome.failures.prefix(3))")
            if Flood.isMeasured { #expect(outcome.prompt >= 99, "\(outcome.row)") }
        }
    }
}
