import Encodings
import Foundation
import TestSupport
import Testing

@testable import Notifications

@Suite("http_ece and py_vapid against our messages", .needsPeers)
struct WebPushPeerTests {
    @Test("http_ece decrypts our message, and py_vapid takes our token", .timeLimit(.minutes(4)))
    func reads() async throws {
        try await PushSenderTests.with { service, origin, sender in
            let browser = TestSubscription()
            let message = #"{"open":"/at/place/#r-1234"}"#
            _ = await sender.send(message, to: try browser.subscription(at: origin + "/push/a"), lifetime: 1)
            let push = try #require(await service.pushes.first)
            let outcome = try await Peers.run(
                "python",
                [
                    Peers.script("web_push.py").path, Base64URL.encode(push.body),
                    Base64URL.encode(browser.key.rawRepresentation), browser.authentication,
                    try #require(push.headers["authorization"]), origin,
                ])
            #expect(outcome.status == 0, "\(outcome.text)")
            #expect(outcome.text.contains("message \(message)"), "\(outcome.text)")
            #expect(outcome.text.contains("token mailto:robin@provider.net \(origin)"), "\(outcome.text)")
        }
    }
}
