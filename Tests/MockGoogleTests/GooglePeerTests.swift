import Encodings
import Foundation
import MockGoogle
import TestSupport
import Testing

@Suite("Google's own Python libraries against the mock", .needsPeers) struct GooglePeerTests {
    @Test(
        "google-auth-oauthlib consents with PKCE, google-auth refreshes and revokes, google-api-python-client reads",
        .timeLimit(.minutes(4)))
    func libraries() async throws {
        var configuration = MockGoogleConfiguration()
        configuration.redirectURIs = ["http://127.0.0.1:9/callback"]
        let google = try await MockGoogleServer.start(configuration)
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        await google.account.put(event: "e1", "Meeting", from: start, to: start + 3600)
        await google.account.deliver("m1", from: "ann@x.example", "Hello", body: "the body", at: start)

        let outcome = try await Peers.run(script: "google_libraries.py", [google.url])

        await google.stop()
        #expect(outcome.status == 0, "\(outcome.text)")
        let seen = try JSONReader.read(outcome.output)
        #expect(seen["events"] == ["Meeting"])
        #expect(seen["sync"] == ["full", "gone"])
        #expect(seen["history"] == ["m1"])
        #expect(seen["subject"] == "Hello")
        #expect(seen["body"] == false)
        #expect(seen["refreshed"] == true)
        #expect(seen["wrong_proof"] == "invalid_grant")
        #expect(seen["after_revocation"] == "invalid_grant")
    }
}
