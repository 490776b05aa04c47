import Crypto
import CryptoExtras
import Encodings
import Foundation
import Hummingbird
import Synchronization
import TestServers

@testable import Assistant

/// A stand-in for Apple: it signs identity tokens, and serves its public keys on loopback.
final class AppleAuthority: Sendable {
    static let issuer = "https://appleid.example"
    static let audience = "example.countersign.app"

    /// Made once: a key takes longer than the rest of a test.
    private static let made = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    private let rsa: _RSA.Signing.PrivateKey
    private let p256 = P256.Signing.PrivateKey()
    private let served = Mutex<[JSONValue]>([])
    private let fetches = Mutex(0)

    init() throws {
        rsa = try Self.made.get()
        try publish(rsaID: "rsa-1", p256ID: "ec-1")
    }

    /// The number of times that the key set was fetched.
    var fetchCount: Int { fetches.withLock { $0 } }

    /// Changes the ids under which the keys are served, as a rotation does.
    func publish(rsaID: String, p256ID: String) throws {
        let primitives = try rsa.publicKey.getKeyPrimitives()
        let point = Array(p256.publicKey.x963Representation)
        let keys: [JSONValue] = [
            [
                "kty": "RSA", "kid": .string(rsaID), "use": "sig", "alg": "RS256",
                "n": .string(Base64URL.encode(primitives.modulus)),
                "e": .string(Base64URL.encode(primitives.publicExponent)),
            ],
            [
                "kty": "EC", "kid": .string(p256ID), "use": "sig", "alg": "ES256", "crv": "P-256",
                "x": .string(Base64URL.encode(point[1..<33])), "y": .string(Base64URL.encode(point[33...])),
            ],
        ]
        served.withLock { $0 = keys }
    }

    /// Serves other keys, such as those that another program made.
    func publish(_ keys: [JSONValue]) { served.withLock { $0 = keys } }

    /// Returns claims that are right at a time.
    static func claims(subject: String = "001234.apple", at now: Date) -> [String: JSONValue] {
        let seconds = now.timeIntervalSince1970.rounded(.down)
        return [
            "iss": .string(issuer), "aud": .string(audience), "sub": .string(subject), "iat": .number(seconds),
            "exp": .number(seconds + 600),
        ]
    }

    /// Signs claims.
    ///
    /// - Parameter header: members that replace those of the right header.
    func token(_ claims: [String: JSONValue], _ algorithm: String = "RS256", header: [String: JSONValue] = [:]) throws
        -> String
    {
        let right: [String: JSONValue] = [
            "alg": .string(algorithm), "kid": algorithm == "ES256" ? "ec-1" : "rsa-1",
        ]
        let head = JSONValue.object(right.merging(header) { $1 })
        let text =
            "\(Base64URL.encode(head.compactBytes())).\(Base64URL.encode(JSONValue.object(claims).compactBytes()))"
        let signature =
            algorithm == "ES256"
            ? try p256.signature(for: Array(text.utf8)).rawRepresentation
            : try rsa.signature(for: SHA256.hash(data: Array(text.utf8)), padding: .insecurePKCS1v1_5).rawRepresentation
        return "\(text).\(Base64URL.encode(signature))"
    }

    /// Serves the key set until the task is cancelled.
    func serve(onReady: @escaping @Sendable (Int) async -> Void) async throws {
        let router = Router()
        router.get("keys") { [self] _, _ in
            fetches.withLock { $0 += 1 }
            return Response.json(["keys": .array(served.withLock { $0 })])
        }
        try await LoopbackServer.run(router) { port in
            await onReady(port)
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
        }
    }
}
