import CurlClient
import Foundation
import JSON
import Secrets
import Signer

/// What a broker answered an agent.
public struct AgentError: Error, Sendable, CustomStringConvertible {
    /// The specification's code, or nil where there was no answer.
    public let code: String?
    public let message: String

    public var description: String { code.map { "\($0): \(message)" } ?? message }
}

/// A request as an agent sees it.
public struct AgentRequest: Sendable, Hashable {
    public let id: RequestID
    public let status: RequestStatus
    public let filePath: String?
    public let errorCode: String?
    public let errorMessage: String?
    /// The whole answer.
    public let json: JSONValue

    init(_ json: JSONValue) throws(AgentError) {
        guard let id = json["request_id"]?.stringValue.flatMap({ RequestID($0) }),
            let status = json["status"]?.stringValue.flatMap(RequestStatus.init)
        else { throw AgentError(code: nil, message: "the broker’s answer is not one of this specification") }
        self.id = id
        self.status = status
        filePath = json["file_path"]?.stringValue
        errorCode = json["error_code"]?.stringValue
        errorMessage = json["error_message"]?.stringValue
        self.json = json
    }
}

/// A part of the list of requests.
public struct AgentRequestPage: Sendable, Hashable {
    public let requests: [AgentRequest]
    /// Where the next page begins; nil at the end.
    public let nextCursor: String?
}

/// An agent's side of the broker's API.
public struct AgentClient: Sendable {
    private let baseURL: String
    private let token: Secret
    private let configuration: CurlConfiguration
    private let http: CurlSession

    /// - Parameters:
    ///   - baseURL: such as `http://127.0.0.1:8765`.
    ///   - authority: a PEM file with the authority of a broker whose certificate the system does not know.
    public init(baseURL: String, token: Secret, authority: URL? = nil) {
        self.baseURL = baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL
        self.token = token
        var configuration = CurlConfiguration()
        configuration.keepsCookies = false
        configuration.limits.firstByte = .seconds(90)
        configuration.extraCAFile = authority
        self.configuration = configuration
        http = CurlSession(configuration)
    }

    public func requestStatement(
        month: Int, year: Int, agentRequestID: String? = nil
    ) async throws(AgentError) -> AgentRequest {
        var body: [String: JSONValue] = [
            "type": "statement", "month": .number(Double(month)), "year": .number(Double(year)),
        ]
        if let agentRequestID { body["agent_request_id"] = .string(agentRequestID) }
        return try AgentRequest(try await send("POST", "/request", .object(body)))
    }

    /// - Parameter wait: how many seconds the broker may hold the answer back until the status changes, up to 60.
    public func request(_ id: RequestID, wait: Int = 0) async throws(AgentError) -> AgentRequest {
        guard wait > 0 else { return try AgentRequest(try await send("GET", "/request/\(id)")) }
        // A session makes one exchange after the other: an answer that is held back has one of its own.
        let session = CurlSession(configuration)
        do throws(AgentError) {
            let answer = try await send("GET", "/request/\(id)?wait=\(wait)", over: session)
            await session.close()
            return try AgentRequest(answer)
        } catch {
            await session.close()
            throw error
        }
    }

    /// The newest requests first.
    ///
    /// - Parameters:
    ///   - status: those in this state alone.
    ///   - cursor: ``AgentRequestPage/nextCursor`` of the page before.
    ///   - limit: 1…200.
    public func page(
        of status: RequestStatus? = nil, after cursor: String? = nil, limit: Int = 50
    ) async throws(AgentError) -> AgentRequestPage {
        var query = ["limit=\(limit)"]
        if let status { query.append("status=\(status.rawValue)") }
        if let cursor {
            let plain = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
            query.append("cursor=\(cursor.addingPercentEncoding(withAllowedCharacters: plain) ?? "")")
        }
        let answer = try await send("GET", "/requests?" + query.joined(separator: "&"))
        var requests: [AgentRequest] = []
        for item in answer["requests"]?.arrayValue ?? [] { requests.append(try AgentRequest(item)) }
        return AgentRequestPage(requests: requests, nextCursor: answer["next_cursor"]?.stringValue)
    }

    public func close() async { await http.close() }

    private func send(
        _ method: String, _ path: String, _ body: JSONValue? = nil, over session: CurlSession? = nil
    ) async throws(AgentError) -> JSONValue {
        var headers = [
            HTTPHeader("Authorization", "Bearer \(token.revealed())"), HTTPHeader("Accept", "application/json"),
        ]
        if body != nil { headers.append(HTTPHeader("Content-Type", "application/json")) }
        let response: HTTPResponse
        do {
            response = try await (session ?? http).send(
                HTTPRequest(method, baseURL + path, headers: headers, body: try? body?.canonicalBytes()))
        } catch {
            throw AgentError(code: nil, message: "the broker at \(baseURL) does not answer: \(error)")
        }
        guard let json = try? JSONReader.read(response.body, limits: JSONLimits(size: 8 << 20)) else {
            throw AgentError(code: nil, message: "\(baseURL) answered with something else than JSON; is it a broker?")
        }
        guard (200...299).contains(response.status) else {
            throw AgentError(
                code: json["error_code"]?.stringValue,
                message: json["error_message"]?.stringValue ?? "the broker answered \(response.status)")
        }
        return json
    }
}
