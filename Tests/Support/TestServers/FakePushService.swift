import CurlClient
import Foundation
import Hummingbird
import HummingbirdCore
import NIOCore
import WebServing

/// A push service on a loopback port, with TLS, as browsers have one (RFC 8030).
package actor FakePushService {
    package struct Push: Sendable {
        package let path: String
        package let headers: [String: String]
        package let body: [UInt8]
    }

    package private(set) var pushes: [Push] = []
    private var status = 201
    private var retryAfter: String?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Sets the status of the next answers.
    package func answer(with status: Int, retryAfter: String? = nil) {
        self.status = status
        self.retryAfter = retryAfter
    }

    /// Waits until so many messages have come.
    package func awaitPushes(_ count: Int) async {
        while pushes.count < count { await withCheckedContinuation { waiting.append($0) } }
    }

    private func take(_ push: Push) -> (status: Int, retryAfter: String?) {
        pushes.append(push)
        let all = waiting
        waiting = []
        for one in all { one.resume() }
        return (status, retryAfter)
    }

    /// Serves while `body` runs with the service, its origin, and the connection that trusts it.
    package static func with<Success: Sendable>(
        _ body: @escaping @Sendable (FakePushService, String, CurlConfiguration) async throws -> Success
    ) async throws -> Success {
        let service = FakePushService()
        let certificate = try LoopbackCertificate(hosts: ["localhost"], isAuthority: true)
        let file = FileManager.default.temporaryDirectory.appending(path: "push-\(UUID().uuidString).pem")
        try certificate.pem.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        var http = CurlConfiguration()
        http.extraCAFile = file
        let router = Router()
        router.post("/push/:name") { request, _ in
            let body = try await request.body.collect(upTo: 8192)
            let headers = Dictionary(
                request.headers.map { ($0.name.rawName.lowercased(), $0.value) }, uniquingKeysWith: { $1 })
            let (status, retryAfter) = await service.take(
                Push(path: request.uri.path, headers: headers, body: Array(body.readableBytesView)))
            var answer = HTTPFields()
            answer[.retryAfter] = retryAfter
            return Response(status: .init(code: status), headers: answer)
        }
        let server = try HTTPServerBuilder.stoppable(tls: certificate.tls)
        return try await LoopbackServer.run(router, by: server) { [http] port in
            try await body(service, "https://localhost:\(port)", http)
        }
    }
}
