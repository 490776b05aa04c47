import CurlClient
import Encodings
import Foundation
import Secrets

/// An OAuth client of Google's (RFC 6749; "Using OAuth 2.0 to Access Google APIs").
package struct GoogleOAuth: Sendable {
    package let clientID: String
    /// Clients for iOS have none.
    private let clientSecret: Secret?
    private let endpoints: GoogleEndpoints
    private let transport: any HTTPTransport

    package init(
        clientID: String, clientSecret: Secret?, endpoints: GoogleEndpoints = GoogleEndpoints(),
        over transport: any HTTPTransport
    ) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.endpoints = endpoints
        self.transport = transport
    }

    /// A user's consent, as Google grants it.
    package struct Consent: Sendable {
        package let refreshToken: Secret
        package let accessToken: Secret
        package let scopes: [GoogleScope]
    }

    /// An access token.
    package struct Access: Sendable {
        package let token: Secret
        package let expiresIn: Int
        package let scopes: [GoogleScope]
    }

    /// Returns the address at which the user consents. `access_type=offline` and `prompt=consent` make Google give a
    /// refresh token each time.
    package func authorizationURL(redirectURI: String, state: String, proof: ProofKey) -> String {
        let scopes = GoogleScope.allCases.map(\.url).joined(separator: " ")
        let query = Self.form([
            ("client_id", clientID), ("redirect_uri", redirectURI), ("response_type", "code"), ("scope", scopes),
            ("state", state), ("code_challenge", proof.challenge), ("code_challenge_method", "S256"),
            ("access_type", "offline"), ("prompt", "consent"), ("include_granted_scopes", "true"),
        ])
        return "\(endpoints.authorization)?\(query)"
    }

    /// Exchanges the code of a consent for its tokens.
    ///
    /// - Throws: ``GoogleError``.
    package func redeem(code: Secret, proof: ProofKey, redirectURI: String) async throws -> Consent {
        let answer = try await post(
            endpoints.token,
            [
                ("grant_type", "authorization_code"), ("code", code.revealed()), ("redirect_uri", redirectURI),
                ("code_verifier", proof.verifier.revealed()),
            ])
        guard let refresh = answer["refresh_token"]?.stringValue else {
            throw GoogleError.malformed("the answer to a code has no refresh token")
        }
        let access = try Self.access(answer)
        return Consent(refreshToken: Secret(refresh), accessToken: access.token, scopes: access.scopes)
    }

    /// Exchanges a refresh token for an access token.
    ///
    /// - Throws: ``GoogleError``; `invalidGrant` when the user has to consent again.
    package func refresh(_ token: Secret) async throws -> Access {
        try Self.access(
            await post(endpoints.token, [("grant_type", "refresh_token"), ("refresh_token", token.revealed())]))
    }

    /// Revokes a refresh token and all access tokens made from it (RFC 7009). One that is not valid any more counts as
    /// revoked.
    ///
    /// - Throws: ``GoogleError``.
    package func revoke(_ token: Secret) async throws {
        do {
            _ = try await post(endpoints.revocation, [("token", token.revealed())], withClient: false)
        } catch GoogleError.invalidGrant {
        } catch GoogleError.refused(status: 400, reason: "invalid_token") {
        }
    }

    private func post(_ url: String, _ fields: [(String, String)], withClient: Bool = true) async throws -> JSONValue {
        var fields = fields
        if withClient {
            fields.append(("client_id", clientID))
            if let clientSecret { fields.append(("client_secret", clientSecret.revealed())) }
        }
        let request = HTTPRequest(
            "POST", url, headers: [HTTPHeader("Content-Type", "application/x-www-form-urlencoded")],
            body: Array(Self.form(fields).utf8))
        let response: HTTPResponse
        do {
            response = try await transport.send(request)
        } catch let error as CurlError where error.code == .cancelled {
            throw CancellationError()
        } catch let error as CurlError {
            throw GoogleError.unavailable(error.description)
        }
        let json = response.body.isEmpty ? [:] : try? JSONReader.read(response.body)
        switch response.status {
        case 200:
            guard let json, json.objectValue != nil else { throw GoogleError.malformed("a token answer is not JSON") }
            return json
        case 429: throw GoogleError.rateLimited(retryAfter: response.header("retry-after").flatMap { Int($0) })
        case 500...: throw GoogleError.unavailable("it answered \(response.status)")
        default:
            // RFC 6749, section 5.2.
            let reason = json?["error"]?.stringValue.flatMap(Self.code) ?? "no reason"
            if reason == "invalid_grant" { throw GoogleError.invalidGrant }
            throw GoogleError.refused(status: response.status, reason: reason)
        }
    }

    private static func access(_ answer: JSONValue) throws -> Access {
        guard let token = answer["access_token"]?.stringValue, !token.isEmpty,
            let expires = answer["expires_in"]?.intValue, (1...86_400).contains(expires),
            answer["token_type"]?.stringValue?.lowercased() == "bearer"
        else { throw GoogleError.malformed("a token answer lacks a part") }
        return Access(
            token: Secret(token), expiresIn: expires,
            scopes: GoogleScope.granted(answer["scope"]?.stringValue ?? ""))
    }

    /// Returns an error code of the standard's alphabet, so that nothing else of an answer gets into a message.
    private static func code(_ text: String) -> String? {
        text.wholeMatch(of: /[a-z_]{1,40}/) == nil ? nil : text
    }

    /// `application/x-www-form-urlencoded`, with everything but unreserved characters encoded.
    static func form(_ fields: [(String, String)]) -> String {
        fields.map { "\(encoded($0.0))=\(encoded($0.1))" }.joined(separator: "&")
    }

    static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}
