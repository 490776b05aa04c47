import Encodings
import Foundation
import Testing

@testable import AssistantPage

@Suite("The renewal of a browser's tokens") struct TokenRenewalTests {
    private static let renewed: JSONValue = [
        "access_token": "access-token-that-is-new", "refresh_token": "refresh-token-that-is-new", "expires_in": 3600,
    ]

    @Test("an access token that is nearly over is renewed first, and the browser gets the new cookie")
    func beforeItsEnd() async throws {
        let stage = PagesStage()
        stage.api.answer("POST /v1/auth/refresh", (200, Self.renewed))
        let answer = try await stage.send(.get, "/", stage.session(for: 59))
        #expect(answer.status == 200)
        #expect(
            stage.api.calls.first?.body == ["refresh_token": "refresh-token-of-browser-one"])
        #expect(stage.api.calls(of: "GET /v1/preferences").map(\.token) == ["access-token-that-is-new"])
        #expect(answer.cookies.contains { $0.contains("~refresh-token-that-is-new~access-token-that-is-new") })
    }

    @Test("with time to go nothing is renewed, and no cookie is set")
    func withTime() async throws {
        let stage = PagesStage()
        let answer = try await stage.send(.get, "/", stage.session(for: 61))
        #expect(answer.status == 200 && answer.cookies.isEmpty)
        #expect(stage.api.calls(of: "POST /v1/auth/refresh").isEmpty)
    }

    @Test("a token that the API refuses is renewed once, and the call is repeated")
    func refused() async throws {
        let stage = PagesStage()
        stage.api.answer("POST /v1/auth/refresh", (200, Self.renewed))
        stage.api.answer(
            "GET /v1/connectors", (401, ["error_code": "UNAUTHORIZED", "error_message": "no"]), (200, ["items": []]))
        let answer = try await stage.send(.get, "/connections", stage.session())
        #expect(answer.status == 200)
        #expect(
            stage.api.calls(of: "GET /v1/connectors").map(\.token)
                == ["access-token-of-browser-one", "access-token-that-is-new"])
    }

    @Test("many requests at once with one refresh token ask the API once")
    func atOnce() async throws {
        let stage = PagesStage()
        // A second call would be refused, as the API refuses a token that was used.
        stage.api.answer(
            "POST /v1/auth/refresh", (200, Self.renewed),
            (401, ["error_code": "INVALID_REFRESH_TOKEN", "error_message": "it was used"]))
        let session = stage.session(for: 0)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await stage.send(.get, "/connections", session).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 20))
        #expect(stage.api.calls(of: "POST /v1/auth/refresh").count == 1)
    }

    @Test("a session that is over ends the cookie, and leads to the sign-in and back")
    func over() async throws {
        let stage = PagesStage()
        stage.api.answer(
            "POST /v1/auth/refresh", (401, ["error_code": "INVALID_REFRESH_TOKEN", "error_message": "it is over"]))
        let answer = try await stage.send(.get, "/settings", stage.session(for: 0))
        #expect(answer.status == 303 && answer.headers[.location] == "/sign-in?back=/settings")
        #expect(answer.cookies.contains { $0.hasPrefix("__Host-assistant-session=;") && $0.contains("Max-Age=0") })
    }

    @Test("while the API cannot renew, the browser stays signed in")
    func unavailable() async throws {
        let stage = PagesStage()
        stage.api.answer(
            "POST /v1/auth/refresh", (503, ["error_code": "UNAVAILABLE", "error_message": "try again later"]))
        let answer = try await stage.send(.get, "/settings", stage.session(for: 0))
        #expect(answer.status == 503 && answer.cookies.isEmpty)
        #expect(answer.text.contains("Try again later."))
    }
}
