import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes a connection that takes too long to send a request's head, counted from the connection's beginning or the last
/// answer's end, or its body, counted from the head. Sending a byte now and then extends nothing.
///
/// No deadline runs while the broker prepares an answer: a long poll may hold it back.
final class RequestDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: BrokerLimits.Timeouts
    /// The time at which the connection is closed; nil while the broker prepares an answer.
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
            // An answer before the request's end, such as 413, leaves the body's deadline running.
            if answersDue == 0, !isBodyDue { expect(within: limits.idle, context) }
        }
        context.write(data, promise: promise)
    }

    private func expect(within limit: Duration, _ context: ChannelHandlerContext) {
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

    private func forget() {
        deadline = nil
        timer?.scheduled.cancel()
        timer = nil
    }
}
