import Foundation
import Hummingbird
import NIOCore

extension FakePaperless {
    /// Runs the server while `body` runs.
    package static func with<Success: Sendable>(
        version: Int = 2, _ body: @escaping @Sendable (FakePaperless, _ url: String) async throws -> Success
    ) async throws -> Success {
        let paperless = FakePaperless(version: version)
        let router = Router(context: FakePaperlessContext.self)
        let handler: @Sendable (Request, FakePaperlessContext) async throws -> Response = { request, context in
            let content = try await request.body.collect(upTo: 8 << 20)
            let answer = await paperless.answer(
                request.method.rawValue, request.uri.path,
                query: Dictionary(
                    request.uri.queryParameters.map { (String($0.key), String($0.value)) }, uniquingKeysWith: { $1 }),
                authorization: request.headers[.authorization] ?? "", accept: request.headers[.accept] ?? "",
                type: request.headers[.contentType] ?? "",
                body: Array(content.readableBytesView))
            guard let answer else {
                try await context.channel.close()
                throw CancellationError()
            }
            var response = Response(
                status: .init(code: answer.status), headers: [.contentType: "application/json"],
                body: .init(byteBuffer: ByteBuffer(bytes: answer.body)))
            if let location = answer.location { response.headers[.location] = location }
            return response
        }
        router.get("**", use: handler)
        router.post("**", use: handler)
        return try await LoopbackServer.run(router) { port in try await body(paperless, "http://127.0.0.1:\(port)") }
    }
}

struct FakePaperlessContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
