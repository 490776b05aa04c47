import Foundation
import Hummingbird
import NIOCore

/// A webhook's receiver on loopback: it keeps what it is sent, and answers as it is told.
package actor FakeReceiver {
    package struct Message: Sendable {
        package let path: String
        /// With names in lower case.
        package let headers: [String: String]
        package let body: [UInt8]
    }

    package private(set) var messages: [Message] = []
    private var statuses: [Int] = []
    private var location: String?

    package init() {}

    /// Answers the next messages with these statuses, and later ones with 204.
    package func answer(_ statuses: [Int], location: String? = nil) {
        self.statuses += statuses
        self.location = location
    }

    fileprivate func take(_ message: Message) -> (status: Int, location: String?) {
        messages.append(message)
        return (statuses.isEmpty ? 204 : statuses.removeFirst(), location)
    }

    /// Runs the server while `body` runs.
    package static func with<Success: Sendable>(
        _ body: @escaping @Sendable (FakeReceiver, _ url: String) async throws -> Success
    ) async throws -> Success {
        let receiver = FakeReceiver()
        let router = Router()
        router.post("**") { request, _ in
            let content = try await request.body.collect(upTo: 1 << 20)
            let answer = await receiver.take(
                Message(
                    path: request.uri.string,
                    headers: Dictionary(
                        request.headers.map { ($0.name.canonicalName, $0.value) }, uniquingKeysWith: { $1 }),
                    body: Array(content.readableBytesView)))
            return Response(
                status: .init(code: answer.status), headers: answer.location.map { [.location: $0] } ?? [:])
        }
        return try await LoopbackServer.run(router) { port in try await body(receiver, "http://127.0.0.1:\(port)") }
    }
}
