import Crypto
import Encodings
import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import Logging
import WebServing

/// Mocks of Apple's push service, over HTTP/2, and of a browser's push service, on loopback ports.
actor MockPush {
    enum Channel: String, Sendable {
        case apns
        case webpush
    }

    struct Message: Sendable {
        let channel: Channel
        let path: String
        let json: JSONValue
    }

    static let teamID = "TEAM123456"
    static let keyID = "KEYID98765"
    static let topic = "com.example.assistant"

    /// The key with which the assistant signs its tokens for Apple.
    nonisolated let key = P256.Signing.PrivateKey()
    nonisolated let deviceToken = Base16.encode(SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) })
    nonisolated let apnsURL: String
    nonisolated let webPushURL: String
    nonisolated let browser: MockBrowser
    private let tasks: [Task<Void, any Error>]
    private let arrivals: Arrivals

    private init(apnsURL: String, webPushURL: String, tasks: [Task<Void, any Error>], arrivals: Arrivals) {
        self.apnsURL = apnsURL
        self.webPushURL = webPushURL
        self.tasks = tasks
        self.arrivals = arrivals
        browser = MockBrowser(endpoint: "\(webPushURL)/push/demo")
    }

    /// Starts both, and returns when they accept messages.
    static func start() async throws -> MockPush {
        let arrivals = Arrivals()
        let (apns, apnsTask) = try await serve("3/device/:id", .apns, .plaintextHTTP2(), arrivals)
        let (web, webTask) = try await serve("push/:id", .webpush, .stoppable(), arrivals)
        return MockPush(
            apnsURL: "http://127.0.0.1:\(apns)", webPushURL: "http://127.0.0.1:\(web)", tasks: [apnsTask, webTask],
            arrivals: arrivals)
    }

    private static func serve(
        _ path: String, _ channel: Channel, _ server: HTTPServerBuilder, _ arrivals: Arrivals
    ) async throws -> (port: Int, task: Task<Void, any Error>) {
        let router = Router()
        router.post(RouterPath(path)) { request, _ in
            let body = try await request.body.collect(upTo: 8 << 10)
            await arrivals.add(channel, request.headers, Array(body.readableBytesView))
            return Response(status: channel == .apns ? .ok : .created)
        }
        let (ports, report) = AsyncStream<Int>.makeStream()
        var quiet = Logger(label: "mock-push")
        quiet.logLevel = .critical
        let application = Application(
            router: router, server: server, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { report.yield($0.localAddress?.port ?? 0) }, logger: quiet)
        let task = Task {
            defer { report.finish() }
            try await application.run()
        }
        for await port in ports { return (port, task) }
        try await task.value
        throw CancellationError()
    }

    func stop() async {
        for task in tasks { task.cancel() }
        for task in tasks { _ = try? await task.value }
    }

    /// Returns what has come since the last call, as the devices read it. A browser decrypts its messages first.
    func take() async -> [Message] {
        await arrivals.take().compactMap { channel, headers, body in
            switch channel {
            case .apns:
                guard isSigned(headers[.authorization] ?? ""), headers[.init("apns-topic")!] == Self.topic else {
                    return nil
                }
                return Message(
                    channel: channel, path: "APNs, priority \(headers[.init("apns-priority")!] ?? "none")",
                    json: (try? JSONReader.read(body)) ?? .null)
            case .webpush:
                guard let text = try? browser.decrypt(body) else { return nil }
                return Message(
                    channel: channel, path: "Web Push, \(body.count) encrypted bytes",
                    json: (try? JSONReader.read(text)) ?? .null)
            }
        }
    }

    /// Returns whether a header has a token of the team, signed with its key (JWT, ES256), as Apple checks it.
    private func isSigned(_ header: String) -> Bool {
        let parts = header.split(separator: " ").last?.split(separator: ".").map(String.init) ?? []
        guard parts.count == 3, let claims = Base64URL.decode(parts[1]), let bytes = Base64URL.decode(parts[2]),
            let json = try? JSONReader.read(claims), json["iss"] == .string(Self.teamID),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: bytes)
        else { return false }
        return key.publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8))
    }

    private actor Arrivals {
        private var waiting: [(Channel, HTTPFields, [UInt8])] = []

        func add(_ channel: Channel, _ headers: HTTPFields, _ body: [UInt8]) {
            waiting.append((channel, headers, body))
        }

        func take() -> [(Channel, HTTPFields, [UInt8])] {
            defer { waiting = [] }
            return waiting
        }
    }
}

/// A browser's subscription to a push service, and its side of the encryption (RFC 8291).
struct MockBrowser: Sendable {
    private let endpoint: String
    private let key = P256.KeyAgreement.PrivateKey()
    private let secret = SymmetricKey(size: .bits128)

    init(endpoint: String) {
        self.endpoint = endpoint
    }

    /// The subscription as `PushSubscription.toJSON()` gives it.
    var subscription: JSONValue {
        [
            "endpoint": .string(endpoint), "expirationTime": .null,
            "keys": [
                "p256dh": .string(Base64URL.encode(Array(key.publicKey.x963Representation))),
                "auth": .string(Base64URL.encode(secret.withUnsafeBytes { Array($0) })),
            ],
        ]
    }

    /// Decrypts a message of one record (RFC 8188, section 2; RFC 8291, section 3.4).
    func decrypt(_ body: [UInt8]) throws -> [UInt8] {
        guard body.count > 86, body[20] == 65 else { throw CryptoKitError.incorrectParameterSize }
        let salt = Array(body.prefix(16))
        let sender = Array(body[21..<86])
        let agreed = try key.sharedSecretFromKeyAgreement(
            with: P256.KeyAgreement.PublicKey(x963Representation: sender))
        let material = agreed.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: secret.withUnsafeBytes { Data($0) },
            sharedInfo: Data("WebPush: info\0".utf8) + key.publicKey.x963Representation + sender, outputByteCount: 32)
        let derive = { (purpose: String, count: Int) in
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: material, salt: salt, info: Data("Content-Encoding: \(purpose)\0".utf8),
                outputByteCount: count)
        }
        let nonce = try AES.GCM.Nonce(data: derive("nonce", 12).withUnsafeBytes { Array($0) })
        let sealed = body[86...]
        let box = try AES.GCM.SealedBox(nonce: nonce, ciphertext: sealed.dropLast(16), tag: sealed.suffix(16))
        let plain = try AES.GCM.open(box, using: derive("aes128gcm", 16))
        // The text ends before the delimiter of the last record and its padding.
        guard let end = plain.lastIndex(of: 2) else { throw CryptoKitError.authenticationFailure }
        return Array(plain[..<end])
    }
}
