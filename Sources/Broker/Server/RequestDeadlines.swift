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
    /// When the connection is closed; nil while an answer is made.
    private var deadline: NIODeadline?
    private var timer: (scheduled: Scheduled<Void>, end: NIODeadline)?
    private var answersDue = 0
    private var isBodyDue = false

    init(_ limits: BrokerLimits.Timeouts) {
        self.limits = limits
    }

    func handlerAdded(context: ChannelHandlerContext) { expect(within: limits.head, context) }

    func handlerRemoved(context: ChannelHandlerContext) { forget() }

    func channelInactive(context: ChannelHandlerContext) {
        forget()
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
            deadline = nil
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
        let deadline = NIODeadline.now() + TimeAmount(limit)
        self.deadline = deadline
        // A timer that ends before looks then how late it is: setting one at every request costs more than a few looks.
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

    private func forget() {
        deadline = nil
        timer?.scheduled.cancel()
        timer = nil
    }
}
