import Encodings
import Hummingbird

/// A refusal, answered as `{"error_code", "error_message"}`.
struct AssistantError: Error {
    enum Code: String, Sendable, CaseIterable {
        case unauthorized = "UNAUTHORIZED"
        case invalidIdentityToken = "INVALID_IDENTITY_TOKEN"
        case invalidRefreshToken = "INVALID_REFRESH_TOKEN"
        case invalidPasskey = "INVALID_PASSKEY"
        case missingField = "MISSING_FIELD"
        case invalidField = "INVALID_FIELD"
        case invalidCursor = "INVALID_CURSOR"
        case invalidState = "INVALID_STATE"
        case invalidCode = "INVALID_CODE"
        case invalidRedirectURI = "INVALID_REDIRECT_URI"
        case consentDenied = "CONSENT_DENIED"
        case invalidJSON = "INVALID_JSON"
        case signupClosed = "SIGNUP_CLOSED"
        case payloadTooLarge = "PAYLOAD_TOO_LARGE"
        case rateLimited = "RATE_LIMITED"
        case notFound = "NOT_FOUND"
        case deviceNotFound = "DEVICE_NOT_FOUND"
        case connectorNotFound = "CONNECTOR_NOT_FOUND"
        case requestNotFound = "REQUEST_NOT_FOUND"
        case briefNotFound = "BRIEF_NOT_FOUND"
        case alertNotFound = "ALERT_NOT_FOUND"
        case confirmationNotFound = "CONFIRMATION_NOT_FOUND"
        case alreadyDecided = "ALREADY_DECIDED"
        case methodNotAllowed = "METHOD_NOT_ALLOWED"
        case badRequest = "BAD_REQUEST"
        case unavailable = "UNAVAILABLE"
        case internalError = "INTERNAL_ERROR"
    }

    let status: HTTPResponse.Status
    let code: Code
    let message: String
    var headers = HTTPFields()

    init(_ status: HTTPResponse.Status, _ code: Code, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    var response: Response {
        var response = Response.json(
            ["error_code": .string(code.rawValue), "error_message": .string(message)], status: status)
        response.headers.append(contentsOf: headers)
        return response
    }

    static let unauthorized = unauthorized(.unauthorized, "send a valid access token: Authorization: Bearer …")

    static func unauthorized(_ code: Code, _ message: String) -> AssistantError {
        var error = AssistantError(.unauthorized, code, message)
        error.headers[.wwwAuthenticate] = "Bearer"
        return error
    }

    /// Refuses a stranger whom the rule for new users does not admit.
    static func signupClosed(_ rule: SignupRule) -> AssistantError {
        AssistantError(
            .forbidden, .signupClosed,
            rule == .closed
                ? "this service takes no new users" : "a new user needs an invitation; ask the operator of this service"
        )
    }

    static func missing(_ field: String) -> AssistantError {
        AssistantError(.badRequest, .missingField, "“\(field)” is missing")
    }

    static func invalid(_ field: String, _ what: String) -> AssistantError {
        AssistantError(.badRequest, .invalidField, "“\(field)” \(what)")
    }

    /// Refuses a call because something that it needs does not work at the moment.
    static func unavailable(_ message: String, retryAfter seconds: Int = 5) -> AssistantError {
        var error = AssistantError(.serviceUnavailable, .unavailable, message)
        error.headers[.retryAfter] = String(seconds)
        return error
    }

    static func rateLimited(_ seconds: Int) -> AssistantError {
        var error = AssistantError(.tooManyRequests, .rateLimited, "too many requests; wait \(seconds) s")
        error.headers[.retryAfter] = String(seconds)
        return error
    }
}

extension Response {
    static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: value.compactBytes())))
    }

    static let ok = Response.json(["ok": true])
}
