import AssistantJobs
import AssistantProcesses
import Crypto
import Encodings
import Foundation
import Notifications
import Testing

@testable import Assistant

@Suite("Browsers as devices") struct WebPushAPITests {
    /// Returns a browser's subscription, as its script sends it.
    static func subscription(
        _ endpoint: String, key: P256.KeyAgreement.PrivateKey = .init(), secret: [UInt8] = Array(0..<16)
    ) -> JSONValue {
        [
            "endpoint": .string(endpoint), "expirationTime": .null,
            "keys": [
                "p256dh": .string(Base64URL.encode(key.publicKey.x963Representation)),
                "auth": .string(Base64URL.encode(secret)),
            ],
        ]
    }

    /// Runs an assistant with Web Push, which allows one origin.
    private static func run(
        _ store: AssistantStage.Store = .sqlite, _ body: @escaping @Sendable (AssistantStage) async throws -> Void
    ) async throws {
        var reader = SettingsReader([
            "VAPID_SUBJECT": "mailto:robin@provider.net",
            "WEBPUSH_ORIGINS": "https://push.example, http://127.0.0.1:7777,https://*.push.example.net",
        ])
        let notices = NoticeSettings(&reader)
        try reader.finish()
        try await AssistantStage(store) { $0.notices = notices }.run(body)
    }

    @Test("a browser subscribes, is listed, and its address is sealed", arguments: AssistantStage.Store.all)
    func subscribes(_ store: AssistantStage.Store) async throws {
        try await Self.run(store) { stage in
            let token = try await stage.accessToken()
            let user = try #require(UUID(uuidString: try SignInTests.claim("sub", of: token)))
            let key = try await stage.send("GET", "/v1/devices/webpush/key", token: token)
            #expect(key.json.objectValue?.keys.sorted() == ["public_key"])
            #expect(try Base64URL.decode(key.text("public_key"))?.count == 65)

            let endpoint = "https://push.example/send/canary-endpoint"
            for _ in 0..<2 {
                let answer = try await stage.send(
                    "POST", "/v1/devices/webpush", token: token,
                    ["device_id": "browser", "subscription": Self.subscription(endpoint)])
                #expect(answer.status == 200 && answer.json == ["ok": true])
            }
            let items = try await stage.send("GET", "/v1/devices", token: token).json["items"]?.arrayValue ?? []
            #expect(items.count == 1 && items[0]["channel"] == "webpush" && items[0]["device_id"] == "browser")

            let database = try await stage.openDatabase()
            let sealed = try #require(try await database.devices.devices(of: user).first?.sealedToken)
            #expect(Data(sealed).range(of: Data("canary".utf8)) == nil)
            let keys = try StateKeys(in: stage.configuration.state)
            #expect(
                try keys.open(sealed, as: PushAddress.binding(user, "browser")).revealed().contains("canary-endpoint"))
            await database.close()
        }
    }

    static let subscriptions: [(String, JSONValue, Bool)] = [
        ("an allowed origin", subscription("https://push.example/a"), true),
        ("its own port written out", subscription("https://push.example:443/a"), true),
        ("a loopback host over plain HTTP", subscription("http://127.0.0.1:7777/a"), true),
        ("a host under an allowed name", subscription("https://eu.push.example.net/a"), true),
        ("the name itself", subscription("https://push.example.net/a"), false),
        ("another port", subscription("https://push.example:444/a"), false),
        ("another loopback port", subscription("http://127.0.0.1:7778/a"), false),
        ("plain HTTP", subscription("http://push.example/a"), false),
        ("a name that ends alike", subscription("https://evilpush.example/a"), false),
        ("a name that begins alike", subscription("https://push.example.evil.net/a"), false),
        ("a user in the address", subscription("https://push.example@evil.net/a"), false),
        ("a known service that is not listed", subscription("https://fcm.googleapis.com/a"), false),
        ("another scheme", subscription("file:///etc/passwd"), false),
        (
            "no key on the curve", ["endpoint": "https://push.example/a", "keys": ["p256dh": "AAAA", "auth": "AAAA"]],
            false
        ),
        ("no keys", ["endpoint": "https://push.example/a"], false), ("nothing", [:], false), ("a text", "x", false),
    ]

    @Test("only subscriptions at allowed push services are taken", arguments: subscriptions)
    func origins(_ name: String, _ subscription: JSONValue, _ isTaken: Bool) async throws {
        try await Self.run { stage in
            let token = try await stage.accessToken()
            let answer = try await stage.send(
                "POST", "/v1/devices/webpush", token: token, ["device_id": "browser", "subscription": subscription])
            #expect(answer.status == (isTaken ? 200 : 400), "\(name): \(answer.json)")
            if !isTaken {
                #expect(answer.code == "INVALID_FIELD")
                #expect(try await stage.send("GET", "/v1/devices", token: token).json == ["items": []])
            }
        }
    }

    @Test("without a contact for push services browsers can subscribe, and a forbidden origin is still refused")
    func noContact() async throws {
        try await AssistantStage().run { stage in
            let token = try await stage.accessToken()
            #expect(try await stage.send("GET", "/v1/devices/webpush/key", token: token).status == 200)
            for (endpoint, status) in [("https://fcm.googleapis.com/a", 200), ("https://push.example/a", 400)] {
                let answer = try await stage.send(
                    "POST", "/v1/devices/webpush", token: token,
                    ["device_id": "a", "subscription": Self.subscription(endpoint)])
                #expect(answer.status == status, "\(answer.json)")
            }
            for (method, path) in [("GET", "/v1/devices/webpush/key"), ("POST", "/v1/devices/webpush")] {
                #expect(try await stage.send(method, path, [:]).status == 401)
            }
        }
    }

    @Test("a device or browser belongs to the user who registered it last", arguments: AssistantStage.Store.all)
    func shared(_ store: AssistantStage.Store) async throws {
        try await Self.run(store) { stage in
            let (ada, eve) = (try await stage.accessToken("ada"), try await stage.accessToken("eve"))
            func names(_ token: String) async throws -> [String] {
                try await stage.send("GET", "/v1/devices", token: token).json["items"]?.arrayValue?
                    .compactMap { $0["device_id"]?.stringValue } ?? []
            }
            let push = String(repeating: "ab", count: 32)
            for (token, spelled) in [(ada, push), (eve, push.uppercased())] {
                _ = try await stage.send(
                    "POST", "/v1/devices/apns", token: token,
                    ["device_id": "shared", "apns_token": .string(spelled), "environment": "sandbox"])
                _ = try await stage.send(
                    "POST", "/v1/devices/webpush", token: token,
                    ["device_id": "browser", "subscription": Self.subscription("https://push.example/one")])
            }
            #expect(try await names(ada).isEmpty)
            #expect(try await Set(names(eve)) == ["shared", "browser"])
            // The same device under another name is one device.
            _ = try await stage.send(
                "POST", "/v1/devices/apns", token: eve,
                ["device_id": "renamed", "apns_token": .string(push), "environment": "sandbox"])
            #expect(try await Set(names(eve)) == ["renamed", "browser"])
        }
    }

    @Test("a user who signs out gets no more notices on that device", arguments: AssistantStage.Store.all)
    func signedOut(_ store: AssistantStage.Store) async throws {
        try await Self.run(store) { stage in
            let token = try await stage.accessToken()
            for name in ["phone", "tablet"] {
                _ = try await stage.send(
                    "POST", "/v1/devices/apns", token: token,
                    [
                        "device_id": .string(name), "environment": "sandbox",
                        "apns_token": .string(String(repeating: name == "phone" ? "01" : "02", count: 32)),
                    ])
            }
            // The session was begun on "phone".
            #expect(try await stage.send("POST", "/v1/auth/logout", token: token).status == 200)
            let again = try await stage.accessToken()
            let items = try await stage.send("GET", "/v1/devices", token: again).json["items"]?.arrayValue ?? []
            #expect(items.compactMap { $0["device_id"]?.stringValue } == ["tablet"])
        }
    }
}
