import BrokerStore
import Clocks
import CurlClient
import DeviceTrust
import Encodings
import Foundation
import Logging
import Messages
import Storage
import TestParties
import Testing

import struct Crypto.SHA256

@testable import Broker

/// A broker, and beside it the server for programs elsewhere, which answers every message with the agent's name.
struct RemoteStage: Sendable {
    let broker: BrokerStage
    /// The origin, such as `http://127.0.0.1:40000`.
    let origin: String
    private let http: CurlSession

    static let returnsTo = "http://127.0.0.1:1/back"
    static let verifier = String(repeating: "v", count: 43)
    static var challenge: String { Base64URL.encode(Array(SHA256.hash(data: Data(verifier.utf8)))) }

    private init(_ broker: BrokerStage, _ origin: String) {
        (self.broker, self.origin) = (broker, origin)
        var configuration = CurlConfiguration()
        configuration.keepsCookies = false
        http = CurlSession(configuration)
    }

    static func run(
        behindProxy proxy: String? = nil, descriptions: ClientDescriptions = ClientDescriptions(),
        _ body: @escaping @Sendable (RemoteStage) async throws -> Void
    ) async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            try await serve(beside: stage, behindProxy: proxy, descriptions: descriptions, body)
        }
    }

    /// Runs the server beside a broker that runs already.
    static func serve(
        beside stage: BrokerStage, port: Int = 0, behindProxy proxy: String? = nil,
        descriptions: ClientDescriptions = ClientDescriptions(),
        _ body: @escaping @Sendable (RemoteStage) async throws -> Void
    ) async throws {
        let quiet = Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }
        try await ServedService.run(
            { onReady in
                var server = RemoteAccessServer(
                    try stage.administration(), try RemoteAccessConfiguration(port: port, behindProxy: proxy),
                    logger: quiet,
                    onReady: onReady,
                    answer: { call in
                        if call.body.starts(with: Array("{\"stream\"".utf8)) {
                            let (messages, sender) = AsyncStream<[UInt8]>.makeStream()
                            sender.yield([])
                            sender.yield(Array("{\"n\":1}".utf8))
                            sender.finish()
                            return .stream(messages)
                        }
                        return .message(
                            status: 200, JSONValue.object(["agent": .string("\(call.agent)")]).compactBytes())
                    })
                server.descriptions = descriptions
                return server
            }, { address in try await body(RemoteStage(stage, String(address.dropLast("/mcp".count)))) })
    }

    // MARK: Calls

    func send(
        _ method: String, _ path: String, _ headers: [(String, String)] = [], body: [UInt8]? = nil
    ) async throws -> HTTPResponse {
        try await http.send(
            HTTPRequest(
                method, origin + path, headers: headers.map { HTTPHeader($0.0, $0.1) }, body: body))
    }

    static func encoded(_ fields: [String: String]) -> String {
        fields.sorted { $0.key < $1.key }.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }.joined(separator: "&")
    }

    func register(_ body: JSONValue? = nil) async throws -> (status: Int, json: JSONValue) {
        let body = body ?? ["client_name": "Books", "redirect_uris": [.string(Self.returnsTo)]]
        let answer = try await send(
            "POST", "/register", [("Content-Type", "application/json")], body: body.compactBytes())
        return (answer.status, try JSONReader.read(answer.body))
    }

    /// The parameters of a good question.
    func question(of client: String) -> [String: String] {
        [
            "client_id": client, "redirect_uri": Self.returnsTo, "response_type": "code", "state": "a state",
            "code_challenge": Self.challenge, "code_challenge_method": "S256", "resource": origin + "/mcp",
        ]
    }

    func authorize(_ parameters: [String: String]) async throws -> HTTPResponse {
        try await send("GET", "/authorize?" + Self.encoded(parameters))
    }

    /// A browser that waits for a person.
    struct Browser: Sendable {
        let path: String
        let cookie: String
        let number: String
    }

    func ask(_ client: String) async throws -> Browser {
        let answer = try await authorize(question(of: client))
        let path = try #require(answer.header("Location"))
        let cookie = String(try #require(answer.header("Set-Cookie")).prefix { $0 != ";" })
        let page = try await send("GET", path, [("Cookie", cookie)])
        #expect(page.status == 200)
        let text = String(decoding: page.body, as: UTF8.self)
        let number = try #require(text.firstMatch(of: /class="number">([0-9A-Z]{4}-[0-9A-Z]{4})</))
        return Browser(path: path, cookie: cookie, number: String(number.1))
    }

    func look(_ browser: Browser) async throws -> HTTPResponse {
        try await send("GET", browser.path, [("Cookie", browser.cookie)])
    }

    func waiting() async throws -> [WaitingClient] {
        try #require(
            ClientList(json: try await broker.send("GET", "/phone/clients", as: .phone).json)
        ).waiting
    }

    /// Allows the program that waits, as the default phone.
    func allow(
        _ browser: Browser, as agent: String = "books", limits: ClientLimits = .none, number: String? = nil
    ) async throws -> (status: Int, json: JSONValue) {
        let client = try #require(try await waiting().first { browser.path.hasSuffix("\($0.id)") })
        let permission = ClientPermission(
            for: client, number: number ?? browser.number, agent: try #require(AgentName(agent)), limits: limits,
            verifiedBy: [.passkey], at: broker.clock.now)
        let answer = try await broker.send(
            "POST", "/phone/clients/\(client.id)/allow", as: .phone, permission.unsigned)
        return (answer.status, answer.json)
    }

    /// Returns the parameters with which the browser went back to the program.
    func returned(_ browser: Browser) async throws -> [String: String] {
        let answer = try await look(browser)
        let location = try #require(answer.header("Location"), "\(answer.status)")
        return Self.query(location)
    }

    /// Returns the address of the link by which a page leads back to the program.
    static func link(on page: HTTPResponse) throws -> String {
        let text = String(decoding: page.body, as: UTF8.self)
        return String(try #require(text.firstMatch(of: /<a href="([^"]+)"/)).1).replacing("&amp;", with: "&")
    }

    static func query(_ address: String) -> [String: String] {
        Dictionary(
            (URLComponents(string: address)?.queryItems ?? []).map { ($0.name, $0.value ?? "") },
            uniquingKeysWith: { first, _ in first })
    }

    func token(_ fields: [String: String], _ headers: [(String, String)] = []) async throws -> (
        status: Int, json: JSONValue
    ) {
        let answer = try await send(
            "POST", "/token", [("Content-Type", "application/x-www-form-urlencoded")] + headers,
            body: Array(Self.encoded(fields).utf8))
        return (answer.status, try JSONReader.read(answer.body))
    }

    /// The parameters that redeem a code.
    func redemption(of code: String, for client: String) -> [String: String] {
        [
            "grant_type": "authorization_code", "code": code, "client_id": client, "redirect_uri": Self.returnsTo,
            "code_verifier": Self.verifier, "resource": origin + "/mcp",
        ]
    }

    /// Registers a program, has it allowed, and returns its identifier and a code.
    func code(as agent: String = "books", limits: ClientLimits = .none) async throws -> (client: String, code: String) {
        let client = try #require(try await register().json["client_id"]?.stringValue)
        let browser = try await ask(client)
        #expect(try await allow(browser, as: agent, limits: limits).status == 200)
        return (client, try #require(try await returned(browser)["code"]))
    }

    struct Tokens: Sendable {
        let client: String
        let access: String
        let refresh: String
    }

    func tokens(as agent: String = "books", limits: ClientLimits = .none) async throws -> Tokens {
        let (client, code) = try await code(as: agent, limits: limits)
        return try Self.tokens(try await token(redemption(of: code, for: client)).json, client)
    }

    static func tokens(_ json: JSONValue, _ client: String) throws -> Tokens {
        Tokens(
            client: client, access: try #require(json["access_token"]?.stringValue, "\(json)"),
            refresh: try #require(json["refresh_token"]?.stringValue))
    }

    func renew(_ tokens: Tokens) async throws -> (status: Int, json: JSONValue) {
        try await token([
            "grant_type": "refresh_token", "refresh_token": tokens.refresh, "client_id": tokens.client,
            "resource": origin + "/mcp",
        ])
    }

    func message(
        _ token: String, _ more: [(String, String)] = [], body: [UInt8] = Array("{}".utf8)
    ) async throws -> HTTPResponse {
        try await send(
            "POST", "/mcp",
            [
                ("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream"),
                ("Authorization", "Bearer \(token)"),
            ] + more, body: body)
    }

    /// Returns the kinds of the audit's events about programs, the oldest first.
    func audited() async throws -> [String] {
        try await broker.administration().database.audit.records(AuditFilter(type: "client")).map(\.event.type)
    }
}
