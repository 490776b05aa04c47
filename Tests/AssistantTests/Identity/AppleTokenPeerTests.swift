import Encodings
import TestSupport
import Testing

@testable import Assistant

@Suite("Identity tokens by PyJWT and joserfc", .needsPeers) struct AppleTokenPeerTests {
    @Test("right ones sign in, and each wrong one is refused")
    func tokens() async throws {
        try await AssistantStage().run { stage in
            let claims = JSONValue.object(AppleAuthority.claims(at: stage.now)).compactText()
            let outcome = try await Peers.run(script: "apple_tokens.py", [claims])
            try #require(outcome.status == 0, "\(outcome.text)")
            let made = try JSONReader.read(outcome.output)
            stage.apple.publish(made["keys"]?.arrayValue ?? [])
            func attempts(_ member: String) async throws -> [String: String] {
                var codes: [String: String] = [:]
                for (name, token) in made[member]?.objectValue ?? [:] {
                    let answer = try await stage.send(
                        "POST", "/v1/auth/ios/session", ["apple_identity_token": token, "device_id": "phone"])
                    codes[name] = "\(answer.status) \(answer.code)"
                }
                return codes
            }
            let right = try await attempts("right")
            #expect(right.count == 4)
            #expect(right.values.allSatisfy { $0 == "200 " }, "\(right)")
            let wrong = try await attempts("wrong")
            #expect(wrong.count == 8)
            #expect(wrong.values.allSatisfy { $0 == "401 INVALID_IDENTITY_TOKEN" }, "\(wrong)")
        }
    }
}
