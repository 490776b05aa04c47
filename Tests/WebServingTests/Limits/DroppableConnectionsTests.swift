import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import TestServers
import Testing

@testable import WebServing

@Suite("Connections that are dropped before they are served", .timeLimit(.minutes(3)))
struct DroppableConnectionsTests {
    /// Connects to a listener of its own and drops what a server would have served.
    private static func isClosed(_ kind: some ServerChildChannel) async throws -> Bool {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        defer { listener.close(promise: nil) }
        let client = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: listener.localAddress?.port ?? 0).get()
        let quiet = Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }
        try await client.eventLoop.flatSubmit { kind.setup(channel: client, logger: quiet).map { _ in } }.get()
        try await client.closeFuture.get()
        return !client.isActive
    }

    @Test("are closed; the process goes on")
    func closed() async throws {
        let http = HTTP1Channel { _, _, _ in }
        #expect(try await Self.isClosed(DroppableConnections(base: http)))
        let certificate = try LoopbackCertificate()
        #expect(
            try await Self.isClosed(
                DroppableConnections(base: try TLSChannel(http, tlsConfiguration: certificate.tls))))
    }

    @Test("a server can be stopped at any moment while clients connect", arguments: 0..<20)
    func stopped(round: Int) async throws {
        let router = Router()
        router.get("/") { _, _ in "here" }
        let (ports, report) = AsyncStream.makeStream(of: Int.self)
        let quiet = Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }
        let application = Application(
            router: router, server: .stoppable(), configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { report.yield($0.localAddress?.port ?? 0) }, logger: quiet)
        let server = Task { try await application.run() }
        var iterator = ports.makeAsyncIterator()
        let port = try #require(await iterator.next())
        await withTaskGroup { group in
            for _ in 0..<40 {
                group.addTask {
                    let client = try? await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                        .connect(host: "127.0.0.1", port: port).get()
                    try? await client?.close()
                }
            }
            for _ in 0..<round { await group.next() }
            server.cancel()
        }
        _ = try? await server.value
    }
}
