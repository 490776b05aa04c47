import Encodings
import Foundation
import HTTPTypes

/// A refusal of the authorization server (RFC 6749, sections 4.1.2.1 and 5.2; RFC 8707, section 2).
struct OAuthError: Error, Hashable {
    enum Code: String {
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case invalidClientMetadata = "invalid_client_metadata"
        case invalidRedirectURI = "invalid_redirect_uri"
        case invalidGrant = "invalid_grant"
        case invalidTarget = "invalid_target"
        case unsupportedGrantType = "unsupported_grant_type"
        case unsupportedResponseType = "unsupported_response_type"
        case accessDenied = "access_denied"
        case temporarilyUnavailable = "temporarily_unavailable"
    }

    let code: Code
    /// In ASCII, as the standard has it, and without anything that was sent.
    let message: String

    init(_ code: Code, _ message: String) {
        (self.code, self.message) = (code, message)
    }

    var status: HTTPResponse.Status {
        switch code {
        case .invalidClient: .unauthorized
        case .temporarilyUnavailable: .tooManyRequests
        default: .badRequest
        }
    }

    var json: JSONValue {
        ["error": .string(code.rawValue), "error_description": .string(message)]
    }
}
