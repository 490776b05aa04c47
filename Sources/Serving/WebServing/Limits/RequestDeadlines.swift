import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes a connection that takes too long to send a request's head, counted from the connection's beginning or the last
/// answer's end, or its body, counted from the head. Sending a byte now and then extends nothing.
///
/// No deadline runs while the server prepares an answer: a long poll may hold it back. The handler tells
/// ``OpenConnections`` which of the two it is, so that a silent connection can make room.
package final class RequestDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    private let limits: ConnectionTimeouts
    private let connections: OpenConnections
    /// The time at which the connection is closed; nil while the server prepares an answer.
    private var deadline: NIODeadline?
    private var timer: (scheduled: Scheduled<Void>, end: NIODeadline)?
    private var answersDue = 0
    private var isBodyDue = false

    package init(_ limits: ConnectionTimeouts, among connections: OpenConnections) {
        self.limits = limits
        self.connections = connections
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        expect(within: limits.head, context)
        // A channel that is active already sends no event for it.
        if context.channel.isActive { join(context) }
    }

    package func handlerRemoved(context: ChannelHandlerContext) { forget(context) }

    package func channelActive(context: ChannelHandlerContext) {
        join(context)
        context.fireChannelActive()
    }

    package func channelInactive(context: ChannelHandlerContext) {
        forget(context)
        context.fireChannelInactive()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            answersDue += 1
            isBodyDue = true
            expect(within: limits.body, context)
        case .body: break
        case .end:
            isBodyDue = false
            deadline = nil
            connections.prepareAnswer(ObjectIdentifier(context.channel))
        }
        context.fireChannelRead(data)
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            answersDue -= 1
            // An answer before the request's end, such as 413, leaves the body's deadline running.
            if answersDue == 0, !isBodyDue { expect(within: limits.idle, context) }
        }
        context.write(data, promise: promise)
    }

    private func join(_ context: ChannelHandlerContext) {
        let channel = context.channel
        // TLS would wait for the client's goodbye. This handler stands before it, so closing from there does not.
        let exit = PipelineExit()
        try? context.pipeline.syncOperations.addHandler(exit, position: .first)
        let loopBound = NIOLoopBound(exit, eventLoop: context.eventLoop)
        connections.open(ObjectIdentifier(channel), from: channel.remoteAddress) {
            channel.eventLoop.execute { loopBound.value.close() }
        }
    }

    private func expect(within limit: Duration, _ context: ChannelHandlerContext) {
        connections.waitForClient(ObjectIdentifier(context.channel))
        let deadline = NIODeadline.now() + TimeAmount(limit)
        self.deadline = deadline
        // A timer that fires early checks the deadline again. That costs less than setting a timer for every request.
        guard timer.map({ deadline < $0.end }) ?? true else { return }
        timer?.scheduled.cancel()
        look(at: deadline, context.eventLoop, context.channel)
    }

    private func look(at time: NIODeadline, _ eventLoop: any EventLoop, _ channel: any Channel) {
        let scheduled = eventLoop.assumeIsolated().scheduleTask(deadline: time) { [weak self] in
            guard let self else { return }
            timer = nil
            guard let deadline else { return }
            guard deadline > .now() else { return channel.close(promise: nil) }
            look(at: deadline, eventLoop, channel)
        }
        timer = (scheduled, time)
    }

    private func forget(_ context: ChannelHandlerContext) {
        connections.close(ObjectIdentifier(context.channel))
        deadline = nil
        timer?.scheduled.cancel()
        timer = nil
    }
}

/// The first handler of a pipeline, from which a connection closes without asking the others.
private final class PipelineExit: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }
    func close() { context?.close(promise: nil) }
}
