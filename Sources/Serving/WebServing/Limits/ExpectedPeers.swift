import HummingbirdCore
import Logging
import Machine
import NIOCore

/// A server's connections over a Unix socket, of which only those of expected users are served. Another user's connection is
/// closed before a byte of it is read.
struct ExpectedPeers<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let socket: ServedSocket

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(PeerCheck(socket, logger), position: .first)
        }.flatMap { base.setup(channel: channel, logger: logger) }
    }

    func handle(value: Base.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

/// The first handler of a connection over a Unix socket. Its channel reads only once it is active.
///
/// It closes the channel and throws nothing: an error in the setup of one connection would end the server.
private final class PeerCheck: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    private let socket: ServedSocket
    private let logger: Logger

    init(_ socket: ServedSocket, _ logger: Logger) {
        self.socket = socket
        self.logger = logger
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { _ = admit(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        if admit(context) { context.fireChannelActive() }
    }

    private func admit(_ context: ChannelHandlerContext) -> Bool {
        do {
            let isKnown = try context.pipeline.syncOperations.withUnsafeTransportIfAvailable(
                of: NIOBSDSocket.Handle.self
            ) { descriptor in
                try socket.check(descriptor)
                return true
            }
            if isKnown == true { return true }
            logger.error("a connection over the socket was refused: the system does not name its user")
        } catch {
            logger.warning("a connection over the socket was refused", metadata: ["reason": "\(error)"])
        }
        context.close(promise: nil)
        return false
    }
}
