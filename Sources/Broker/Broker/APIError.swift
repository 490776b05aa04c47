import Encodings
import Hummingbird
import Messages

/// A refusal, answered as an ``ErrorBody`` (specification, sections 10 and 16).
struct APIError: Error {
    let status: HTTPResponse.Status
    let code: ErrorCode
    let message: String
    var headers = HTTPFields()
    var standing: RequestStatus?
    /// The approval that counts; see ``DecisionBody/id``.
    var decisionID: Nonce?
    /// It refuses a call that shows nothing of this broker's.
    var isForStranger = false
    /// It answers a call that is part of every run, so that the log says nothing of it.
    var isRoutine = false
    /// The banks of which a request must name one; none otherwise.
    var banks: [String] = []

    init(_ status: HTTPResponse.Status, _ code: ErrorCode, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    init(_ error: BodyError) {
        self.init(.badRequest, error.code, error.message)
    }

    var response: Response {
        let body = ErrorBody(
            code: code, message: message, status: standing, decisionID: decisionID, banks: banks)
        var response = Response.json(body.json, status: status)
        response.headers.append(contentsOf: headers)
        return response
    }

    static let unauthorized = {
        var error = APIError(
            .unauthorized, .unauthorized, "send the right token for this route: Authorization: Bearer …")
        error.headers[.wwwAuthenticate] = "Bearer"
        return error
    }()

    static let unknownRequest = APIError(.notFound, .requestNotFound, "no request has that ID")

    static func missing(_ field: String) -> APIError {
        APIError(BodyError.missing(field))
    }

    static func invalid(_ field: String, _ what: String) -> APIError {
        APIError(BodyError.invalid(field, what))
    }

    static func conflict(_ message: String) -> APIError { APIError(.conflict, .conflict, message) }

    /// The broker was started again without the plug-in of a kind that was asked for.
    static func lacking(_ kind: DocumentKind) -> APIError {
        conflict(
            "this broker has no plug-in for documents of the kind “\(kind)”; start it as the program that has it, and try again"
        )
    }

    /// The state machine (specification, section 8) does not allow the step from this state.
    static func conflict(with standing: RequestStatus, decisionID: Nonce? = nil) -> APIError {
        var error = conflict("the request is \(standing.rawValue)")
        error.standing = standing
        error.decisionID = decisionID
        return error
    }

    static func rateLimited(_ seconds: Int, _ reason: String = "too many requests") -> APIError {
        var error = APIError(.tooManyRequests, .rateLimited, "\(reason); wait \(seconds) s")
        error.headers[.retryAfter] = String(seconds)
        return error
    }
}

extension Response {
    static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: jsonHeaders, body: .init(byteBuffer: ByteBuffer(bytes: value.compactBytes())))
    }

    /// Made once, because polling agents get them again and again.
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
