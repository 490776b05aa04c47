import HTMLEngine
import NIOCore
import NIOPosix
import Testing
import WebURL

@testable import BrowserAutomation

@Suite("The browser's proxy", .timeLimit(.minutes(3)))
struct EgressProxyTests {
    private static func connection(to port: Int) async throws -> any Channel {
        try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port).get()
    }

    @Test("can be stopped at any moment while the browser connects", arguments: 0..<10)
    func stopped(round: Int) async throws {
        let policy = EgressPolicy(origins: [try Origin(parsing: "https://bank.example")], allowsLoopbackHTTP: false)
        let proxy = try await EgressProxy.start(policy)
        await withTaskGroup { group in
            for number in 0..<40 {
                group.addTask {
                    guard let client = try? await Self.connection(to: proxy.port) else { return }
                    let head = ByteBuffer(string: "CONNECT evil.example:443 HTTP/1.1\r\n\r\n")
                    if number.isMultiple(of: 2) { try? await client.writeAndFlush(head) }
                    try? await client.close()
                }
            }
            for _ in 0..<round { await group.next() }
            await proxy.stop()
        }
        // It listens no longer. Its port may be another server's by now.
        #expect(!proxy.server.isActive)
    }

    @Test("ends a connection that waits when it is stopped, and says what it has refused")
    func waiting() async throws {
        let policy = EgressPolicy(origins: [try Origin(parsing: "https://bank.example")], allowsLoopbackHTTP: false)
        let proxy = try await EgressProxy.start(policy)
        let asking = try await Self.connection(to: proxy.port)
        try await asking.writeAndFlush(ByteBuffer(string: "CONNECT evil.example:443 HTTP/1.1\r\n\r\n"))
        try await asking.closeFuture.get()
        #expect(proxy.refusals.count == 1)
        let waiting = try await Self.connection(to: proxy.port)
        await proxy.stop()
        try await waiting.closeFuture.get()
    }
}
