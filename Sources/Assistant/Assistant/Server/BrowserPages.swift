import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Secrets
import WebServing

/// Pages for browsers, which the assistant serves beside its API at the same address.
package protocol BrowserPages: Sendable {
    /// Returns whether the pages answer a path. The API answers all others.
    func serves(_ path: String) -> Bool

    /// - Parameter api: calls the API for this browser.
    func respond(to request: Request, logger: Logger, calling api: LocalAPI) async throws -> Response
}

/// The API, called from inside its own process. Such a call passes the same checks and limits as one over the network.
package struct LocalAPI: Sendable {
    package struct Answer: Sendable {
        package let status: Int
        package let bytes: [UInt8]

        package init(status: Int, bytes: [UInt8]) {
            self.status = status
            self.bytes = bytes
        }
    }

    private let respond: @Sendable (Request) async throws -> Response

    package init(_ respond: @escaping @Sendable (Request) async throws -> Response) {
        self.respond = respond
    }

    /// - Parameters:
    ///   - token: the user's access token.
    ///   - body: JSON.
    package func send(
        _ method: HTTPRequest.Method, _ path: String, token: Secret? = nil, body: [UInt8]? = nil
    ) async throws -> Answer {
        var head = HTTPRequest(method: method, scheme: nil, authority: nil, path: path)
        if let token { head.headerFields[.authorization] = "Bearer \(token.revealed())" }
        if body != nil { head.headerFields[.contentType] = "application/json" }
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body ?? [])))
        let response = try await respond(request)
        let kept = Kept()
        try await response.body.write(kept)
        return Answer(status: response.status.code, bytes: Array(kept.buffer.readableBytesView))
    }

    /// The body of an answer in memory. One task writes it, and reads it afterwards.
    private final class Kept: ResponseBodyWriter {
        var buffer = ByteBuffer()

        func write(_ buffer: ByteBuffer) async throws { self.buffer.writeImmutableBuffer(buffer) }
        func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}

/// Hands each request to the pages or to the API.
struct PagesAndAPI<API: HTTPResponder>: HTTPResponder where API.Context == AssistantContext {
    let api: API
    let pages: (any BrowserPages)?
    /// True when a proxy on this machine passes the requests on, and says from whom.
    let isBehindProxy: Bool

    func respond(to request: Request, context: AssistantContext) async throws -> Response {
        var context = context
        let peer = context.channel.remoteAddress?.machine ?? "unknown"
        // Calls that came past the proxy, such as a health check's, have no such headers.
        if isBehindProxy, let forwarded = try? ForwardedRequest(request.headers, from: peer) {
            context.origin = OpenConnections.origin(of: forwarded.client)
        }
        let caller = context
        guard let pages, pages.serves(request.uri.path) else {
            return try await api.respond(to: request, context: context)
        }
        let local = LocalAPI { [api] request in
            // The context of the same caller: the API's limits count its address.
            var context = AssistantContext(
                source: ApplicationRequestContextSource(channel: caller.channel, logger: caller.logger))
            context.origin = caller.origin
            return try await api.respond(to: request, context: context)
        }
        return try await pages.respond(to: request, logger: context.logger, calling: local)
    }
}
