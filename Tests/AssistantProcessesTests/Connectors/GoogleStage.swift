import CurlClient
import Foundation
import MockGoogle
import Secrets
import Synchronization
import Testing

@testable import AssistantProcesses

/// Our clients, and a mock of Google that they speak to.
struct GoogleStage {
    static let redirect = "alfred://oauth/google/callback"
    static let now = Date(timeIntervalSince1970: 1_800_000_000)

    let google: MockGoogleServer
    let oauth: GoogleOAuth
    let endpoints: GoogleEndpoints
    private let http: CurlSession
    var transport: any HTTPTransport { http }
    /// The waits that our client asked for, in milliseconds.
    let waits = Waits()

    init(_ change: (inout MockGoogleConfiguration) -> Void = { _ in }) async throws {
        var configuration = MockGoogleConfiguration()
        change(&configuration)
        google = try await MockGoogleServer.start(configuration)
        var endpoints = GoogleEndpoints()
        endpoints.authorization = "\(google.url)/o/oauth2/v2/auth"
        endpoints.token = "\(google.url)/token"
        endpoints.revocation = "\(google.url)/revoke"
        endpoints.api = google.url
        self.endpoints = endpoints
        var curl = CurlConfiguration()
        curl.keepsCookies = false
        http = CurlSession(curl)
        oauth = GoogleOAuth(
            clientID: configuration.clientID, clientSecret: configuration.clientSecret.map { Secret($0) },
            endpoints: endpoints, over: http)
    }

    /// Runs `body`, and stops the mock afterwards.
    static func run(
        at clock: Clock = Clock(), _ body: (GoogleStage) async throws -> Void
    ) async throws {
        let stage = try await GoogleStage { $0.now = { clock.now } }
        do {
            try await body(stage)
        } catch {
            await stage.google.stop()
            throw error
        }
        await stage.google.stop()
    }

    /// Consents as a person does, and returns what the browser brings back.
    func consent(
        _ proof: ProofKey, scopes: [GoogleScope] = GoogleScope.allCases, decision: String = "allow",
        state: String = "the state"
    ) async throws -> [String: String] {
        let url = oauth.authorizationURL(redirectURI: Self.redirect, state: state, proof: proof)
        let page = try await http.send(HTTPRequest("GET", url))
        try #require(page.status == 200, "\(String(decoding: page.body, as: UTF8.self))")
        let query = String(url.split(separator: "?", maxSplits: 1)[1])
        let form = GoogleOAuth.form(
            [("query", query), ("decision", decision)] + scopes.map { ("scope", $0.url) })
        let answer = try await http.send(
            HTTPRequest(
                "POST", url, headers: [HTTPHeader("Content-Type", "application/x-www-form-urlencoded")],
                body: Array(form.utf8)))
        let location = try #require(answer.header("location"))
        try #require(location.hasPrefix(Self.redirect + "?"))
        let items = URLComponents(string: location)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 })
    }

    /// Consents and redeems the code.
    func connect(_ scopes: [GoogleScope] = GoogleScope.allCases) async throws -> GoogleOAuth.Consent {
        let proof = ProofKey()
        let code = try #require(try await consent(proof, scopes: scopes)["code"])
        return try await oauth.redeem(code: Secret(code), proof: proof, redirectURI: Self.redirect)
    }

    func api(_ token: Secret) -> GoogleAPI {
        let waits = waits
        return GoogleAPI(token: token, endpoints: endpoints, over: http) { waits.add($0) }
    }
}

/// A clock that a test sets.
final class Clock: Sendable {
    private let time = Mutex(GoogleStage.now)

    var now: Date { time.withLock { $0 } }
    func wait(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }
}

final class Waits: Sendable {
    private let all = Mutex<[Duration]>([])

    func add(_ wait: Duration) { all.withLock { $0.append(wait) } }
    var list: [Duration] { all.withLock { $0 } }
}
