import Foundation
import TestSupport
import Testing

@testable import Assistant

@Suite("Schemathesis against the assistant", .needsPeers) struct AssistantOpenAPIPeerTests {
    @Test("finds no answer that contradicts the description, with every check", .timeLimit(.minutes(5)))
    func allChecks() async throws {
        let stage = try await AssistantStage { $0.refusedBurst = 1_000_000 }
        try await stage.run { stage in
            let outcome = try await Peers.run(
                "schemathesis",
                [
                    "run", "\(stage.url)/openapi.json", "--checks", "all", "--max-examples", "25", "--seed", "20261125",
                    "--request-timeout", "30", "--continue-on-failure", "--workers", "1",
                    "--exclude-operation-id", "logout", "--exclude-operation-id", "deleteAll",
                ],
                environment: [
                    "SCHEMATHESIS_HOOKS": Peers.script("assistant_hooks.py").path,
                    "ACCESS_TOKEN": try await stage.accessToken(), "PYTHONDONTWRITEBYTECODE": "1",
                ])
            #expect(outcome.status == 0, "\(outcome.text.suffix(6000))")
            #expect(outcome.text.contains("Tested: 14"), "\(outcome.text.suffix(1500))")
        }
    }
}
