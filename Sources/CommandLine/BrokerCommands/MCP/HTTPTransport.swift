import Broker
import BrokerClient
import Encodings
import Foundation
import Terminal

/// The Streamable HTTP transport: each message is a call of its own, and no session is kept between two.
///
/// An answer that comes at once is one message of JSON. One that takes longer, or has others before it, is a stream, with a
/// sign of life now and then so that no proxy on the way gives up.
struct HTTPTransport: Sendable {
    private static let patience: Duration = .seconds(2)
    private static let signOfLife: Duration = .seconds(15)

    let client: AgentClient
    /// The origin of the household's approval page; nil when it is not known here.
    let page: String?
    let answered: AnsweredAddresses

    func answer(_ call: RemoteCall) async -> RemoteAnswer {
        let server: MCPServer
        let isStateless: Bool
        do throws(RPCError) {
            switch try Self.message(call.body) {
            case .response, .notification: return .accepted
            case .request(_, let method, let params):
                let version = try TransportHeaders(call.headers).handshake(for: method, params)
                isStateless = params["_meta"]?["io.modelcontextprotocol/protocolVersion"] != nil
                server = MCPServer(client, page: page, version: version, answered: answered)
            }
        } catch {
            return .message(status: error.httpStatus, error.response(to: nil).compactBytes())
        }
        return await exchange(call, with: server, isStateless: isStateless)
    }

    private static func message(_ body: [UInt8]) throws(RPCError) -> RPCMessage {
        let json: JSONValue
        do {
            json = try JSONReader.read(body, limits: JSONLimits(size: 1 << 20))
        } catch {
            throw .parse("\(error)")
        }
        return try RPCMessage(json)
    }

    private enum Event: Sendable {
        case message(String)
        case tick
    }

    private func exchange(
        _ call: RemoteCall, with server: MCPServer, isStateless: Bool
    ) async -> RemoteAnswer {
        let (lines, input) = AsyncStream<[UInt8]>.makeStream()
        let (events, sender) = AsyncStream<Event>.makeStream()
        let (answers, decision) = AsyncStream<RemoteAnswer>.makeStream()
        // The body may have line feeds between its members, and the server takes it as one line.
        input.yield(call.body)
        Task {
            await server.serve(lines: lines) { line in sender.yield(.message(line)) }
            sender.finish()
        }
        let clock = Task {
            try await Task.sleep(for: Self.pause(Self.patience, before: call.endsAt))
            while call.endsAt > Date() {
                sender.yield(.tick)
                try await Task.sleep(for: Self.pause(Self.signOfLife, before: call.endsAt))
            }
            // The token ends, and with it what waits.
            input.finish()
        }
        Task {
            var stream: AsyncStream<[UInt8]>.Continuation?
            for await event in events {
                if case .message(let line) = event, stream == nil, let status = Self.status(line, isStateless) {
                    decision.yield(.message(status: status, Array(line.utf8)))
                    break
                }
                if stream == nil {
                    let (messages, continuation) = AsyncStream<[UInt8]>.makeStream()
                    continuation.onTermination = { _ in input.finish() }
                    stream = continuation
                    decision.yield(.stream(messages))
                }
                switch event {
                case .tick: stream?.yield([])
                case .message(let line): stream?.yield(Array(line.utf8))
                }
                if case .message(let line) = event, Self.status(line, isStateless) != nil { break }
            }
            clock.cancel()
            input.finish()
            stream?.finish()
            decision.finish()
        }
        return await withTaskCancellationHandler {
            for await answer in answers { return answer }
            return .accepted
        } onCancel: {
            input.finish()
        }
    }

    /// Returns the time to sleep: never beyond the end of the token.
    private static func pause(_ usual: Duration, before end: Date) -> Duration {
        min(usual, max(.zero, .seconds(end.timeIntervalSinceNow)))
    }

    /// Returns the status of HTTP for an answer; nil for a notification.
    private static func status(_ line: String, _ isStateless: Bool) -> Int? {
        guard let json = try? JSONReader.read(line, limits: JSONLimits(size: 1 << 26)), json["method"] == nil else {
            return nil
        }
        guard isStateless, let code = json["error"]?["code"]?.intValue else { return 200 }
        return RPCError(code: code, message: "").httpStatus
    }
}
