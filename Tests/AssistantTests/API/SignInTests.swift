import AssistantStore
import Encodings
import Foundation
import TestServers
import TestSupport
import Testing

import struct Crypto.SHA256

@testable import Assistant

@Suite("Sign-in with Apple, refresh and logout") struct SignInTests {
    @Test("the first sign-in makes a user, the second finds it", arguments: AssistantStage.Store.all)
    func signsIn(_ store: AssistantStage.Store) async throws {
        try await AssistantStage(store).run { stage in
            let first = try await stage.signIn("a", ["time_zone": "Europe/Vienna"])
            #expect(first.status == 200)
            #expect(first.json.objectValue?.keys.sorted() == ["access_token", "expires_in", "refresh_token"])
            #expect(first.json["expires_in"] == 3600)
            let second = try await stage.signIn("a")
            let other = try await stage.signIn("b")
            let subjects = try [first, second, other].map { try Self.claim("sub", of: $0.text("access_token")) }
            #expect(subjects[0] == subjects[1] && subjects[0] != subjects[2])
            #expect(UUIDText.isCanonical(subjects[0]))

            let token = try first.text("access_token")
            #expect(try await stage.send("GET", "/v1/preferences", token: token).json["time_zone"] == "Europe/Vienna")
            let events = try await stage.send("GET", "/v1/audit-events", token: token).json["items"]?.arrayValue ?? []
            #expect(events.map { $0["event_type"] } == ["SIGN_IN", "SIGN_IN"])
            #expect(events.map { $0["metadata"]?["new_user"] } == [false, true])
        }
    }

    @Test("tokens of both algorithms, Apple's Base64 form, a list of audiences and a nonce are accepted")
    func accepted() async throws {
        try await AssistantStage().run { stage in
            let claims = AppleAuthority.claims(at: stage.now)
            let nonce = Base16.encode(SHA256.hash(data: Array("raw".utf8)))
            let tokens: [(String, [String: JSONValue])] = [
                (try stage.apple.token(claims), [:]), (try stage.apple.token(claims, "ES256"), [:]),
                (Data(try stage.apple.token(claims).utf8).base64EncodedString(), [:]),
                (try stage.apple.token(claims.merging(["aud": ["x", .string(AppleAuthority.audience)]]) { $1 }), [:]),
                (try stage.apple.token(claims.merging(["nonce": .string(nonce)]) { $1 }), ["nonce": "raw"]),
            ]
            for (token, more) in tokens {
                let fields: [String: JSONValue] = ["apple_identity_token": .string(token), "device_id": "phone"]
                let answer = try await stage.send("POST", "/v1/auth/ios/session", .object(fields.merging(more) { $1 }))
                #expect(answer.status == 200, "\(answer.json)")
            }
            #expect(stage.apple.fetchCount == 1)
        }
    }

    /// Each changes one thing in a token that would be accepted.
    static let wrong: [(name: String, claims: [String: JSONValue], header: [String: JSONValue])] = [
        ("another issuer", ["iss": "https://evil.example"], [:]), ("no issuer", ["iss": .null], [:]),
        ("another audience", ["aud": "another.app"], [:]), ("a list without ours", ["aud": ["x", "y"]], [:]),
        ("no audience", ["aud": .null], [:]), ("expired this second", ["exp": 1_800_000_000], [:]),
        ("no end", ["exp": .null], [:]), ("an end that is a text", ["exp": "1900000000"], [:]),
        ("issued in the future", ["iat": 1_800_000_061], [:]), ("not issued", ["iat": .null], [:]),
        ("not valid yet", ["nbf": 1_800_000_061], [:]), ("no subject", ["sub": .null], [:]),
        ("an empty subject", ["sub": ""], [:]), ("a subject that is a number", ["sub": 5], [:]),
        ("a nonce that was not given", ["nonce": "abc"], [:]), ("alg none", [:], ["alg": "none"]),
        ("HMAC with the public key's id", [:], ["alg": "HS256"]), ("RS512", [:], ["alg": "RS512"]),
        ("the key of another algorithm", [:], ["kid": "ec-1"]), ("a key that is not in the set", [:], ["kid": "other"]),
        ("no key id", [:], ["kid": .null]), ("an extension that must be understood", [:], ["crit": ["exp"]]),
    ]

    @Test("a token with one wrong claim is refused", arguments: wrong.indices)
    func refused(_ index: Int) async throws {
        let (name, claims, header) = Self.wrong[index]
        try await AssistantStage().run { stage in
            let right = AppleAuthority.claims(at: stage.now)
            func attempt(_ changes: [String: JSONValue], _ header: [String: JSONValue]) async throws
                -> AssistantStage.Answer
            {
                let merged = right.merging(changes) { $1 }.filter { $0.value != .null }
                let token = try stage.apple.token(merged, header: header)
                return try await stage.send(
                    "POST", "/v1/auth/ios/session", ["apple_identity_token": .string(token), "device_id": "phone"])
            }
            let answer = try await attempt(claims, header)
            #expect(answer.status == 401, "\(name)")
            #expect(answer.code == "INVALID_IDENTITY_TOKEN", "\(name)")
            #expect(answer.head.header("www-authenticate") == "Bearer")
            #expect(try await attempt([:], [:]).status == 200)
        }
    }

    @Test("a changed bit, a wrong nonce and other texts are refused")
    func broken() async throws {
        try await AssistantStage().run { stage in
            let token = try stage.apple.token(AppleAuthority.claims(at: stage.now))
            var parts = token.split(separator: ".").map(String.init)
            var signature = try #require(Base64URL.decode(parts[2]))
            signature[9] ^= 1
            parts[2] = Base64URL.encode(signature)
            for text in [parts.joined(separator: "."), "\(parts[0]).\(parts[1]).", "x", "a.b.c", "\(token)="] {
                let answer = try await stage.send(
                    "POST", "/v1/auth/ios/session", ["apple_identity_token": .string(text), "device_id": "phone"])
                #expect(answer.code == "INVALID_IDENTITY_TOKEN", "\(text.prefix(20))")
            }
            #expect(try await stage.signIn("a", ["nonce": "raw"]).code == "INVALID_IDENTITY_TOKEN")
        }
    }

    @Test("Apple's new keys are fetched, at most once in ten seconds for unknown ids")
    func rotation() async throws {
        try await AssistantStage().run { stage in
            #expect(try await stage.signIn().status == 200)
            try stage.apple.publish(rsaID: "rsa-2", p256ID: "ec-2")
            func attempt(_ id: String) async throws -> Int {
                let token = try stage.apple.token(
                    AppleAuthority.claims(at: stage.now), header: ["kid": .string(id)])
                return try await stage.send(
                    "POST", "/v1/auth/ios/session", ["apple_identity_token": .string(token), "device_id": "phone"]
                ).status
            }
            for number in 0..<5 { #expect(try await attempt("invented-\(number)") == 401) }
            #expect(stage.apple.fetchCount == 1)
            stage.wait(10)
            #expect(try await attempt("rsa-2") == 200)
            #expect(stage.apple.fetchCount == 2)
            #expect(try await attempt("rsa-1") == 401)
        }
    }

    @Test(
        "a refresh token works once; its reuse ends the session and its access token at once",
        arguments: AssistantStage.Store.all)
    func refresh(_ store: AssistantStage.Store) async throws {
        try await AssistantStage(store).run { stage in
            let first = try await stage.signIn()
            let old = try first.text("refresh_token")
            let second = try await stage.send("POST", "/v1/auth/refresh", ["refresh_token": .string(old)])
            #expect(second.status == 200)
            let token = try second.text("access_token")
            #expect(try await stage.send("GET", "/v1/preferences", token: token).status == 200)

            let reuse = try await stage.send("POST", "/v1/auth/refresh", ["refresh_token": .string(old)])
            #expect(reuse.code == "INVALID_REFRESH_TOKEN" && reuse.status == 401)
            #expect(try await stage.send("GET", "/v1/preferences", token: token).code == "UNAUTHORIZED")
            let next = try await stage.send(
                "POST", "/v1/auth/refresh", ["refresh_token": .string(try second.text("refresh_token"))])
            #expect(next.code == "INVALID_REFRESH_TOKEN")
        }
    }

    @Test("logout ends the access token at once, and an hour ends it anyway")
    func ends() async throws {
        try await AssistantStage().run { stage in
            let token = try await stage.accessToken()
            let other = try await stage.accessToken()
            #expect(try await stage.send("POST", "/v1/auth/logout", token: token).json == ["ok": true])
            #expect(try await stage.send("GET", "/v1/preferences", token: token).status == 401)
            #expect(try await stage.send("GET", "/v1/preferences", token: other).status == 200)
            stage.wait(3600)
            #expect(try await stage.send("GET", "/v1/preferences", token: other).status == 401)
        }
    }

    @Test("tokens that this service did not issue are refused")
    func foreignTokens() async throws {
        try await AssistantStage().run { stage in
            let token = try await stage.accessToken()
            let parts = token.split(separator: ".").map(String.init)
            let none = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))
            let apple = try stage.apple.token(AppleAuthority.claims(at: stage.now))
            for text in ["", "x", "\(none).\(parts[1]).", "\(none).\(parts[1]).\(parts[2])", apple, token + "x"] {
                #expect(try await stage.send("GET", "/v1/preferences", token: text).code == "UNAUTHORIZED")
            }
        }
    }

    @Test("invitations admit once; a closed service admits no new user")
    func signup() async throws {
        try await AssistantStage { $0.signup = .invite }.run { stage in
            #expect(try await stage.signIn("a").code == "SIGNUP_CLOSED")
            #expect(try await stage.signIn("a", ["invite_code": "guess"]).status == 403)
            let code = try await AssistantAdministration(stage.configuration).invite(days: 7, at: stage.now)
            #expect(try await stage.signIn("a", ["invite_code": .string(code)]).status == 200)
            #expect(try await stage.signIn("a").status == 200)
            #expect(try await stage.signIn("b", ["invite_code": .string(code)]).status == 403)
            let late = try await AssistantAdministration(stage.configuration).invite(days: 1, at: stage.now)
            stage.wait(86_400)
            #expect(try await stage.signIn("b", ["invite_code": .string(late)]).status == 403)
        }
        try await AssistantStage { $0.signup = .closed }.run { stage async throws in
            #expect(try await stage.signIn("a").code == "SIGNUP_CLOSED")
        }
    }

    @Test("an address that is refused too often waits, and a user at the same address does not")
    func limits() async throws {
        try await AssistantStage().run { stage in
            let token = try await stage.accessToken()
            var codes: [String: Int] = [:]
            for _ in 0..<130 {
                let answer = try await stage.send("GET", "/v1/preferences", token: "wrong")
                codes[answer.code, default: 0] += 1
                if answer.code == "RATE_LIMITED" { #expect(answer.head.header("retry-after") == "1") }
            }
            #expect(codes["UNAUTHORIZED", default: 0] >= 60)
            #expect(codes["RATE_LIMITED", default: 0] >= 10)
            #expect(try await stage.signIn().code == "RATE_LIMITED")
            for _ in 0..<100 { #expect(try await stage.send("GET", "/v1/preferences", token: token).status == 200) }
        }
    }
}

extension SignInTests {
    static func claim(_ name: String, of token: String) throws -> String {
        let part = try #require(token.split(separator: ".").dropFirst().first)
        let claims = try JSONReader.read(try #require(Base64URL.decode(String(part))))
        return try #require(claims[name]?.stringValue)
    }
}
