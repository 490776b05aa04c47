/// A refusal of Google's, or an answer that cannot be used.
package enum GoogleError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The code or the refresh token does not count any more: the user has to consent again.
    case invalidGrant
    /// The access token is not valid (401): one new exchange may help.
    case unauthorized
    /// The user has not granted the scope that the call needs (403).
    case forbidden(reason: String)
    /// Too many calls, also after waiting.
    case rateLimited(retryAfter: Int?)
    /// Google cannot be reached, or fails.
    case unavailable(String)
    /// Google refuses the client or the request.
    case refused(status: Int, reason: String)
    /// The answer has another form than the documented one.
    case malformed(String)

    package var description: String {
        switch self {
        case .invalidGrant:
            "Google no longer accepts this consent: it was revoked, or has expired. The user has to connect again. "
                + "While the consent screen is in the state “Testing”, Google ends consents after seven days"
        case .unauthorized: "Google does not accept the access token"
        case .forbidden(let reason): "Google does not allow this call (\(reason)); the consent may lack its scope"
        case .rateLimited: "Google asks for fewer calls; try again later"
        case .unavailable(let reason): "Google cannot be reached: \(reason)"
        case .refused(let status, let reason): "Google refused the call with \(status) (\(reason))"
        case .malformed(let what): "Google's answer has another form than documented: \(what)"
        }
    }
}
