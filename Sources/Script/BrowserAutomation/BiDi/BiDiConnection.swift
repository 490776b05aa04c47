import Clocks
import Encodings
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Synchronization

/// A WebDriver BiDi connection: commands with answers, and events, as JSON over one WebSocket
/// (https://www.w3.org/TR/webdriver-bidi/).
final class BiDiConnection: Sendable {
    struct Event: Sendable {
        let method: String
        let parameters: JSONValue
    }

    /// The longest time for an answer of a browser that has left a command without one.
    private static let silentLimit: Duration = .seconds(2)
    /// The longest message that is accepted, in bytes: a page's whole source comes in one.
    static let maximumMessage = 128 << 20

    private let channel: any Channel
    private let calls: Calls
    private let answerLimit: Duration

    private init(_ channel: any Channel, _ calls: Calls, _ answerLimit: Duration) {
        self.channel = channel
        self.calls = calls
        self.answerLimit = answerLimit
    }

    /// - Parameter socket: is connected to the driver, and closed with the connection.
    /// - Parameter answerLimit: the longest time for an answer to a command that names no other.
    /// - Parameter observe: called for each event, in their order, on the connection's thread.
    /// - Throws: ``BrowserError``.
    static func open(
        over socket: CInt, host: String, limit: Duration = .seconds(10), answerLimit: Duration,
        observe: @escaping @Sendable (Event) -> Void
    ) async throws -> BiDiConnection {
        let calls = Calls(observe)
        let connected: any Channel
        do {
            let upgraded = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .withConnectedSocket(socket) { channel in
                    channel.eventLoop.makeCompletedFuture { try Self.upgrade(channel, host, calls) }
                }
            let channel = try await withTimeLimit(limit, on: SystemClock()) { try await upgraded.get() }
            guard let channel else { throw BrowserError(.nonsense, "the driver did not open a WebSocket for BiDi") }
            connected = channel
        } catch let error as BrowserError {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw BrowserError(.nonsense, "the driver's WebSocket for BiDi does not open: \(error)")
        }
        return BiDiConnection(connected, calls, answerLimit)
    }

    private static func upgrade(
        _ channel: any Channel, _ host: String, _ calls: Calls
    ) throws -> EventLoopFuture<(any Channel)?> {
        let upgrader = NIOTypedWebSocketClientUpgrader<(any Channel)?>(maxFrameSize: maximumMessage) { channel, _ in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandlers(
                    NIOWebSocketFrameAggregator(
                        minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 65_536,
                        maxAccumulatedFrameSize: maximumMessage),
                    MessageHandler(calls))
                return channel
            }
        }
        let head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: "/session", headers: ["Host": host, "Content-Length": "0"])
        let configuration = NIOTypedHTTPClientUpgradeConfiguration<(any Channel)?>(
            upgradeRequestHead: head, upgraders: [upgrader]
        ) { channel in channel.close().map { nil } }
        return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
            configuration: .init(upgradeConfiguration: configuration))
    }

    /// Sends a command, and returns its result.
    ///
    /// - Throws: ``BrowserError`` of code `refused` with the browser's own words, `hung` after the limit, or `crashed`.
    func call(
        _ method: String, _ parameters: JSONValue = [:], limit: Duration? = nil
    ) async throws -> JSONValue {
        // A step has several commands, and shall not wait for a browser that hangs once for each.
        let limit = calls.isSilent ? min(limit ?? answerLimit, Self.silentLimit) : limit ?? answerLimit
        let (id, text) = try calls.next(method, parameters)
        let timer = channel.eventLoop.scheduleTask(in: .nanoseconds(Int64(limit.seconds * 1e9))) { [calls] in
            calls.giveUp(
                id, BrowserError(.hung, "the browser gave no answer to \(method) within \(limit.inWords)"))
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard calls.expect(id, continuation) else { return }
                let frame = WebSocketFrame(
                    fin: true, opcode: .text, maskKey: .random(), data: channel.allocator.buffer(bytes: text))
                channel.writeAndFlush(frame).whenFailure { [calls] error in
                    calls.answer(id, .failure(BrowserError(.crashed, "the browser has ended: \(error)")))
                }
            }
        } onCancel: {
            calls.answer(id, .failure(CancellationError()))
        }
    }

    /// Answers every command with an error, those that wait and those to come.
    func end(_ error: BrowserError) { calls.end(error) }

    func close() async {
        calls.end(BrowserError(.crashed, "the browser was closed"))
        try? await channel.close()
    }
}

/// The commands that wait for an answer.
private final class Calls: Sendable {
    private struct State {
        var last = 0
        var waiting: [Int: CheckedContinuation<JSONValue, any Error>] = [:]
        /// Answers that came before their command waited: a cancellation, for one.
        var early: [Int: any Error] = [:]
        var end: (any Error)?
        /// True from a command without an answer in time to the next message.
        var isSilent = false
    }

    private let state = Mutex(State())
    private let observe: @Sendable (BiDiConnection.Event) -> Void

    init(_ observe: @escaping @Sendable (BiDiConnection.Event) -> Void) {
        self.observe = observe
    }

    func next(_ method: String, _ parameters: JSONValue) throws -> (Int, [UInt8]) {
        let id = state.withLock { state in
            state.last += 1
            return state.last
        }
        let message: JSONValue = ["id": .number(Double(id)), "method": .string(method), "params": parameters]
        return (id, try message.canonicalBytes())
    }

    /// Registers a command's continuation; false when its answer is there already.
    func expect(_ id: Int, _ continuation: CheckedContinuation<JSONValue, any Error>) -> Bool {
        let error = state.withLock { state -> (any Error)? in
            if let error = state.early.removeValue(forKey: id) ?? state.end { return error }
            state.waiting[id] = continuation
            return nil
        }
        if let error { continuation.resume(throwing: error) }
        return error == nil
    }

    func answer(_ id: Int, _ result: Result<JSONValue, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<JSONValue, any Error>? in
            if let waiting = state.waiting.removeValue(forKey: id) { return waiting }
            if case .failure(let error) = result, error is CancellationError { state.early[id] = error }
            return nil
        }
        continuation?.resume(with: result)
    }

    var isSilent: Bool { state.withLock { $0.isSilent } }

    /// Ends the wait for an answer.
    func giveUp(_ id: Int, _ error: BrowserError) {
        state.withLock { state in
            if state.waiting[id] != nil { state.isSilent = true }
        }
        answer(id, .failure(error))
    }

    func receive(_ bytes: [UInt8]) {
        state.withLock { $0.isSilent = false }
        let limits = JSONLimits(depth: 512, size: BiDiConnection.maximumMessage)
        guard let message = try? JSONReader.read(bytes, limits: limits), let type = message["type"]?.stringValue else {
            end(BrowserError(.nonsense, "the browser sent something that is not WebDriver BiDi"))
            return
        }
        switch (type, message["id"]?.intValue) {
        case ("event", _):
            observe(.init(method: message["method"]?.stringValue ?? "", parameters: message["params"] ?? .null))
        case ("success", let id?): answer(id, .success(message["result"] ?? .null))
        case ("error", let id?):
            let code = message["error"]?.stringValue ?? "error"
            let words = message["message"]?.stringValue ?? ""
            answer(id, .failure(BrowserError(.refused, "the browser refused (\(code)): \(words.prefix(300))")))
        default: break
        }
    }

    func end(_ error: any Error) {
        let waiting = state.withLock { state in
            if state.end == nil { state.end = error }
            defer { state.waiting = [:] }
            return state.waiting.values.map(\.self)
        }
        for continuation in waiting { continuation.resume(throwing: error) }
    }
}

private final class MessageHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let calls: Calls

    init(_ calls: Calls) {
        self.calls = calls
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text, .binary: calls.receive(Array(buffer: frame.unmaskedData))
        case .ping:
            let pong = WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: frame.unmaskedData)
            context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
        case .connectionClose: context.close(promise: nil)
        default: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        calls.end(BrowserError(.crashed, "the browser ended before the run did; run it again, and see its memory"))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        calls.end(BrowserError(.nonsense, "the browser broke the WebSocket protocol: \(error)"))
        context.close(promise: nil)
    }
}
