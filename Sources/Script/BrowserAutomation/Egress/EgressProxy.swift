import HTMLEngine
import NIOCore
import NIOPosix
import Synchronization
import WebURL

/// The only way out of the browser: a proxy on the browser's loopback that connects to the script's origins and to nothing else.
///
/// It speaks `CONNECT` (RFC 9110, section 9.3.6), so it sees no content of a secure page. Plain HTTP passes only where
/// the policy allows it: to this machine, for scripts for testing. It resolves names itself; the browser resolves none.
package final class EgressProxy: Sendable {
    /// The most bytes of a request's head.
    private static let maximumHead = 64 << 10

    package let port: Int
    private let policy: EgressPolicy
    private let server: any Channel
    private let refused: Refusals
    private let serving: Task<Void, Never>

    /// The refused requests.
    private final class Refusals: Sendable {
        let errors = Mutex<[EgressError]>([])
    }

    /// - Parameter listener: a listening socket, which the proxy closes; nil to listen on loopback.
    package static func start(_ policy: EgressPolicy, on listener: CInt? = nil) async throws -> EgressProxy {
        let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        let wrap: @Sendable (any Channel) -> EventLoopFuture<NIOAsyncChannel<ByteBuffer, ByteBuffer>> = { channel in
            channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel(wrappingChannelSynchronously: channel) }
        }
        let server =
            if let listener {
                try await bootstrap.bind(listener, childChannelInitializer: wrap)
            } else {
                try await bootstrap.bind(host: "127.0.0.1", port: 0, childChannelInitializer: wrap)
            }
        return EgressProxy(server, policy)
    }

    private init(_ server: NIOAsyncChannel<NIOAsyncChannel<ByteBuffer, ByteBuffer>, Never>, _ policy: EgressPolicy) {
        let refused = Refusals()
        self.refused = refused
        self.policy = policy
        self.server = server.channel
        port = server.channel.localAddress?.port ?? 0
        serving = Task {
            try? await server.executeThenClose { clients in
                try await withThrowingDiscardingTaskGroup { group in
                    for try await client in clients {
                        group.addTask { try? await Self.serve(client, policy, refused) }
                    }
                    group.cancelAll()
                }
            }
        }
    }

    /// The origins that were asked for and refused, without duplicates, in their order.
    package var refusals: [EgressError] {
        refused.errors.withLock { errors in
            errors.reduce(into: []) { list, error in if !list.contains(error) { list.append(error) } }
        }
    }

    package func stop() async {
        serving.cancel()
        try? await server.close()
        await serving.value
    }

    private static func serve(
        _ client: NIOAsyncChannel<ByteBuffer, ByteBuffer>, _ policy: EgressPolicy, _ refused: Refusals
    ) async throws {
        try await client.executeThenClose { inbound, outbound in
            var pieces = inbound.makeAsyncIterator()
            var head = ByteBuffer()
            var end: Int?
            while end == nil {
                guard var piece = try await pieces.next(), head.readableBytes < maximumHead else { return }
                head.writeBuffer(&piece)
                end = head.endOfHead
            }
            guard let end, let bytes = head.readBytes(length: end) else { return }
            let destination: ProxyDestination
            switch ProxyDestination.read(bytes, policy) {
            case .allowed(let allowed): destination = allowed
            case .refused(let error):
                refused.errors.withLock { if $0.count < 1000 { $0.append(error) } }
                try await outbound.write(
                    .init(string: "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
                return
            case .malformed:
                try await outbound.write(
                    .init(string: "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
                return
            }
            let upstream: NIOAsyncChannel<ByteBuffer, ByteBuffer>
            do {
                upstream = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                    .connectTimeout(.seconds(15))
                    .connect(host: destination.host, port: destination.port) { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                        }
                    }
            } catch {
                try await outbound.write(
                    .init(string: "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
                return
            }
            try await upstream.executeThenClose { answers, requests in
                if let first = destination.head { try await requests.write(.init(bytes: first)) }
                if destination.isTunnel { try await outbound.write(.init(string: "HTTP/1.1 200 Connected\r\n\r\n")) }
                if head.readableBytes > 0 { try await requests.write(head) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for try await piece in answers { try await outbound.write(piece) }
                        // Ends the loop below: a tunnel with one end is useless.
                        client.channel.close(promise: nil)
                    }
                    while let piece = try await pieces.next() { try await requests.write(piece) }
                    group.cancelAll()
                }
            }
        }
    }
}

extension ByteBuffer {
    /// The length of a request's head with its empty line; nil while it is incomplete.
    fileprivate var endOfHead: Int? {
        let bytes = readableBytesView
        let pattern: [UInt8] = [13, 10, 13, 10]
        guard bytes.count >= 4 else { return nil }
        for index in bytes.indices.dropLast(3) where bytes[index] == 13 && bytes[index...].starts(with: pattern) {
            return bytes.distance(from: bytes.startIndex, to: index) + 4
        }
        return nil
    }
}
