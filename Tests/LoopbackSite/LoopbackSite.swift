import NIOCore
import NIOPosix
import Synchronization

/// A server on loopback that counts its connections and answers each request by its path.
package final class LoopbackSite: Sendable {
    private let channel: any Channel
    private let count: Count

    private final class Count: Sendable {
        let value = Mutex(0)
    }

    package var port: Int { channel.localAddress?.port ?? 0 }
    /// The connections that were made to it.
    package var connections: Int { count.value.withLock { $0 } }

    /// - Parameter answer: returns the whole answer to a path, with its head; the connection is closed after it.
    package static func start(_ answer: @escaping @Sendable (String) -> String) async throws -> LoopbackSite {
        let count = Count()
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                count.value.withLock { $0 += 1 }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Answering(answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return LoopbackSite(channel, count)
    }

    private init(_ channel: any Channel, _ count: Count) {
        self.channel = channel
        self.count = count
    }

    package func stop() async { try? await channel.close() }
}

private final class Answering: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: @Sendable (String) -> String

    init(_ answer: @escaping @Sendable (String) -> String) {
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let words = String(buffer: unwrapInboundIn(data)).split(separator: " ")
        let text = answer(words.count > 1 ? String(words[1]) : "")
        let channel = context.channel
        // Closing earlier would discard what is not sent yet.
        context.writeAndFlush(wrapOutboundOut(channel.allocator.buffer(string: text)))
            .whenComplete { _ in channel.close(promise: nil) }
    }
}
