import Assistant
import Encodings
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Secrets
import Synchronization
import WebServing

@testable import AssistantPage

/// An API with prepared answers, which notes every call.
final class FakeAPI: Sendable {
    struct Call: Sendable, Equatable {
        let route: String
        let token: String
        let body: JSONValue
    }

    private struct State {
        var answers: [String: [(Int, JSONValue)]] = [:]
        var calls: [Call] = []
    }

    private let state = Mutex(State())

    var calls: [Call] { state.withLock { $0.calls } }
    func calls(of route: String) -> [Call] { calls.filter { $0.route == route } }

    /// Prepares the answers to a route, such as `GET /v1/preferences`; the last one counts for all further calls.
    func answer(_ route: String, _ answers: (Int, JSONValue)...) {
        state.withLock { $0.answers[route] = answers }
    }

    var local: LocalAPI {
        LocalAPI { [self] request in
            let bytes = try await request.body.collect(upTo: 1 << 20)
            let token = (request.headers[.authorization] ?? "").replacing("Bearer ", with: "")
            let route = "\(request.method.rawValue) \(request.uri.string)"
            let (status, json) = state.withLock { state in
                state.calls.append(
                    Call(route: route, token: token, body: (try? JSONReader.read(bytes.readableBytesView)) ?? .null))
                guard let answers = state.answers[route], let first = answers.first else {
                    return (404, ["error_code": "NOT_FOUND", "error_message": "there is no such route"] as JSONValue)
                }
                if answers.count > 1 { state.answers[route]?.removeFirst() }
                return first
            }
            return Response(
                status: .init(code: status), body: .init(byteBuffer: ByteBuffer(bytes: json.compactBytes())))
        }
    }
}

/// The pages over a fake API, and a browser's view of them.
struct PagesStage: Sendable {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)

    let api = FakeAPI()
    let settings: AssistantPageSettings
    let pages: AssistantPage

    init(_ change: (inout AssistantConfiguration) -> Void = { _ in }) {
        var configuration = AssistantConfiguration(
            databaseURL: "sqlite:/nowhere", state: URL(filePath: "/nowhere"))
        configuration.publicURL = URL(string: "https://assistant.example")
        change(&configuration)
        settings = AssistantPageSettings(configuration)
        pages = AssistantPage(settings, now: { Self.now })
        api.answer("GET /v1/preferences", (200, Self.preferences))
        api.answer(
            "GET /v1/preferences/notifications",
            (
                200,
                [
                    "show_details": false, "reminders_in_quiet_hours": false, "marked_senders": ["ann@example.com"],
                    "urgent_mail": true,
                ]
            ))
        for route in ["connectors", "devices", "confirmations"] {
            api.answer("GET /v1/\(route)", (200, ["items": []]))
        }
        api.answer("GET /v1/devices/webpush/key", (200, ["public_key": "BPublicKeyOfThePush"]))
        api.answer("GET /v1/alerts?limit=20", (200, ["items": [], "next_cursor": .null]))
        api.answer("GET /v1/audit-events?limit=50", (200, ["items": [], "next_cursor": .null]))
    }

    static let preferences: JSONValue = [
        "meeting_reminder_minutes": 15, "morning_brief_local_time": "08:00", "quiet_hours_start": "22:00",
        "quiet_hours_end": "07:00", "high_risk_requires_confirm": true, "time_zone": "Europe/Vienna",
    ]

    /// Returns a session with an hour to go, or with this many seconds.
    func session(_ name: String = "one", for seconds: TimeInterval = 3600) -> BrowserSession {
        BrowserSession(
            formKey: Secret("key-of-the-forms-of-browser-\(name)-00000000"),
            refreshToken: Secret("refresh-token-of-browser-\(name)"),
            accessToken: Secret("access-token-of-browser-\(name)"), accessExpires: Self.now.addingTimeInterval(seconds))
    }

    struct Answer: Sendable {
        let status: Int
        let headers: HTTPFields
        let text: String

        var cookies: [String] { headers[values: .setCookie] }
        var json: JSONValue { (try? JSONReader.read(Array(text.utf8))) ?? .null }
    }

    /// Sends a request as a browser does.
    ///
    /// - Parameters:
    ///   - form: a form's fields; the form token is added if `sendsToken`.
    ///   - json: a script's call.
    func send(
        _ method: HTTPRequest.Method, _ path: String, _ session: BrowserSession? = nil, form: [String: String]? = nil,
        json: JSONValue? = nil, sendsToken: Bool = true, host: String? = nil,
        change: (inout HTTPFields) -> Void = { _ in }
    ) async throws -> Answer {
        let authority = host ?? String(settings.origin.split(separator: "/")[1])
        var head = HTTPRequest(method: method, scheme: "https", authority: authority, path: path)
        if let session {
            head.headerFields[.cookie] = PageCookies(settings: settings).make(session).description.split(separator: ";")
                .first.map(String.init)
        }
        var body = ""
        if method != .get {
            head.headerFields[.origin] = settings.origin
            if let json {
                head.headerFields[.contentType] = "application/json"
                if sendsToken { head.headerFields[.csrfToken] = session?.formToken }
                body = json.compactText()
            } else {
                head.headerFields[.contentType] = "application/x-www-form-urlencoded"
                var fields = form ?? [:]
                if sendsToken { fields["csrf"] = session?.formToken }
                body = fields.map { name, value in
                    "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
                }.joined(separator: "&")
            }
        }
        change(&head.headerFields)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body)))
        let response = try await pages.respond(
            to: request, logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }, calling: api.local)
        let kept = Kept()
        try await response.body.write(kept)
        return Answer(
            status: response.status.code, headers: response.headers, text: String(buffer: kept.buffer))
    }

    private final class Kept: ResponseBodyWriter {
        var buffer = ByteBuffer()

        func write(_ buffer: ByteBuffer) async throws { self.buffer.writeImmutableBuffer(buffer) }
        func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}
