import Foundation
import Notifications
import TestSupport
import Testing

@testable import Assistant

@Suite("Schemathesis against the assistant", .needsPeers) struct AssistantOpenAPIPeerTests {
    @Test("finds no answer that contradicts the description, with every check", .timeLimit(.minutes(5)))
    func allChecks() async throws {
        let excluded = ["logout", "deleteAll", "finishGoogle"].flatMap { ["--exclude-operation-id", $0] }
        try await Self.run(excluded, tested: 29)
    }

    @Test("a callback with anything but the state of a consent is refused as described", .timeLimit(.minutes(5)))
    func callbacks() async throws {
        // A state that fits the schema is still not one that this service gave out.
        try await Self.run(
            ["--include-operation-id", "finishGoogle", "--exclude-checks", "positive_data_acceptance"], tested: 1)
    }

    private static func run(_ choice: [String], tested count: Int) async throws {
        let subject = try VAPIDSubject("mailto:robin@provider.net")
        let unlimited: (inout AssistantConfiguration) -> Void = {
            $0.refusedBurst = 1_000_000
            $0.notices.subject = subject
        }
        try await ConnectedStage.run(.sqlite, unlimited) { connected in
            let stage = connected.stage
            let outcome = try await Peers.run(
                "schemathesis",
                [
                    "run", "\(stage.url)/openapi.json", "--checks", "all", "--max-examples", "25", "--seed", "20261125",
                    "--request-timeout", "30", "--continue-on-failure", "--workers", "1",
                ] + choice,
                environment: [
                    "SCHEMATHESIS_HOOKS": Peers.script("assistant_hooks.py").path,
                    "ACCESS_TOKEN": try await stage.accessToken(), "REDIRECT_URI": ConnectedStage.redirect,
                    "SUBSCRIPTION": WebPushAPITests.subscription("https://fcm.googleapis.com/fcm/send/a").compactText(),
                    "PYTHONDONTWRITEBYTECODE": "1",
                ])
            #expect(outcome.status == 0, "\(outcome.text.suffix(6000))")
            #expect(outcome.text.contains("Tested: \(count)"), "\(outcome.text.suffix(1500))")
        }
    }
}
