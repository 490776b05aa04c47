import Hummingbird
import JSON

/// An answer that says no, in the specification's form: `error_code`, `error_message` (sections 10 and 16). Where it is the
/// request's state that does not allow it, `status` tells which, as it does in every other answer.
struct APIError: Error {
    let status: HTTPResponse.Status
    let code: String
    let message: String
    var headers = HTTPFields()
    var standing: RequestStatus?

    init(_ status: HTTPResponse.Status, _ code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    var response: Response {
        var members: [String: JSONValue] = ["error_code": .string(code), "error_message": .string(message)]
        if let standing { members["status"] = .string(standing.rawValue) }
        var response = Response.json(.object(members), status: status)
        response.headers.append(contentsOf: headers)
        return response
    }

    static let unauthorized = {
        var error = APIError(
            .unauthorized, "UNAUTHORIZED", "send the right token for this route: Authorization: Bearer …")
        error.headers[.wwwAuthenticate] = "Bearer"
        return error
    }()

    static let unknownRequest = APIError(.notFound, "REQUEST_NOT_FOUND", "there is no request of that id")

    static func missing(_ field: String) -> APIError {
        APIError(.badRequest, "MISSING_FIELD", "“\(field)” is missing")
    }

    static func invalid(_ field: String, _ what: String) -> APIError {
        APIError(.badRequest, "INVALID_FIELD", "“\(field)” is \(what)")
    }

    static func conflict(_ message: String) -> APIError { APIError(.conflict, "CONFLICT", message) }

    /// The state machine (section 8) leads from there to nothing that was asked for.
    static func conflict(with standing: RequestStatus) -> APIError {
        var error = conflict("the request is \(standing.rawValue)")
        error.standing = standing
        return error
    }

    static func rateLimited(_ seconds: Int) -> APIError {
        var error = APIError(.tooManyRequests, "RATE_LIMITED", "too many requests; wait \(seconds) s")
        error.headers[.retryAfter] = String(seconds)
        return error
    }
}

extension Response {
    static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: jsonHeaders, body: .init(byteBuffer: ByteBuffer(bytes: value.compactBytes())))
    }

    /// Made once: an agent that polls is answered with them again and again.
    private static let jsonHeaders: HTTPFields = [
        .contentType: "application/json; charset=utf-8", .cacheControl: "no-store",
    ]

    static func text(_ text: String, type: String, status: HTTPResponse.Status = .ok) -> Response {
        var headers = HTTPFields()
        headers[.contentType] = type
        headers[.cacheControl] = "no-store"
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}
