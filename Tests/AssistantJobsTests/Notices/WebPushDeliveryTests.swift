import AssistantProcesses
import AssistantStore
import Crypto
import CurlClient
import Encodings
import Foundation
import Notifications
import TestServers
import TestSupport
import Testing

@testable import AssistantJobs

/// A browser's half of a subscription, which can read what is pushed to it.
struct Browser: Sendable {
    let key = P256.KeyAgreement.PrivateKey()
    let secret = (0..<16).map { UInt8($0 * 5 + 1) }

    func subscription(_ endpoint: String) -> JSONValue {
        [
            "endpoint": .string(endpoint),
            "keys": [
                "p256dh": .string(Base64URL.encode(key.publicKey.x963Representation)),
                "auth": .string(Base64URL.encode(secret)),
            ],
        ]
    }

    /// Opens a body of one record (RFC 8188, section 2; RFC 8291, section 3.4).
    func open(_ body: [UInt8]) throws -> [UInt8] {
        let (salt, server) = (Array(body[0..<16]), Array(body[21..<86]))
        let shared = try key.sharedSecretFromKeyAgreement(with: .init(x963Representation: server))
        let input = shared.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: secret,
            sharedInfo: Array("WebPush: info\0".utf8) + Array(key.publicKey.x963Representation) + server,
            outputByteCount: 32)
        func derived(_ info: String, _ count: Int) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(inputKeyMaterial: input, salt: salt, info: Array(info.utf8), outputByteCount: count)
        }
        let nonce = derived("Content-Encoding: nonce\0", 12).withUnsafeBytes { Array($0) }
        let box = try AES.GCM.SealedBox(
            nonce: .init(data: nonce), ciphertext: body[86..<(body.count - 16)], tag: body.suffix(16))
        let plain = try AES.GCM.open(box, using: derived("Content-Encoding: aes128gcm\0", 16))
        // The padding, and the delimiter of the last record.
        return Array(plain.reversed().drop { $0 == 0 }.dropFirst().reversed())
    }
}

@Suite("The delivery of notices to browsers", .timeLimit(.minutes(4)))
struct WebPushDeliveryTests {
    /// Runs `body` with a push service that the assistant allows.
    private static func run(
        _ body: @escaping @Sendable (NoticeStage, FakePushService, String) async throws -> Void
    ) async throws {
        try await FakePushService.with { service, origin, http in
            let change: @Sendable (inout NoticeSettings) throws -> Void = { settings in
                var reader = SettingsReader(["WEBPUSH_ORIGINS": origin])
                settings.origins = PushOrigins(&reader)
                settings.subject = try VAPIDSubject("mailto:robin@provider.net")
                settings.authorities = http.extraCAFile
            }
            try await NoticeStage.run(.sqlite, change) { stage in try await body(stage, service, origin) }
        }
    }

    private static func browser(
        _ stage: NoticeStage, of user: UUID, _ endpoint: String, _ browser: Browser = Browser(),
        at origins: PushOrigins? = nil
    ) async throws {
        let subscription = try BrowserSubscription(
            browser.subscription(endpoint), at: origins ?? stage.settings.origins)
        let sealed = try stage.keys.seal(subscription.kept, as: PushAddress.binding(user, "browser"))
        try await stage.database.devices.put(
            "browser", of: user, .webpush, .production, sealedToken: sealed, at: NoticeStage.noon)
    }

    @Test("a browser gets the payload that the app gets, and it alone can read it")
    func sent() async throws {
        try await Self.run { stage, service, origin in
            let user = try await stage.user()
            let browser = Browser()
            try await Self.browser(stage, of: user, origin + "/push/abc", browser)
            for key in ["meeting-1", "meeting-2", "meeting-1"] {
                let outcome = try await stage.delivery.deliver(
                    NoticeStage.notice(key: key), to: user, at: NoticeStage.noon)
                #expect(outcome == .accepted)
            }
            let pushes = await service.pushes
            let payload = try JSONReader.read(try browser.open(pushes[0].body))
            #expect(
                payload == [
                    "aps": [
                        "alert": ["title": "Meeting soon", "body": "In 15 minutes"], "category": "MEETING_REMINDER",
                    ], "id": "id-meeting-1", "link": "alfred://meetings/meeting-1",
                ])
            #expect(throws: (any Error).self) { try Browser().open(pushes[0].body) }
            let topics = pushes.compactMap { $0.headers["topic"] }
            #expect(topics.count == 3 && topics[0] == topics[2] && topics[0] != topics[1])
            #expect(topics.allSatisfy { $0.wholeMatch(of: /[A-Za-z0-9_-]{1,32}/) != nil })
            #expect(pushes[0].headers["ttl"] == "86400" && pushes[0].headers["urgency"] == "high")
            let metrics = try await stage.database.metrics.text(prefix: "")
            #expect(metrics.contains("pushes_total{channel=\"webpush\",outcome=\"accepted\"} 3\n"))
        }
    }

    @Test("a browser that is gone is removed", arguments: [404, 410])
    func gone(_ status: Int) async throws {
        try await Self.run { stage, service, origin in
            let user = try await stage.user()
            try await Self.browser(stage, of: user, origin + "/push/abc")
            await service.answer(with: status)
            #expect(
                try await stage.delivery.deliver(NoticeStage.notice(), to: user, at: NoticeStage.noon) == .noDevice)
            #expect(try await stage.database.devices.devices(of: user).isEmpty)
        }
    }

    @Test("other answers keep the browser", arguments: [(429, NoticeOutcome.later(.seconds(5))), (403, .refused)])
    func kept(_ status: Int, _ expected: NoticeOutcome) async throws {
        try await Self.run { stage, service, origin in
            let user = try await stage.user()
            try await Self.browser(stage, of: user, origin + "/push/abc")
            await service.answer(with: status)
            #expect(
                try await stage.delivery.deliver(NoticeStage.notice(), to: user, at: NoticeStage.noon) == expected)
            #expect(try await stage.database.devices.devices(of: user).count == 1)
        }
    }

    @Test("nothing is sent to a push service that is not allowed any more")
    func notAllowed() async throws {
        try await Self.run { stage, service, origin in
            let user = try await stage.user()
            var reader = SettingsReader(["WEBPUSH_ORIGINS": origin + ",https://localhost:1"])
            let wider = PushOrigins(&reader)
            try await Self.browser(stage, of: user, "https://localhost:1/push/abc", at: wider)
            #expect(
                try await stage.delivery.deliver(NoticeStage.notice(), to: user, at: NoticeStage.noon) == .refused)
            #expect(await service.pushes.isEmpty)
        }
    }

    @Test("a push service that never answers holds up its own messages only, and not one after another")
    func hanging() async throws {
        let (listener, port) = try Self.silentListener()
        defer { close(listener) }
        let change: @Sendable (inout NoticeSettings) throws -> Void = { settings in
            var reader = SettingsReader(["WEBPUSH_ORIGINS": "http://127.0.0.1:\(port)"])
            settings.origins = PushOrigins(&reader)
        }
        try await NoticeStage.run(.sqlite, change) { stage in
            var browsers: [UUID] = []
            for byte: UInt8 in 1...40 {
                let user = try await stage.user(byte)
                try await Self.browser(stage, of: user, "http://127.0.0.1:\(port)/push/\(byte)")
                browsers.append(user)
            }
            let (other, _) = try await stage.userWithPhone(99)
            @Sendable func deliver(_ user: UUID) async throws -> NoticeOutcome {
                try await stage.delivery.deliver(NoticeStage.notice(), to: user, at: NoticeStage.noon)
            }
            let (slow, others) = (browsers[0], browsers.dropFirst())
            async let first = deliver(slow)
            #expect(try await deliver(other) == .accepted)
            #expect(try await first == .later(.seconds(5)))
            // The service is left alone: these do not wait for it.
            for user in others { #expect(try await deliver(user) == .later(.seconds(30))) }
        }
    }

    /// Makes a socket that takes connections and never answers.
    private static func silentListener() throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 128) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        try #require(isBound)
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }
}

@Suite("http_ece and py_vapid against the assistant's messages", .needsPeers)
struct AssistantPushPeerTests {
    @Test("http_ece decrypts our body, and py_vapid takes our token", .timeLimit(.minutes(4)))
    func reads() async throws {
        try await FakePushService.with { service, origin, http in
            let change: @Sendable (inout NoticeSettings) throws -> Void = { settings in
                var reader = SettingsReader(["WEBPUSH_ORIGINS": origin])
                settings.origins = PushOrigins(&reader)
                settings.subject = try VAPIDSubject("mailto:robin@provider.net")
                settings.authorities = http.extraCAFile
            }
            try await NoticeStage.run(.sqlite, change) { stage in
                let user = try await stage.user()
                let browser = Browser()
                let subscription = try BrowserSubscription(
                    browser.subscription(origin + "/push/a"), at: stage.settings.origins)
                let sealed = try stage.keys.seal(subscription.kept, as: PushAddress.binding(user, "browser"))
                try await stage.database.devices.put(
                    "browser", of: user, .webpush, .production, sealedToken: sealed, at: NoticeStage.noon)
                // py_vapid looks at the machine's clock.
                let notice = NoticeStage.notice(.morningBrief, key: "brief-1", at: Date())
                #expect(try await stage.delivery.deliver(notice, to: user, at: Date()) == .accepted)
                let push = try #require(await service.pushes.first)
                let outcome = try await Peers.run(
                    script: "web_push.py",
                    [
                        Base64URL.encode(push.body), Base64URL.encode(browser.key.rawRepresentation),
                        Base64URL.encode(browser.secret), try #require(push.headers["authorization"]), origin,
                    ])
                #expect(outcome.status == 0, "\(outcome.text)")
                let payload = String(
                    decoding: NoticePayload.bytes(notice, showsDetails: false), as: UTF8.self)
                #expect(outcome.text.contains("message \(payload)"), "\(outcome.text)")
                #expect(outcome.text.contains("token mailto:robin@provider.net \(origin)"), "\(outcome.text)")
            }
        }
    }
}
