import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import WebServing

/// A server of the tests.
package enum LoopbackServer {
    /// Serves routes on a free port while `body` runs.
    ///
    /// - Parameters:
    ///   - server: the protocol, with or without TLS.
    ///   - body: receives the port.
    package static func run<Context: RequestContext, Success: Sendable>(
        _ router: Router<Context>, by server: HTTPServerBuilder = .stoppable(),
        _ body: @escaping @Sendable (_ port: Int) async throws -> Success
    ) async throws -> Success where Context.Source == ApplicationRequestContextSource {
        let quiet = Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }
        return try await run(
            { onServerRunning in
                Application(
                    router: router, server: server, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
                    onServerRunning: onServerRunning, logger: quiet)
            }, body)
    }

    /// Runs a server while `body` runs.
    ///
    /// The server stops accepting before it closes. A connection that is on its way while it closes would end the process:
    /// NIO drops it, and stops at an unfinished writer.
    ///
    /// - Parameters:
    ///   - make: makes the server, which calls the given function once it listens.
    ///   - body: receives the port.
    package static func run<Success: Sendable>(
        _ make: (_ onServerRunning: @escaping @Sendable (any Channel) async -> Void) -> some ApplicationProtocol,
        _ body: @escaping @Sendable (_ port: Int) async throws -> Success
    ) async throws -> Success {
        let (listeners, opened) = AsyncStream.makeStream(of: (any Channel).self)
        let application = make { opened.yield($0) }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { opened.finish() }
                try await application.run()
            }
            for await listener in listeners {
                let outcome: Result<Success, any Error>
                do {
                    outcome = .success(try await body(listener.localAddress?.port ?? 0))
                } catch {
                    outcome = .failure(error)
                }
                await stopAccepting(listener)
                group.cancelAll()
                return try outcome.get()
            }
            try await group.waitForAll()
            throw CancellationError()
        }
    }

    /// Stops accepting connections, and waits until those that were accepted have reached the server: each passes from the
    /// listener's event loop to its own and back.
    private static func stopAccepting(_ listener: any Channel) async {
        try? await listener.setOption(.autoRead, value: false).get()
        for _ in 0..<3 {
            for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() { try? await loop.submit {}.get() }
        }
        try? await listener.close()
        // The end of the list of connections reaches the server a moment after the listener has closed.
        try? await listener.eventLoop.submit {}.get()
    }
}
