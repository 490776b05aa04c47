import BrokerStore
import Clocks
import Encodings
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import Messages
import NIOCore
import Secrets
import ServiceLifecycle
import Synchronization
import WebServing

/// The server for programs elsewhere, on the broker's machine: the endpoints by which a program asks to become an agent, and
/// the one at which an allowed program's messages arrive. It listens on 127.0.0.1 only.
///
///     let server = RemoteAccessServer(administration, configuration, logger: logger) { call in … }
///     try await server.run()
package struct RemoteAccessServer: Service {
    /// The largest message of a program, in bytes.
    static let largestMessage = 1 << 20
    /// The largest body of every other call, in bytes.
    static let largestForm = 16 << 10
    /// The most open connections.
    static let mostConnections = 256

    private let clients: ClientStore
    private let clock: BrokerClock
    private let configuration: RemoteAccessConfiguration
    private let logger: Logger
    private let answer: @Sendable (RemoteCall) async -> RemoteAnswer
    private let onReady: @Sendable (String) async -> Void
    private let limits = RemoteLimits()
    /// Nil until the port is known.
    private let own = OwnOrigin()
    var descriptions = ClientDescriptions()

    /// - Parameters:
    ///   - answer: answers a message whose token is good.
    ///   - onReady: called with the address of the endpoint for messages once it answers.
    package init(
        _ administration: BrokerAdministration, _ configuration: RemoteAccessConfiguration, logger: Logger,
        onReady: @escaping @Sendable (String) async -> Void = { _ in },
        answer: @escaping @Sendable (RemoteCall) async -> RemoteAnswer
    ) {
        clients = administration.database.clients
        clock = administration.database.clock
        (self.configuration, self.logger, self.answer, self.onReady) = (configuration, logger, answer, onReady)
    }

    /// Serves until the task is cancelled or the service group shuts down.
    ///
    /// - Throws: ``RemoteAccessError`` when it cannot listen.
    package func run() async throws {
        let connections = OpenConnections(limit: Self.mostConnections)
        var quiet = Logger(label: logger.label) { _ in logger.handler }
        quiet.logLevel = max(logger.logLevel, .notice)
        let proxy = configuration.proxyOrigin
        let application = Application(
            router: router(), server: .limited(ConnectionTimeouts(), among: connections),
            configuration: .init(
                address: .hostname("127.0.0.1", port: configuration.port), serverName: "countersign", backlog: 256,
                availableConnectionsDelegate: .maximum(Self.mostConnections, logger: quiet)),
            onServerRunning: { [own, onReady] channel in
                let origin = proxy ?? "http://127.0.0.1:\(channel.localAddress?.port ?? 0)"
                own.set(origin)
                await onReady(origin + "/mcp")
            }, logger: quiet)
        do {
            try await application.run()
        } catch let error as IOError {
            throw RemoteAccessError(
                message: error.errnoCode == EADDRINUSE
                    ? "port \(configuration.port) is in use; stop the program that uses it, or choose another with --port"
                    : "the server cannot listen on 127.0.0.1, port \(configuration.port): \(error)")
        }
    }

    private func authority() throws(RemoteRefusal) -> AuthorizationServer {
        guard let origin = own.value else {
            throw RemoteRefusal(.serviceUnavailable, "The server starts; try again.")
        }
        return AuthorizationServer(clients: clients, clock: clock, descriptions: descriptions, issuer: origin)
    }

    // MARK: Routes

    private func router() -> Router<RemoteContext> {
        let router = Router(context: RemoteContext.self)
        router.add(middleware: RemoteGuard(own: own, isBehindProxy: configuration.proxyOrigin != nil, logger: logger))
        // A program finds the first at the path of the resource (RFC 9728, section 3.1), or by the header of a refusal.
        for path in ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"] {
            router.get("\(path)") { _, _ in Self.json(try authority().resourceMetadata) }
        }
        router.get("/.well-known/oauth-authorization-server") { _, _ in Self.json(try authority().metadata) }
        router.post("/register") { request, context in try await register(request, context) }
        router.get("/authorize") { request, context in try await authorize(request, context) }
        router.get("/authorize/style.css") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/css; charset=utf-8"],
                body: .init(byteBuffer: .init(string: AuthorizationPage.style)))
        }
        router.get("/authorize/:ask") { request, context in try await wait(request, context) }
        router.post("/token") { request, context in try await token(request, context) }
        router.post("/revoke") { request, context in try await revoke(request, context) }
        router.post("/mcp") { request, context in try await message(request, context) }
        // A client can neither open a stream nor end a session here.
        router.get("/mcp") { _, _ in Self.notAllowed() }
        router.delete("/mcp") { _, _ in Self.notAllowed() }
        return router
    }

    private static func notAllowed() -> Response {
        Response(status: .methodNotAllowed, headers: [.allow: "POST"])
    }

    static func json(_ json: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: .init(byteBuffer: .init(bytes: json.compactBytes())))
    }

    private func admit(_ party: RemoteLimits.Party) throws(RemoteRefusal) {
        guard let wait = limits.take(party) else { return }
        throw RemoteRefusal(.tooManyRequests, "Too many calls; wait \(wait) s.", wait: wait)
    }

    private func admit(
        _ holder: AgentName?, otherwise call: RemoteLimits.StrangersCall, _ context: RemoteContext
    ) throws(RemoteRefusal) {
        try admit(holder.map { .agent($0) } ?? .stranger(call, from: context.origin))
    }

    private static func body(_ request: Request, upTo limit: Int) async throws -> ByteBuffer {
        do {
            return try await request.body.collect(upTo: limit)
        } catch {
            throw RemoteRefusal(.contentTooLarge, "The body has more than \(limit) bytes.")
        }
    }

    // MARK: Asking

    private func register(_ request: Request, _ context: RemoteContext) async throws -> Response {
        try admit(.stranger(.registering, from: context.origin))
        let buffer = try await Self.body(request, upTo: Self.largestForm)
        guard
            let json = try? JSONReader.read(
                Data(buffer.readableBytesView), limits: JSONLimits(depth: 8, size: Self.largestForm)),
            json.objectValue != nil
        else { throw OAuthError(.invalidClientMetadata, "the body must be a JSON object") }
        return Self.json(try ClientDescription(registration: json).registered, status: .created)
    }

    private func authorize(_ request: Request, _ context: RemoteContext) async throws -> Response {
        let authority = try authority()
        do {
            try admit(.stranger(.asking, from: context.origin))
            let asked = try await authority.ask(try OAuthParameters(request.uri.query ?? ""), from: context.origin)
            logger.info("a program asks", metadata: ["ask": "\(asked.ask.id)"])
            var response = Response.redirect(to: "/authorize/\(asked.ask.id)", type: .normal)
            response.setCookie(
                Cookie(
                    name: Self.cookieName(of: asked.ask.id),
                    value: asked.browser.map { browser in asked.number.map { "\(browser).\($0)" }.revealed() }
                        .revealed(),
                    maxAge: Int(AuthorizationServer.askLife), path: "/authorize",
                    secure: authority.issuer.hasPrefix("https:"), httpOnly: true, sameSite: .lax))
            return response
        } catch let error as OAuthError {
            return AuthorizationPage.refused(error)
        } catch let error as AuthorizationServer.Returned {
            return AuthorizationPage.refused(error)
        }
    }

    private static func cookieName(of ask: Messages.RequestID) -> String { "countersign-\(ask.short)" }

    private func wait(_ request: Request, _ context: RemoteContext) async throws -> Response {
        guard let id = context.parameters.get("ask").flatMap({ Messages.RequestID($0) }),
            let cookie = request.cookies[Self.cookieName(of: id)]?.value,
            case let halves = cookie.split(separator: "."), halves.count == 2
        else { return AuthorizationPage.over() }
        switch try await authority().wait(for: id, in: Secret(String(halves[0]))) {
        case .waits: return AuthorizationPage.waiting(number: Secret(String(halves[1])))
        case .over: return AuthorizationPage.over()
        case .returns(let address, true): return Response.redirect(to: address.revealed(), type: .normal)
        case .returns(let address, false): return AuthorizationPage.back(to: address)
        }
    }

    // MARK: Tokens

    private func parameters(_ request: Request) async throws -> OAuthParameters {
        guard request.headers[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true else {
            throw OAuthError(.invalidRequest, "the body must be application/x-www-form-urlencoded")
        }
        guard request.headers[.authorization] == nil else {
            throw OAuthError(.invalidClient, "programs have no secret here, and authenticate by the method none")
        }
        return try OAuthParameters(String(buffer: try await Self.body(request, upTo: Self.largestForm)))
    }

    private func token(_ request: Request, _ context: RemoteContext) async throws -> Response {
        let authority = try authority()
        let parameters = try await parameters(request)
        try admit(try await authority.holder(showing: parameters), otherwise: .tokens, context)
        let tokens = try await authority.tokens(parameters)
        return Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: .init(byteBuffer: tokens.withUnsafeBytes { ByteBuffer(bytes: $0) }))
    }

    private func revoke(_ request: Request, _ context: RemoteContext) async throws -> Response {
        let authority = try authority()
        let parameters = try await parameters(request)
        try admit(try await authority.holder(showing: parameters), otherwise: .tokens, context)
        try await authority.revoke(parameters)
        return Response(status: .ok)
    }

    // MARK: Messages

    private func message(_ request: Request, _ context: RemoteContext) async throws -> Response {
        let authority = try authority()
        guard let shown = BearerToken.shown(by: request), !shown.isEmpty else {
            try admit(.stranger(.message, from: context.origin))
            return Self.unauthorized(authority, nil)
        }
        let token = Secret(String(shown))
        guard let (caller, _) = try await authority.agent(showing: token) else {
            // A flood of strangers must not hide from a program that its token has ended.
            try admit(try await authority.holder(of: token), otherwise: .message, context)
            return Self.unauthorized(authority, "invalid_token")
        }
        try admit(.agent(caller))
        let accepts = request.headers[.accept] ?? "*/*"
        guard accepts.contains("*/*") || (accepts.contains("application/json") && accepts.contains("text/event-stream"))
        else { throw RemoteRefusal(.notAcceptable, "Accept must name application/json and text/event-stream.") }
        guard request.headers[.contentType]?.hasPrefix("application/json") == true else {
            throw RemoteRefusal(.unsupportedMediaType, "The body must be application/json.")
        }
        let buffer = try await Self.body(request, upTo: Self.largestMessage)
        // A body may take its time, and another program may have the name by now.
        guard let (agent, end) = try await authority.agent(showing: token) else {
            return Self.unauthorized(authority, "invalid_token")
        }
        guard let place = RemotePlace(of: agent, among: limits) else {
            throw RemoteRefusal(.tooManyRequests, "Too many messages wait for their answers.", wait: 5)
        }
        var headers: [String: String] = [:]
        for field in request.headers {
            headers.merge([field.name.canonicalName: field.value]) { "\($0), \($1)" }
        }
        let reply = await answer(
            RemoteCall(agent: agent, endsAt: end.date, body: Array(buffer.readableBytesView), headers: headers))
        switch reply {
        case .message(let status, let bytes):
            return Response(
                status: .init(code: status), headers: [.contentType: "application/json"],
                body: .init(byteBuffer: .init(bytes: bytes)))
        case .accepted: return Response(status: .accepted)
        case .stream(let messages):
            return Response(
                // nginx otherwise holds an event back until its buffer is full.
                status: .ok, headers: [.contentType: "text/event-stream", .buffering: "no"],
                body: ResponseBody { writer in
                    defer { withExtendedLifetime(place) {} }
                    for await message in messages {
                        // An empty message is a comment, which shows whether the program is still there.
                        try await writer.write(
                            message.isEmpty
                                ? .init(string: ": waiting\n\n")
                                : .init(bytes: Array("data: ".utf8) + message + [10, 10]))
                    }
                    try await writer.finish(nil)
                })
        }
    }

    /// RFC 6750, section 3, with the address of the metadata (RFC 9728, section 5.1).
    private static func unauthorized(_ authority: AuthorizationServer, _ error: String?) -> Response {
        var challenge =
            "Bearer resource_metadata=\"\(authority.issuer)/.well-known/oauth-protected-resource/mcp\", "
            + "scope=\"\(AuthorizationServer.scope)\""
        if let error { challenge += ", error=\"\(error)\"" }
        var response = json(
            ["error": .string(error ?? "unauthorized"), "error_description": "send an access token of this server"],
            status: .unauthorized)
        response.headers[.wwwAuthenticate] = challenge
        return response
    }
}

/// The origin of the server, as programs call it.
final class OwnOrigin: Sendable {
    private let origin = Mutex<String?>(nil)

    var value: String? { origin.withLock { $0 } }

    func set(_ text: String) { origin.withLock { $0 = text } }
}

/// A refusal with a sentence.
struct RemoteRefusal: Error {
    let status: HTTPResponse.Status
    let message: String
    var wait: Int?

    init(_ status: HTTPResponse.Status, _ message: String, wait: Int? = nil) {
        (self.status, self.message, self.wait) = (status, message, wait)
    }

    var response: Response {
        var response = Response.sentence(status, message)
        if let wait { response.headers[.retryAfter] = String(wait) }
        return response
    }
}

/// The context of a call, with the address at the other end.
struct RemoteContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let peer: String
    /// The caller's address as the limits count it; behind a proxy that of the caller's machine, not the proxy's.
    var origin: String

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        peer = source.channel.remoteAddress?.machine ?? "unknown"
        origin = OpenConnections.origin(of: source.channel.remoteAddress)
    }
}

/// Refuses calls under other names than the server's own, which are those of a rebound name, and calls by the scripts of other
/// web sites; and turns errors into answers without internals.
struct RemoteGuard: RouterMiddleware {
    let own: OwnOrigin
    let isBehindProxy: Bool
    let logger: Logger

    func handle(
        _ request: Request, context: RemoteContext, next: (Request, RemoteContext) async throws -> Response
    ) async throws -> Response {
        var response = await answer(request, context, next)
        response.protect(by: AuthorizationPage.policy, isStrict: isBehindProxy)
        return response
    }

    private func answer(
        _ request: Request, _ context: RemoteContext, _ next: (Request, RemoteContext) async throws -> Response
    ) async -> Response {
        guard let origin = own.value, let host = request.head.authority?.lowercased(), origin.hasSuffix("://\(host)")
        else {
            return .sentence(.misdirectedRequest, "This server is not reached under that name.")
        }
        if let site = request.headers[.origin], site != origin {
            return .sentence(.forbidden, "Web pages do not call this server.")
        }
        do {
            var context = context
            if isBehindProxy {
                let forwarded = try ForwardedRequest(request.headers, from: context.peer)
                context.origin = OpenConnections.origin(of: forwarded.client)
            }
            return try await next(request, context)
        } catch let error as OAuthError {
            return RemoteAccessServer.json(error.json, status: error.status)
        } catch let error as RemoteRefusal {
            return error.response
        } catch let error as ForwardedRequest.Refusal {
            return .sentence(.misdirectedRequest, error.description)
        } catch let error as HTTPError {
            return .sentence(error.status, "There is nothing here.")
        } catch {
            logger.error("a call failed", metadata: ["error": "\(error)"])
            return .sentence(.internalServerError, "The server failed; see its log.")
        }
    }
}

extension HTTPField.Name {
    fileprivate static let buffering = Self("X-Accel-Buffering")!
}
