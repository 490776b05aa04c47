import CurlClient
import Encodings
import Foundation
import Testing

@testable import Assistant

@Suite("Limits by the caller's address") struct CallerAddressTests {
    private static func forwarded(for address: String) -> [HTTPHeader] {
        [HTTPHeader("X-Forwarded-Proto", "https"), HTTPHeader("X-Forwarded-For", "203.0.113.9, \(address)")]
    }

    private static func refresh(
        _ stage: AssistantStage, _ token: String, from address: String
    ) async throws -> AssistantStage.Answer {
        try await stage.send(
            "POST", "/v1/auth/refresh", ["refresh_token": .string(token)], headers: forwarded(for: address))
    }

    private static func signIn(_ stage: AssistantStage, from address: String) async throws -> AssistantStage.Answer {
        let token = try stage.apple.token(AppleAuthority.claims(subject: "001234.apple", at: stage.now))
        return try await stage.send(
            "POST", "/v1/auth/ios/session", ["apple_identity_token": .string(token), "device_id": "phone"],
            headers: forwarded(for: address))
    }

    /// Calls with wrong tokens until the address is refused.
    private static func flood(_ stage: AssistantStage, from address: String) async throws {
        var codes: Set<String> = []
        for _ in 0..<20 {
            codes.insert(
                try await stage.send("GET", "/v1/preferences", token: "x", headers: forwarded(for: address)).code)
        }
        #expect(codes == ["UNAUTHORIZED", "RATE_LIMITED"])
    }

    @Test("behind its proxy a stranger's wrong calls keep no other caller out")
    func proxied() async throws {
        try await AssistantStage {
            $0.publicURL = URL(string: "https://assistant.example/")
            $0.refusedBurst = 5
        }.run { stage in
            let signedIn = try await Self.signIn(stage, from: "192.0.2.8")
            try await Self.flood(stage, from: "192.0.2.7")
            #expect(try await Self.signIn(stage, from: "192.0.2.8").status == 200)
            // One network of a household, or of a provider: the right token is served, the wrong ones are not.
            let next = try await Self.refresh(stage, signedIn.text("refresh_token"), from: "192.0.2.7")
            #expect(next.status == 200, "\(next.json)")
            var codes: [String] = []
            for _ in 0..<10 { codes.append(try await Self.refresh(stage, "wrong", from: "192.0.2.7").code) }
            #expect(codes.contains("RATE_LIMITED"))
            // A copied token ends its session from there, too.
            let copied = try await Self.refresh(stage, signedIn.text("refresh_token"), from: "192.0.2.7")
            #expect([401, 429].contains(copied.status))
            #expect(try await Self.refresh(stage, next.text("refresh_token"), from: "192.0.2.8").status == 401)
        }
    }

    @Test("without a proxy the headers are a stranger's words, and make no new address")
    func direct() async throws {
        try await AssistantStage { $0.refusedBurst = 5 }.run { stage in
            var codes: Set<String> = []
            for number in 1...20 {
                codes.insert(
                    try await stage.send(
                        "GET", "/v1/preferences", token: "x", headers: Self.forwarded(for: "192.0.2.\(number)")
                    ).code)
            }
            #expect(codes == ["UNAUTHORIZED", "RATE_LIMITED"])
        }
    }
}
