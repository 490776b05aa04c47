import Foundation
import Secrets
import TestServers
import TestSupport
import Testing

@testable import Notifications

@Suite("Signed messages to a webhook", .timeLimit(.minutes(4)))
struct WebhookSenderTests {
    /// The key of an example in the Standard Webhooks specification's own libraries.
    static let key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    @Test("signs as the example of the scheme's libraries is signed")
    func example() throws {
        let secret = try #require(WebhookSecret(Secret(Self.key)))
        let body = Array(#"{"test": 2432232314}"#.utf8)
        #expect(
            secret.signature(of: body, id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330)
                == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test(
        "takes whsec_ and 24 to 64 bytes in base64, and nothing else",
        arguments: [
            ("whsec_" + Data(repeating: 9, count: 24).base64EncodedString(), true),
            ("whsec_" + Data(repeating: 9, count: 64).base64EncodedString() + "\n", true),
            ("whsec_" + Data(repeating: 9, count: 23).base64EncodedString(), false),
            ("whsec_" + Data(repeating: 9, count: 65).base64EncodedString(), false),
            (Data(repeating: 9, count: 32).base64EncodedString(), false), ("whsec_not in base64 at all !!", false),
        ])
    func secrets(text: String, isGood: Bool) {
        #expect((WebhookSecret(Secret(text)) != nil) == isGood)
    }

    @Test(
        "tells taken from failed and gone",
        arguments: [
            (200, WebhookSender.Outcome.taken), (299, .taken), (410, .gone), (400, .failed("answered 400")),
            (500, .failed("answered 500")), (302, .failed("answered 302, a redirect, which is not followed")),
        ])
    func outcomes(status: Int, outcome: WebhookSender.Outcome) async throws {
        try await FakeReceiver.with { receiver, url in
            await receiver.answer([status], location: "\(url)/elsewhere")
            let sender = WebhookSender(
                WebhookConfiguration(url: url + "/hook", secret: try #require(WebhookSecret(Secret(Self.key)))))
            #expect(await sender.send([1, 2], id: "msg_1", at: Date(timeIntervalSince1970: 1_700_000_000)) == outcome)
            let messages = await receiver.messages
            #expect(messages.map(\.path) == ["/hook"] && messages[0].body == [1, 2])
            #expect(messages[0].headers["webhook-timestamp"] == "1700000000")
            await sender.close()
        }
    }

    @Test("a receiver that is not there has failed, without a word of the address's query")
    func unreachable() async throws {
        let sender = WebhookSender(
            WebhookConfiguration(
                url: "http://127.0.0.1:1/?hidden-part-of-the-address",
                secret: try #require(WebhookSecret(Secret(Self.key)))))
        guard case .failed(let reason) = await sender.send([], id: "msg_1", at: Date()) else {
            Issue.record("nothing listens there")
            return
        }
        #expect(!reason.contains("hidden-part") && reason.contains("not reached"))
        await sender.close()
    }
}

@Suite("standardwebhooks verifies our messages", .needsPeers)
struct WebhookPeerTests {
    @Test("takes the message as it is, and refuses it changed", .timeLimit(.minutes(4)))
    func verifies() async throws {
        try await FakeReceiver.with { receiver, url in
            let sender = WebhookSender(
                WebhookConfiguration(
                    url: url + "/hook", secret: try #require(WebhookSecret(Secret(WebhookSenderTests.key)))))
            let body = #"{"data":{"request_id":"r"},"timestamp":"2026-01-31T09:00:00.000Z","type":"document.accepted"}"#
            _ = await sender.send(Array(body.utf8), id: "msg_of_the_peers", at: Date())
            await sender.close()
            let message = try #require(await receiver.messages.first)
            let names = ["webhook-id", "webhook-timestamp", "webhook-signature"]
            let outcome = try await Peers.run(
                script: "webhook.py", [WebhookSenderTests.key] + names.map { message.headers[$0] ?? "" },
                input: Data(message.body))
            #expect(outcome.status == 0, "\(outcome.text)")
            #expect(outcome.text.contains("verified document.accepted r"), "\(outcome.text)")
            #expect(outcome.text.contains("changed: No matching signature found"), "\(outcome.text)")
        }
    }
}
