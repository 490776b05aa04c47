import Encodings
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Secrets
import Synchronization
import WebServing

/// The web server of the desk, on this machine's loopback address only.
package struct DeskServer: Sendable {
    /// The page's address. Its token is the right to read and save the script.
    package let address: Secret
    private let task: Task<Void, any Error>

    /// The most connections at a time. The author's browser needs six.
    private static let mostConnections = 64

    /// Starts the server and returns when it answers.
    ///
    /// - Parameter port: 0 for any free port.
    /// - Throws: ``DeskServerError`` when the port cannot be had.
    package static func start(_ desk: AuthorDesk, port: Int = 0) async throws -> DeskServer {
        let token = Secret(Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) }))
        let bound = BoundPort()
        let (ports, report) = AsyncStream<Int>.makeStream()
        let task = Task {
            defer { report.finish() }
            try await serve(DeskRoutes(desk: desk, token: token, bound: bound), port) { port in
                bound.port.withLock { $0 = port }
                report.yield(port)
            }
        }
        for await port in ports {
            return DeskServer(
                address: token.map { "http://\(DeskRoutes.host):\(port)/\($0)/" }, task: task)
        }
        do {
            try await task.value
        } catch let error as IOError {
            throw DeskServerError(
                error.errnoCode == EADDRINUSE
                    ? "port \(port) is in use by another program; choose another with --port, or leave it out"
                    : "the desk cannot listen on port \(port): \(error)")
        }
        throw CancellationError()
    }

    /// Ends the server. Returns when no request is under way.
    package func stop() async {
        task.cancel()
        _ = try? await task.value
    }

    private static func serve(
        _ routes: DeskRoutes, _ port: Int, onReady: @escaping @Sendable (Int) -> Void
    ) async throws {
        var logger = Logger(label: "countersign.desk")
        logger.logLevel = .critical
        let connections = OpenConnections(limit: mostConnections)
        let application = Application(
            responder: CallbackResponder<BasicRequestContext> { request, _ in await routes.answer(to: request) },
            server: .limited(ConnectionTimeouts(), among: connections),
            configuration: .init(
                address: .hostname(DeskRoutes.host, port: port), serverName: "countersign",
                availableConnectionsDelegate: .maximum(mostConnections, logger: logger)),
            onServerRunning: { onReady($0.localAddress?.port ?? 0) }, logger: logger)
        try await application.run()
    }
}

/// The reason why the desk cannot be served.
package struct DeskServerError: Error, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The port that the server has, which is known before the first request.
final class BoundPort: Sendable {
    let port = Mutex(0)
}
