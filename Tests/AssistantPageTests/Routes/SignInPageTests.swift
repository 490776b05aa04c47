import Assistant
import Encodings
import Foundation
import HTTPTypes
import Testing

@testable import AssistantPage

@Suite("Signing in and out on the assistant's pages") struct SignInPageTests {
    private static let tokens: JSONValue = [
        "access_token": "access-token-of-a-sign-in", "refresh_token": "refresh-token-of-a-sign-in", "expires_in": 3600,
    ]

    @Test("asks for an invitation where one is needed, and offers nothing to strangers where none is admitted")
    func rules() async throws {
        for (rule, asks, offers) in [
            (SignupRule.open, false, true), (.invite, true, true), (.closed, false, false),
        ] {
            let page = try await PagesStage { $0.signup = rule }.send(.get, "/sign-in").text
            #expect(page.contains("Invitation code") == asks, "\(rule)")
            #expect(page.contains("Make a passkey") == offers, "\(rule)")
        }
    }

    @Test("hands the API the device of this browser, and nothing else that a script wants")
    func start() async throws {
        let stage = PagesStage()
        stage.api.answer(
            "POST /v1/auth/passkey/register/start", (200, ["challenge_id": "c-1", "public_key": ["challenge": "AA"]]))
        let answer = try await stage.send(
            .post, "/sign-in/register/start",
            json: ["time_zone": "Europe/Vienna", "invite_code": "code", "device_id": "another"])
        #expect(answer.json == ["challenge_id": "c-1", "public_key": ["challenge": "AA"]])
        let cookie = try #require(answer.cookies.first)
        let device = try #require(cookie.firstMatch(of: /^__Host-assistant-device=(web-[A-Za-z0-9_-]{22});/)).1
        #expect(
            stage.api.calls.map(\.body) == [
                ["device_id": .string(String(device)), "time_zone": "Europe/Vienna", "invite_code": "code"]
            ])
        #expect(cookie.contains("HttpOnly") && cookie.contains("Secure"))
    }

    @Test("puts the tokens into the cookie, and shows them to no script")
    func finish() async throws {
        let stage = PagesStage()
        stage.api.answer("POST /v1/auth/passkey/login/finish", (200, Self.tokens))
        let answer = try await stage.send(
            .post, "/sign-in/login/finish",
            json: ["challenge_id": "c-1", "credential": ["id": "k"], "back": "/briefs/b-1"])
        #expect(answer.status == 200 && answer.json == ["next": "/briefs/b-1"])
        #expect(!answer.text.contains("token-of-a-sign-in"))
        let cookie = try #require(answer.cookies.first { $0.hasPrefix("__Host-assistant-session=") })
        #expect(cookie.contains("~refresh-token-of-a-sign-in~access-token-of-a-sign-in"))
        #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"))
    }

    @Test("tells why a sign-in is refused, and sets no session")
    func refused() async throws {
        let stage = PagesStage()
        stage.api.answer(
            "POST /v1/auth/passkey/register/finish",
            (403, ["error_code": "SIGNUP_CLOSED", "error_message": "a new user needs an invitation"]))
        let answer = try await stage.send(.post, "/sign-in/register/finish", json: ["challenge_id": "c"])
        #expect(answer.status == 403 && answer.json["error_message"] == "A new user needs an invitation.")
        #expect(!answer.cookies.contains { $0.contains("session") })
        #expect(try await stage.send(.post, "/sign-in/other/finish", json: [:]).status == 404)
    }

    @Test("a browser that is signed in does not sign in again")
    func signedIn() async throws {
        let stage = PagesStage()
        let answer = try await stage.send(.get, "/sign-in?back=/data", stage.session())
        #expect(answer.status == 303 && answer.headers[.location] == "/data")
    }

    @Test("signing out ends the notices to this browser and its session, at the API and in the cookie")
    func signOut() async throws {
        let stage = PagesStage()
        stage.api.answer("POST /v1/auth/logout", (200, ["ok": true]))
        let answer = try await stage.send(.post, "/sign-out", stage.session()) {
            $0[.cookie] = ($0[.cookie] ?? "") + "; __Host-assistant-device=web-0123456789abcdefghijkl"
        }
        #expect(answer.status == 303 && answer.headers[.location] == "/sign-in")
        #expect(
            stage.api.calls.map(\.route) == [
                "DELETE /v1/devices/web%2D0123456789abcdefghijkl", "POST /v1/auth/logout",
            ])
        #expect(answer.cookies.contains { $0.hasPrefix("__Host-assistant-session=;") && $0.contains("Max-Age=0") })
    }
}
