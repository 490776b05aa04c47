import Crypto
import Encodings
import Foundation
import Hummingbird
import Mustache

/// The consent page and the token endpoints (RFC 6749, RFC 7636, RFC 7009).
struct OAuthRoutes: Sendable {
    let account: MockAccount
    let configuration: MockGoogleConfiguration

    func add(to router: Router<BasicRequestContext>) {
        router.get("o/oauth2/v2/auth") { request, _ in try page(request) }
        router.post("o/oauth2/v2/auth") { request, _ in try await decide(request) }
        router.post("token") { request, _ in try await token(request) }
        router.post("revoke") { request, _ in try await revoke(request) }
    }

    // MARK: Consent

    private func page(_ request: Request) throws -> Response {
        let query = FormFields(request.uri.query ?? "")
        if let problem = problem(of: query) { return Self.text(problem, status: .badRequest) }
        let values: [String: Any] = [
            "client": configuration.clientID, "query": request.uri.query ?? "",
            "scopes": scopes(of: query).map { ["url": $0] },
        ]
        let template = try MustacheTemplate(string: String(decoding: PackageResources.consent_mustache, as: UTF8.self))
        return Self.text(template.render(values), type: "text/html; charset=utf-8")
    }

    private func decide(_ request: Request) async throws -> Response {
        let form = FormFields(String(buffer: try await request.body.collect(upTo: 64 << 10)))
        let query = FormFields(form["query"] ?? "")
        if let problem = problem(of: query) { return Self.text(problem, status: .badRequest) }
        var answer: [(String, String)] = [("state", query["state"] ?? "")]
        if form["decision"] == "allow" {
            let granted = scopes(of: query).filter(form.all("scope").contains)
            let code = await account.consent(
                .init(
                    redirectURI: query["redirect_uri"] ?? "", challenge: query["code_challenge"], scopes: granted))
            answer += [("code", code), ("scope", granted.joined(separator: " "))]
        } else {
            answer.append(("error", "access_denied"))
        }
        var components = URLComponents(string: query["redirect_uri"] ?? "")
        components?.queryItems = answer.map { URLQueryItem(name: $0.0, value: $0.1) }
        return Response(status: .found, headers: [.location: components?.string ?? ""])
    }

    private func scopes(of query: FormFields) -> [String] {
        (query["scope"] ?? "").split(separator: " ").map(String.init)
    }

    /// Returns what is wrong with an authorization request. The browser is not sent back then.
    private func problem(of query: FormFields) -> String? {
        if query["client_id"] != configuration.clientID { return "Error 401: invalid_client" }
        guard let redirect = query["redirect_uri"], configuration.redirectURIs.contains(redirect) else {
            return "Error 400: redirect_uri_mismatch"
        }
        if query["response_type"] != "code" || scopes(of: query).isEmpty { return "Error 400: invalid_request" }
        if query["code_challenge"] != nil, query["code_challenge_method"] != "S256" {
            return "Error 400: invalid_request (code_challenge_method)"
        }
        return nil
    }

    // MARK: Tokens

    private func token(_ request: Request) async throws -> Response {
        await account.note("/token")
        let form = FormFields(String(buffer: try await request.body.collect(upTo: 64 << 10)))
        if let fault = await account.nextFault() { return DataRoutes.answer(fault) }
        let (id, secret) = Self.basic(request) ?? (form["client_id"], form["client_secret"])
        guard id == configuration.clientID, configuration.clientSecret == nil || secret == configuration.clientSecret
        else { return Self.refusal("invalid_client", "Unauthorized", status: .unauthorized) }
        switch form["grant_type"] {
        case "authorization_code":
            guard let code = await account.take(form["code"] ?? ""), code.redirectURI == form["redirect_uri"] else {
                return Self.refusal("invalid_grant", "Malformed auth code.")
            }
            if let challenge = code.challenge {
                let digest = SHA256.hash(data: Array((form["code_verifier"] ?? "").utf8))
                guard Base64URL.encode(Array(digest)) == challenge else {
                    return Self.refusal("invalid_grant", "Invalid code verifier.")
                }
            }
            let (refresh, access) = await account.grant(code.scopes)
            return answer(access, code.scopes, refresh: refresh)
        case "refresh_token":
            guard let (access, scopes) = await account.refresh(form["refresh_token"] ?? "") else {
                return Self.refusal("invalid_grant", "Token has been expired or revoked.")
            }
            return answer(access, scopes, refresh: nil)
        default: return Self.refusal("unsupported_grant_type", "Invalid grant_type.")
        }
    }

    /// Reads a client's name and secret from the header, where a client may put them (RFC 6749, section 2.3.1).
    private static func basic(_ request: Request) -> (String?, String?)? {
        let parts = (request.headers[.authorization] ?? "").split(separator: " ")
        guard parts.count == 2, parts[0].lowercased() == "basic", let data = Data(base64Encoded: String(parts[1]))
        else { return nil }
        let pair = String(decoding: data, as: UTF8.self).split(separator: ":", maxSplits: 1).map(String.init)
        return pair.count == 2 ? (pair[0].removingPercentEncoding, pair[1].removingPercentEncoding) : nil
    }

    private func revoke(_ request: Request) async throws -> Response {
        await account.note("/revoke")
        let form = FormFields(String(buffer: try await request.body.collect(upTo: 64 << 10)))
        if let fault = await account.nextFault() { return DataRoutes.answer(fault) }
        let token = form["token"] ?? FormFields(request.uri.query ?? "")["token"] ?? ""
        guard await account.revoke(token) else {
            return Self.refusal("invalid_token", "Token expired or revoked")
        }
        return DataRoutes.json([:])
    }

    private func answer(_ access: String, _ scopes: [String], refresh: String?) -> Response {
        var members: [String: JSONValue] = [
            "access_token": .string(access), "expires_in": .number(Double(configuration.accessTokenSeconds)),
            "scope": .string(scopes.joined(separator: " ")), "token_type": "Bearer",
        ]
        members["refresh_token"] = refresh.map(JSONValue.string)
        return DataRoutes.json(.object(members))
    }

    private static func refusal(
        _ code: String, _ description: String, status: HTTPResponse.Status = .badRequest
    ) -> Response {
        DataRoutes.json(["error": .string(code), "error_description": .string(description)], status: status)
    }

    private static func text(
        _ text: String, type: String = "text/plain; charset=utf-8", status: HTTPResponse.Status = .ok
    ) -> Response {
        Response(status: status, headers: [.contentType: type], body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}

/// The fields of a form or a query, `application/x-www-form-urlencoded`.
struct FormFields {
    private let fields: [(name: String, value: String)]

    init(_ text: String) {
        fields = text.split(separator: "&").map { field in
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.decoded(parts[0]), parts.count > 1 ? Self.decoded(parts[1]) : "")
        }
    }

    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    func all(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    private static func decoded(_ text: Substring) -> String {
        let spaced = text.replacing("+", with: " ")
        return String(spaced).removingPercentEncoding ?? String(spaced)
    }
}
