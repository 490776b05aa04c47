import Assistant
import Encodings
import Foundation
import HTTPTypes
import Secrets
import Synchronization

/// Calls the API for the browser of one request, and renews its tokens when they are over.
final class PageAPI: Sendable {
    /// The seconds before its end at which an access token is renewed.
    private static let margin: TimeInterval = 60
    private static let limits = JSONLimits(size: 8 << 20)

    private let local: LocalAPI
    private let renewals: TokenRenewals
    private let now: @Sendable () -> Date
    private let state: Mutex<State>

    private struct State {
        var session: BrowserSession?
        var isChanged = false
    }

    init(
        _ local: LocalAPI, session: BrowserSession?, renewals: TokenRenewals, now: @escaping @Sendable () -> Date
    ) {
        self.local = local
        self.renewals = renewals
        self.now = now
        state = Mutex(State(session: session))
    }

    var session: BrowserSession? { state.withLock { $0.session } }

    /// The cookie's new content: a session, or nil to end it. Nil when the cookie stays as it is.
    var change: BrowserSession?? { state.withLock { $0.isChanged ? .some($0.session) : .none } }

    func set(_ session: BrowserSession?) { state.withLock { $0 = State(session: session, isChanged: true) } }

    /// Returns the session of a signed-in browser.
    func signedIn() throws(PageRefusal) -> BrowserSession {
        guard let session else { throw .signInFirst }
        return session
    }

    // MARK: Calls of the user

    /// Calls a route with the user's token.
    ///
    /// - Throws: ``PageRefusal/signInFirst`` when the session is over; ``APIRefusal`` for every other refusal.
    @discardableResult
    func send(_ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        try JSONReader.read(try await bytes(method, path, body), limits: Self.limits)
    }

    /// Reads a route; nil when the API does not offer it.
    func offered(_ path: String) async throws -> JSONValue? {
        do {
            return try await send(.get, path)
        } catch let refusal as APIRefusal where [404, 503].contains(refusal.status) {
            return nil
        }
    }

    /// Calls a route with the user's token, and returns the answer's body as it is.
    func bytes(_ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil) async throws -> [UInt8] {
        var session = try signedIn()
        var isFresh = false
        if session.accessExpires.addingTimeInterval(-Self.margin) <= now() {
            session = try await renewed(session)
            isFresh = true
        }
        var answer = try await call(method, path, session, body)
        if answer.status == 401, !isFresh {
            answer = try await call(method, path, try await renewed(session), body)
        }
        guard answer.status != 401 else {
            set(nil)
            throw PageRefusal.signInFirst
        }
        guard 200..<300 ~= answer.status else { throw APIRefusal(answer) }
        return answer.bytes
    }

    private func call(
        _ method: HTTPRequest.Method, _ path: String, _ session: BrowserSession, _ body: JSONValue?
    ) async throws -> LocalAPI.Answer {
        try await local.send(method, path, token: session.accessToken, body: body?.compactBytes())
    }

    private func renewed(_ session: BrowserSession) async throws -> BrowserSession {
        let tokens: SessionTokens
        do {
            tokens = try await renewals.renew(session.refreshToken) { [self] in
                try await self.tokens(
                    from: "/v1/auth/refresh", ["refresh_token": .string(session.refreshToken.revealed())])
            }
        } catch let refusal as APIRefusal where refusal.status == 401 {
            set(nil)
            throw PageRefusal.signInFirst
        }
        let next = session.renewed(tokens)
        set(next)
        return next
    }

    // MARK: Calls of a stranger

    /// Calls a route that needs no token.
    func sendAsStranger(_ path: String, _ body: JSONValue) async throws -> JSONValue {
        let answer = try await local.send(.post, path, body: body.compactBytes())
        guard 200..<300 ~= answer.status else { throw APIRefusal(answer) }
        return try JSONReader.read(answer.bytes, limits: Self.limits)
    }

    /// Calls a route that answers with the tokens of a session.
    func tokens(from path: String, _ body: JSONValue) async throws -> SessionTokens {
        let json = try await sendAsStranger(path, body)
        guard let access = json["access_token"]?.stringValue, let refresh = json["refresh_token"]?.stringValue,
            let seconds = json["expires_in"]?.intValue
        else { throw APIRefusal(status: 502, code: "", message: "the API gave no tokens") }
        return SessionTokens(
            access: Secret(access), refresh: Secret(refresh),
            expires: now().addingTimeInterval(TimeInterval(seconds)))
    }
}

/// A refusal of the API.
struct APIRefusal: Error, Sendable {
    let status: Int
    let code: String
    let message: String

    init(status: Int, code: String, message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    init(_ answer: LocalAPI.Answer) {
        let json = try? JSONReader.read(answer.bytes)
        self.init(
            status: answer.status, code: json?["error_code"]?.stringValue ?? "",
            message: json?["error_message"]?.stringValue ?? "the assistant failed; see its log")
    }

    /// The refusal for the person at the browser.
    var words: String {
        let own = message.prefix(1).uppercased() + message.dropFirst() + (message.hasSuffix(".") ? "" : ".")
        return switch code {
        case "INVALID_STATE", "INVALID_CODE": PageText.of("refusal.google-answer")
        case "CONSENT_DENIED": PageText.of("refusal.denied")
        case "RATE_LIMITED": PageText.of("refusal.rate")
        case "NOT_FOUND": PageText.of("refusal.not-offered")
        case "ALREADY_DECIDED": PageText.told(own, "refusal.decided")
        case "UNAVAILABLE": PageText.told(own, "refusal.unavailable")
        case "SIGNUP_CLOSED": PageText.told(own, "refusal.signup")
        case "INVALID_PASSKEY": PageText.told(own, "refusal.passkey")
        default: PageText.told(own, "refusal.any")
        }
    }
}
