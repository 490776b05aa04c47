import Hummingbird
import JSON

/// An answer that says no, in the specification's form: `error_code`, `error_message` (sections 10 and 16).
struct APIError: Error, HTTPResponseError {
    let status: HTTPResponse.Status
    let code: String
    let message: String
    var retryAfter: Int?

    init(_ status: HTTPResponse.Status, _ code: String, _ message: String, retryAfter: Int? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        var response = Response.json(
            ["error_code": .string(code), "error_message": .string(message)], status: status)
        if let retryAfter { response.headers[.retryAfter] = String(retryAfter) }
        return response
    }

    static let unauthorized = APIError(
        .unauthorized, "UNAUTHORIZED", "send the right token for this route: Authorization: Bearer …")
    static let unknownRequest = APIError(.notFound, "REQUEST_NOT_FOUND", "there is no request of that id")

    static func missing(_ field: String) -> APIError {
        APIError(.badRequest, "MISSING_FIELD", "“\(field)” is missing")
    }

    static func invalid(_ field: String, _ what: String) -> APIError {
        APIError(.badRequest, "INVALID_FIELD", "“\(field)” is \(what)")
    }

    static func conflict(_ message: String) -> APIError { APIError(.conflict, "CONFLICT", message) }
}

extension Response {
    static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        var headers = HTTPFields()
        headers[.contentType] = "application/json; charset=utf-8"
        headers[.cacheControl] = "no-store"
        return Response(
            status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: value.compactText())))
    }
}
