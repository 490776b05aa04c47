import Encodings
import Foundation
import TestServers
import TestSupport
import Testing

@testable import Notifications

@Suite("Sending a push message", .timeLimit(.minutes(3)))
struct PushSenderTests {
    /// Runs `body` with a push service and a sender that it may talk to.
    static func with(
        _ body: @escaping @Sendable (FakePushService, String, PushSender) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let server = try ApplicationServer(
            keyFile: folder.appending("key"), subject: VAPIDSubject("mailto:robin@provider.net"))
        try await FakePushService.with { service, origin, http in
            let sender = PushSender(server, http: http)
            try await body(service, origin, sender)
            await sender.close()
        }
    }

    @Test("a message has the headers of RFC 8030 and says nothing in the clear")
    func sent() async throws {
        try await Self.with { service, origin, sender in
            let subscription = try TestSubscription().subscription(at: origin + "/push/abc")
            let outcome = await sender.send(#"{"open":"/at/place/#r-1234"}"#, to: subscription, lifetime: 290)
            #expect(outcome == .taken)
            let push = try #require(await service.pushes.first)
            #expect(push.path == "/push/abc" && push.headers["ttl"] == "290" && push.headers["urgency"] == "high")
            #expect(push.headers["content-encoding"] == "aes128gcm" && push.headers["topic"] == "request")
            #expect(push.headers["authorization"]?.hasPrefix("vapid t=") == true)
            // Header, padded message, delimiter and tag.
            #expect(push.body.count == 615)
            #expect(!String(decoding: push.body, as: UTF8.self).contains("place"))
        }
    }

    @Test(
        "each answer of a push service has its meaning",
        arguments: [
            (200, PushSender.Outcome.taken), (201, .taken), (404, .gone), (410, .gone), (403, .refused(403)),
            (413, .refused(413)), (429, .unreachable), (500, .unreachable),
        ])
    func answers(_ status: Int, _ expected: PushSender.Outcome) async throws {
        try await Self.with { service, origin, sender in
            await service.answer(with: status)
            let subscription = try TestSubscription().subscription(at: origin + "/push/a")
            #expect(await sender.send("{}", to: subscription, lifetime: 1) == expected)
        }
    }

    @Test("Retry-After is obeyed: for one browser after 429, for the push service after 503", arguments: [429, 503])
    func pauses(_ status: Int) async throws {
        try await Self.with { service, origin, sender in
            let now = Date(timeIntervalSince1970: 1_800_000_000)
            let browsers = try ["a", "b"].map { try TestSubscription().subscription(at: origin + "/push/\($0)") }
            func send(_ index: Int, _ seconds: Double) async -> PushSender.Outcome {
                await sender.send("{}", to: browsers[index], lifetime: 1, at: now.addingTimeInterval(seconds))
            }
            await service.answer(with: status, retryAfter: "30")
            #expect(await send(0, 0) == .limited(seconds: 30))
            await service.answer(with: 201)
            #expect(await send(0, 10) == .limited(seconds: 20))
            #expect(await send(1, 10) == (status == 429 ? .taken : .limited(seconds: 20)))
            #expect(await send(0, 30) == .taken)
            #expect(await service.pushes.count == (status == 429 ? 3 : 2))
        }
    }

    @Test("a push service that is not there is unreachable")
    func unreachable() async throws {
        try await Self.with { _, _, sender in
            let subscription = try TestSubscription().subscription(at: "https://127.0.0.1:1/push/a")
            #expect(await sender.send("{}", to: subscription, lifetime: 1) == .unreachable)
        }
    }
}
