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
    let server: any Channel
    private let refused: Refusals
    private let clients: Clients

    /// The refused requests.
    private final class Refusals: Sendable {
        let errors = Mutex<[EgressError]>([])
    }

    /// The tasks that serve the browser's connections.
    ///
    /// Each begins when its connection is made. A list of connections to be served would end the process when the proxy
    /// stops: NIO does not let a connection go that was never served.
    private final class Clients: Sendable {
        private let tasks = Mutex<(running: [Int: Task<Void, Never>], next: Int, isOver: Bool)>(([:], 0, false))

        func add(_ serve: @escaping @Sendable () async -> Void) {
            tasks.withLock { tasks in
                let number = tasks.next
                tasks.next += 1
                let task = Task {
                    await serve()
                    self.tasks.withLock { $0.running[number] = nil }
                }
                tasks.running[number] = task
                if tasks.isOver { task.cancel() }
            }
        }

        /// Ends all connections, and those that are still being made.
        func end() async {
            let running = tasks.withLock { tasks in
                tasks.isOver = true
                return Array(tasks.running.values)
            }
            for task in running { task.cancel() }
            for task in running { await task.value }
        }
    }

    /// - Parameter listener: a listening socket, which the proxy closes; nil to listen on loopback.
    package static func start(_ policy: EgressPolicy, on listener: CInt? = nil) async throws -> EgressProxy {
        let (refused, clients) = (Refusals(), Clients())
        let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let client = try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                    clients.add { try? await serve(client, policy, refused) }
                }
            }
        let server =
            if let listener {
                try await bootstrap.withBoundSocket(listener).get()
            } else {
                try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
            }
        return EgressProxy(server, refused, clients)
    }

    private init(_ server: any Channel, _ refused: Refusals, _ clients: Clients) {
        (self.server, self.refused, self.clients) = (server, refused, clients)
        port = server.localAddress?.port ?? 0
    }

    /// The origins that were asked for and refused, without duplicates, in their order.
    package var refusals: [EgressError] {
        refused.errors.withLock { errors in
            errors.reduce(into: []) { list, error in if !list.contains(error) { list.append(error) } }
        }
    }

    package func stop() async {
        try? await server.close()
        await clients.end()
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
