import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Synchronization
import TestServers
import WebServing
import WebURL

@testable import HTMLEngine

/// A web server on loopback that records its requests.
struct LoopbackSite: Sendable {
    struct Asked: Sendable {
        var method: String
        /// The path and query.
        var target: String
        var headers: [String: String]
        var body: String
        var path: String { String(target.prefix { $0 != "?" }) }
    }

    struct Answer: Sendable {
        enum Delivery: Sendable {
            case atOnce
            /// Sends the body again and again, until the client disconnects.
            case endless
            /// Sends one byte at a time.
            case slow
            /// Sends nothing.
            case never
        }

        var status = 200
        var delivery = Delivery.atOnce
        var headers: [(String, String)] = [("content-type", "text/html; charset=utf-8")]
        var body: [UInt8] = []

        static func html(_ body: String, status: Int = 200, headers: [(String, String)] = []) -> Answer {
            Answer(
                status: status, headers: [("content-type", "text/html; charset=utf-8")] + headers,
                body: Array(body.utf8))
        }

        static func bytes(_ body: [UInt8], type: String) -> Answer {
            Answer(headers: [("content-type", type)], body: body)
        }

        static func redirect(_ location: String, status: Int = 302, headers: [(String, String)] = []) -> Answer {
            Answer(status: status, headers: [("location", location)] + headers)
        }
    }

    typealias Site = @Sendable (Asked) -> Answer

    final class Log: Sendable {
        private let requests = Mutex<[Asked]>([])
        var all: [Asked] { requests.withLock { $0 } }
        func append(_ asked: Asked) { requests.withLock { $0.append(asked) } }
    }

    let port: Int
    private let log: Log

    var origin: String { "http://127.0.0.1:\(port)" }
    var asked: [Asked] { log.all }
    var targets: [String] { log.all.map { "\($0.method) \($0.target)" } }

    /// Runs the site while `body` runs.
    static func run<Result: Sendable>(
        _ site: @escaping Site, _ body: @Sendable @escaping (LoopbackSite) async throws -> Result
    ) async throws -> Result {
        let log = Log()
        let responder = CallbackResponder<BasicRequestContext> { request, _ in
            let buffer = try await request.body.collect(upTo: 4 << 20)
            var headers: [String: String] = [:]
            for field in request.headers { headers[field.name.canonicalName] = field.value }
            let asked = Asked(
                method: request.method.rawValue, target: request.uri.string, headers: headers,
                body: String(buffer: buffer))
            log.append(asked)
            let answer = site(asked)
            var fields = HTTPFields()
            for (name, value) in answer.headers { fields.append(HTTPField(name: HTTPField.Name(name)!, value: value)) }
            if case .never = answer.delivery { try await Task.sleep(for: .seconds(3600)) }
            return Response(status: .init(code: answer.status), headers: fields, body: Self.body(of: answer))
        }
        let quiet = Logger(label: "loopback") { _ in SwiftLogNoOpLogHandler() }
        return try await LoopbackServer.run(
            { onServerRunning in
                Application(
                    responder: responder, server: .stoppable(),
                    configuration: .init(address: .hostname("127.0.0.1", port: 0)), onServerRunning: onServerRunning,
                    logger: quiet)
            }, { try await body(LoopbackSite(port: $0, log: log)) })
    }

    private static func body(of answer: Answer) -> ResponseBody {
        let bytes = ByteBuffer(bytes: answer.body)
        switch answer.delivery {
        case .atOnce, .never: return ResponseBody(byteBuffer: bytes)
        case .endless: return ResponseBody { writer in while true { try await writer.write(bytes) } }
        case .slow:
            return ResponseBody { writer in
                for byte in answer.body {
                    try await writer.write(ByteBuffer(bytes: [byte]))
                    try await Task.sleep(for: .milliseconds(20))
                }
                try await writer.finish(nil)
            }
        }
    }

    /// Returns a session that may contact only this site and `others`.
    func session(others: [String] = [], _ change: (inout BrowserConfiguration) -> Void = { _ in }) throws
        -> BrowserSession
    {
        let origins = try ([origin] + others).map(Origin.init(parsing:))
        var configuration = BrowserConfiguration(egress: EgressPolicy(origins: origins, allowsLoopbackHTTP: true))
        change(&configuration)
        return BrowserSession(configuration)
    }
}
