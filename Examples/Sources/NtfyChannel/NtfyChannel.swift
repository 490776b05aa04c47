import CurlClient
import Notifications
import Secrets

/// Tells the owner through a topic of an ntfy server, by its documented HTTP interface (docs.ntfy.sh/publish, seen in
/// November 2026). It was tried against a fake that was written from that page.
public struct NtfyChannel: OwnerChannel {
    private let server: String
    private let topic: String
    private let token: Secret?

    /// - Parameters:
    ///   - server: the server's origin, such as `https://ntfy.example`.
    ///   - topic: the topic's name. Anyone who knows it can read the messages of an open topic.
    ///   - token: an access token of a user who may write there; nil for an open topic.
    public init(server: String, topic: String, token: Secret? = nil) {
        self.server = server
        self.topic = topic
        self.token = token
    }

    public func send(_ message: OwnerMessage) async throws -> String? {
        var headers = [HTTPHeader("Title", "Countersign"), HTTPHeader("Tags", message.kind.rawValue)]
        if message.kind == .request { headers.append(HTTPHeader("Priority", "high")) }
        _ = try await call("POST", "/\(topic)", headers, body: Array(message.text.utf8))
        // ntfy changes no message that is out.
        return nil
    }

    public func check() async throws -> String {
        _ = try await call("GET", "/\(topic)/json?poll=1&since=1s", [])
        return "the topic \(topic) answers"
    }

    private func call(_ method: String, _ path: String, _ headers: [HTTPHeader], body: [UInt8]? = nil) async throws
        -> HTTPResponse
    {
        var headers = headers
        if let token { headers.append(HTTPHeader("Authorization", "Bearer \(token.revealed())")) }
        let session = CurlSession(CurlConfiguration())
        let response: HTTPResponse
        do {
            response = try await session.send(HTTPRequest(method, server + path, headers: headers, body: body))
            await session.close()
        } catch {
            await session.close()
            throw OwnerChannelError(.unreachable, "the ntfy server does not answer: \(error)")
        }
        switch response.status {
        case 200...299: return response
        case 429: throw OwnerChannelError(.tooMany(after: .seconds(60)), "the ntfy server is rate-limiting this broker")
        case 401, 403:
            throw OwnerChannelError(.refused, "the ntfy server refuses the token; make one that may use this topic")
        // 408 and 425 ask for another try.
        case 400...407, 409...424, 426...499:
            throw OwnerChannelError(
                .refused, "the ntfy server answered \(response.status); check its address and the name of the topic")
        default: throw OwnerChannelError(.unreachable, "the ntfy server answered \(response.status)")
        }
    }
}
