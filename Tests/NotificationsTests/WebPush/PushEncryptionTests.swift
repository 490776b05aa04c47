import Crypto
import Encodings
import Foundation
import TestSupport
import Testing

@testable import Notifications

@Suite("The encryption of a push message")
struct PushEncryptionTests {
    @Test("the example of RFC 8291 comes out byte by byte", .needsVectors)
    func example() throws {
        let vector = try JSONReader.read(Vectors.data("webpush/rfc8291-appendix-a.json"))
        func bytes(_ name: String) throws -> [UInt8] { try #require(Base64URL.decode(vector[name])) }
        let subscription = try PushSubscription(
            endpoint: "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV",
            publicKey: try #require(vector["ua_public"]?.stringValue),
            authentication: try #require(vector["auth_secret"]?.stringValue))
        let body = try PushEncryption.encrypt(
            Array(try #require(vector["plaintext"]?.stringValue).utf8), for: subscription,
            key: P256.KeyAgreement.PrivateKey(rawRepresentation: bytes("as_private")), salt: bytes("salt"))
        #expect(body == (try bytes("body")))
    }

    @Test("the length of a message says nothing")
    func padded() throws {
        let subscription = try TestSubscription().subscription(at: "https://push.example/a")
        let lengths = try ["{}", String(repeating: "x", count: 512)].map {
            try PushEncryption.encrypt(Array($0.utf8), paddedTo: 512, for: subscription).count
        }
        #expect(Set(lengths).count == 1, "\(lengths)")
    }

    @Test(
        "a subscription that no browser makes is refused",
        arguments: [
            ("http://push.example/a", nil, nil), ("https://user@push.example/a", nil, nil),
            ("file:///etc/passwd", nil, nil),
            ("https://push.example/\(String(repeating: "a", count: 2048))", nil, nil), ("", nil, nil),
            ("https://push.example/a", Base64URL.encode([4] + [UInt8](repeating: 1, count: 64)), nil),
            ("https://push.example/a", "AAAA", nil), ("https://push.example/a", nil, "AAAA"),
            ("https://push.example/a", nil, "?"),
        ] as [(String, String?, String?)])
    func refused(_ endpoint: String, _ key: String?, _ secret: String?) throws {
        let browser = TestSubscription()
        #expect(throws: WebPushError.self) {
            try PushSubscription(
                endpoint: endpoint, publicKey: key ?? browser.publicKey,
                authentication: secret ?? browser.authentication)
        }
        #expect(throws: Never.self) { try browser.subscription(at: "https://push.example/a") }
    }
}

/// A browser's half of a subscription.
struct TestSubscription: Sendable {
    let key = P256.KeyAgreement.PrivateKey()
    let secret = (0..<16).map { UInt8($0 * 7) }

    var publicKey: String { Base64URL.encode(key.publicKey.x963Representation) }
    var authentication: String { Base64URL.encode(secret) }

    func subscription(at endpoint: String) throws -> PushSubscription {
        try PushSubscription(endpoint: endpoint, publicKey: publicKey, authentication: authentication)
    }
}
