import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import TestServers

/// A man in the middle: accepts TLS with its own certificate, and forwards everything to the real server.
final class TLSProxy: Sendable {
    let port: Int
    private let channel: any Channel
    private let counter: Counter

    /// The number of bytes that deceived clients sent after the handshake.
    var heard: Int { counter.bytes.withLock { $0 } }

    init(to server: Int) async throws {
        let context = try NIOSSLContext(configuration: LoopbackCertificate("Between").tls)
        var believing = TLSConfiguration.makeClientConfiguration()
        believing.certificateVerification = .none
        let onward = try NIOSSLContext(configuration: believing)
        let counter = Counter()
        self.counter = counter
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { near in
                near.eventLoop.makeCompletedFuture {
                    try near.pipeline.syncOperations.addHandlers(
                        NIOSSLServerHandler(context: context),
                        Onward { far in
                            ClientBootstrap(group: near.eventLoop)
                                .channelInitializer { channel in
                                    channel.eventLoop.makeCompletedFuture {
                                        try channel.pipeline.syncOperations.addHandlers(
                                            NIOSSLClientHandler(context: onward, serverHostname: nil), far)
                                    }
                                }
                                .connect(host: "127.0.0.1", port: server)
                        } heard: { count in
                            counter.bytes.withLock { $0 += count }
                        })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func stop() async { try? await channel.close() }
}

private final class Counter: Sendable {
    let bytes = Mutex(0)
}

/// Forwards the bytes of both directions.
private final class Onward: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let connect: (Back) -> EventLoopFuture<any Channel>
    private let heard: (Int) -> Void
    private var far: EventLoopFuture<any Channel>?

    init(connect: @escaping (Back) -> EventLoopFuture<any Channel>, heard: @escaping (Int) -> Void) {
        self.connect = connect
        self.heard = heard
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        heard(bytes.readableBytes)
        let far = self.far ?? connect(Back(to: context.channel))
        self.far = far
        far.whenSuccess { $0.writeAndFlush(bytes, promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) { far?.whenSuccess { $0.close(promise: nil) } }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

private final class Back: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let near: any Channel

    init(to near: any Channel) { self.near = near }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        near.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { near.close(promise: nil) }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
