import Crypto
import CurlClient
import Encodings
import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import NIOCore

/// Apple's push service on a loopback port, over HTTP/2. It checks each message as Apple does, and answers as a test says.
package actor FakeAPNs {
    package struct Push: Sendable {
        package let device: String
        package let headers: [String: String]
        package let body: [UInt8]
        /// The client's end of the connection.
        package let connection: String

        package var json: JSONValue { (try? JSONReader.read(body)) ?? .null }
        package var token: String { String(headers["authorization"]?.dropFirst("bearer ".count) ?? "") }
    }

    /// An answer instead of 200.
    package struct Answer: Sendable {
        let status: Int
        let reason: String?
        let retryAfter: String?
        let timestamp: Int?

        package init(_ status: Int, _ reason: String? = nil, retryAfter: String? = nil, timestamp: Int? = nil) {
            self.status = status
            self.reason = reason
            self.retryAfter = retryAfter
            self.timestamp = timestamp
        }
    }

    package enum Transport: Sendable, Hashable {
        case tls
        /// HTTP/2 without TLS.
        case plainHTTP2
        case plainHTTP1
    }

    package static let teamID = "TEAM123456"
    package static let keyID = "KEYID98765"
    package static let topic = "com.example.alfred"

    /// The key that Apple has given out.
    package nonisolated let key = P256.Signing.PrivateKey()
    package private(set) var pushes: [Push] = []
    /// Answers to the next messages, in their order.
    private var answers: [Answer] = []
    /// Answers to every message to a device.
    private var deviceAnswers: [String: Answer] = [:]
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Sets the answers to the next messages, one each.
    package func answer(with answers: Answer...) { self.answers += answers }

    /// Sets the answer to every message to one device; nil for 200.
    package func answer(_ device: String, with answer: Answer?) { deviceAnswers[device] = answer }

    /// Waits until so many messages have come.
    package func awaitPushes(_ count: Int) async {
        while pushes.count < count { await withCheckedContinuation { waiting.append($0) } }
    }

    private func take(_ push: Push) -> Answer {
        pushes.append(push)
        let all = waiting
        waiting = []
        for one in all { one.resume() }
        if let reason = refusal(of: push) { return Answer(reason.contains("Provider") ? 403 : 400, reason) }
        if let answer = deviceAnswers[push.device] { return answer }
        return answers.isEmpty ? Answer(200) : answers.removeFirst()
    }

    /// Returns the reason for which Apple would refuse the message.
    private func refusal(of push: Push) -> String? {
        let headers = push.headers
        guard push.device.wholeMatch(of: /[0-9a-f]{64,200}/) != nil else { return "BadDeviceToken" }
        guard headers["apns-topic"] == Self.topic else { return "BadTopic" }
        guard headers["apns-push-type"] == "alert" else { return "InvalidPushType" }
        guard ["10", "5"].contains(headers["apns-priority"]) else { return "BadPriority" }
        guard headers["apns-expiration"].flatMap({ Int($0) }) != nil else { return "BadExpirationDate" }
        guard let collapse = headers["apns-collapse-id"], (1...64).contains(collapse.utf8.count) else {
            return "BadCollapseId"
        }
        guard !push.body.isEmpty, push.json["aps"] != nil else { return "PayloadEmpty" }
        guard push.body.count <= 4096 else { return "PayloadTooLarge" }
        return isValid(push.token) ? nil : "InvalidProviderToken"
    }

    /// Returns whether a token names the team and the key, and is signed with that (JWT, ES256).
    private func isValid(_ token: String) -> Bool {
        let parts = token.split(separator: ".").map(String.init)
        guard parts.count == 3, let head = Base64URL.decode(parts[0]), let claims = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2]), let header = try? JSONReader.read(head),
            let body = try? JSONReader.read(claims),
            let ecdsa = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
        else { return false }
        return header["alg"] == "ES256" && header["kid"] == .string(Self.keyID)
            && body["iss"] == .string(Self.teamID) && body["iat"]?.intValue != nil
            && key.publicKey.isValidSignature(ecdsa, for: Data("\(parts[0]).\(parts[1])".utf8))
    }

    /// The context of a request, with the client's end of its connection.
    private struct Context: RequestContext {
        var coreContext: CoreRequestContextStorage
        let connection: String

        init(source: ApplicationRequestContextSource) {
            coreContext = CoreRequestContextStorage(source: source)
            let channel = source.channel.parent?.remoteAddress ?? source.channel.remoteAddress
            connection = "\(channel.map(String.init(describing:)) ?? "")"
        }
    }

    /// Serves while `body` runs with the service, its address, and a file with the authority that it shows.
    package static func with<Success: Sendable>(
        _ transport: Transport = .tls,
        _ body: @escaping @Sendable (FakeAPNs, String, URL) async throws -> Success
    ) async throws -> Success {
        let service = FakeAPNs()
        let certificate = try LoopbackCertificate(hosts: ["localhost"], isAuthority: true)
        let file = FileManager.default.temporaryDirectory.appending(path: "apns-\(UUID().uuidString).pem")
        try certificate.pem.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let router = Router(context: Context.self)
        router.post("/3/device/:token") { request, context in
            let body = try await request.body.collect(upTo: 8192)
            let headers = Dictionary(
                request.headers.map { ($0.name.rawName.lowercased(), $0.value) }, uniquingKeysWith: { $1 })
            let answer = await service.take(
                Push(
                    device: context.parameters.get("token") ?? "", headers: headers,
                    body: Array(body.readableBytesView),
                    connection: context.connection))
            return response(answer, id: headers["apns-id"])
        }
        let server: HTTPServerBuilder =
            switch transport {
            case .tls: try .http2Upgrade(tlsConfiguration: certificate.tls)
            case .plainHTTP2: .plaintextHTTP2()
            case .plainHTTP1: .stoppable()
            }
        return try await LoopbackServer.run(router, by: server) { port in
            try await body(service, "\(transport == .tls ? "https" : "http")://localhost:\(port)", file)
        }
    }

    private static func response(_ answer: Answer, id: String?) -> Response {
        var headers = HTTPFields()
        headers[.retryAfter] = answer.retryAfter
        headers[.init("apns-id")!] = id ?? UUID().uuidString
        var members: [String: JSONValue] = [:]
        members["reason"] = answer.reason.map(JSONValue.string)
        members["timestamp"] = answer.timestamp.map { .number(Double($0)) }
        let text = answer.status == 200 ? "" : JSONValue.object(members).compactText()
        return Response(
            status: .init(code: answer.status), headers: headers, body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}
