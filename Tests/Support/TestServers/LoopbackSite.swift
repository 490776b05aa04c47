import NIOCore
import NIOPosix
import Synchronization

/// A server on loopback that counts what reaches it and answers each request by its path.
package final class LoopbackSite: Sendable {
    /// The counts of everything that has reached the server.
    package struct Arrivals: Sendable {
        package var connections = 0
        /// The bytes of all connections.
        package var bytes = 0
        /// The datagrams that came to the same port.
        package var datagrams = 0
        package var paths: Set<String> = []
    }

    private let channel: any Channel
    private let datagrams: (any Channel)?
    private let count: Count

    fileprivate final class Count: Sendable {
        let value = Mutex(Arrivals())
    }

    package var port: Int { channel.localAddress?.port ?? 0 }
    /// The connections that were made to it.
    package var connections: Int { arrivals.connections }
    package var arrivals: Arrivals { count.value.withLock { $0 } }

    /// - Parameters:
    ///   - countingDatagrams: also listens for datagrams, on the same port.
    ///   - answer: returns the whole answer to a path, with its head; the connection is closed after it.
    package static func start(
        countingDatagrams: Bool = false, _ answer: @escaping @Sendable (String) -> String
    ) async throws -> LoopbackSite {
        let count = Count()
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                count.value.withLock { $0.connections += 1 }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Answering(count, answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        var datagrams: (any Channel)?
        if countingDatagrams, let port = channel.localAddress?.port {
            datagrams = try await DatagramBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(CountingDatagrams(count))
                    }
                }
                .bind(host: "127.0.0.1", port: port).get()
        }
        return LoopbackSite(channel, datagrams, count)
    }

    private init(_ channel: any Channel, _ datagrams: (any Channel)?, _ count: Count) {
        self.channel = channel
        self.datagrams = datagrams
        self.count = count
    }

    package func stop() async {
        try? await channel.close()
        try? await datagrams?.close()
    }
}

private final class CountingDatagrams: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let count: LoopbackSite.Count

    init(_ count: LoopbackSite.Count) {
        self.count = count
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { count.value.withLock { $0.datagrams += 1 } }
}

private final class Answering: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let count: LoopbackSite.Count
    private let answer: @Sendable (String) -> String

    init(_ count: LoopbackSite.Count, _ answer: @escaping @Sendable (String) -> String) {
        self.count = count
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        let words = String(buffer: bytes).split(separator: " ")
        let path = words.count > 1 ? String(words[1]) : ""
        count.value.withLock {
            $0.bytes += bytes.readableBytes
            $0.paths.insert(path)
        }
        let text = answer(path)
        let channel = context.channel
        // Closing earlier would discard what is not sent yet.
        context.writeAndFlush(wrapOutboundOut(channel.allocator.buffer(string: text)))
            .whenComplete { _ in channel.close(promise: nil) }
    }
}
