import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes a connection that takes too long: to send a request's head, counted from the connection's begin or the last
/// answer's end, or to send its body, counted from the head. A byte now and then buys no time.
///
/// While an answer is made there is no deadline: it may be held back for those who wait.
final class RequestDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: BrokerLimits.Timeouts
    private var deadline: Scheduled<Void>?
    private var answersDue = 0
    private var isBodyDue = false

    init(_ limits: BrokerLimits.Timeouts) {
        self.limits = limits
    }

    func handlerAdded(context: ChannelHandlerContext) { expect(within: limits.head, context) }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            answersDue += 1
            isBodyDue = true
            expect(within: limits.body, context)
        case .body: break
        case .end:
            isBodyDue = false
            deadline?.cancel()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            answersDue -= 1
            // An answer that comes before the request's end, such as 413, leaves the body's deadline running.
            if answersDue == 0, !isBodyDue { expect(within: limits.idle, context) }
        }
        context.write(data, promise: promise)
    }

    private func expect(within limit: Duration, _ context: ChannelHandlerContext) {
        deadline?.cancel()
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: TimeAmount(limit)) { channel.close(promise: nil) }
    }
}
