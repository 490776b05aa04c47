import Crypto
import CurlClient
import Encodings
import Foundation
import Synchronization
import Terminal

/// The demo's user: an app's calls of the API, a passkey in software, and the consent at the mock of Google.
package final class DemoUser: Sendable {
    package static let origin = "http://localhost:8790"
    package static let redirect = "http://127.0.0.1:1/callback"

    private let url: String
    private let http: CurlSession
    private let token = Mutex("")

    package init(url: String) {
        self.url = url
        var curl = CurlConfiguration()
        curl.keepsCookies = false
        http = CurlSession(curl)
    }

    package func close() async { await http.close() }

    // MARK: Calls

    /// Calls the API with the user's token.
    ///
    /// - Throws: `CommandFailure` with the refusal.
    @discardableResult
    package func call(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        let response = try await send(method, path, body)
        let json = try JSONReader.read(response.body)
        guard 200..<300 ~= response.status else {
            throw CommandFailure(
                "\(method) \(path): \(response.status) \(json["error_message"]?.stringValue ?? "without a reason")")
        }
        return json
    }

    package func status(_ method: String, _ path: String) async throws -> Int {
        try await send(method, path, nil).status
    }

    private func send(_ method: String, _ path: String, _ body: JSONValue?) async throws -> HTTPResponse {
        var headers = [HTTPHeader("Content-Type", "application/json")]
        let token = token.withLock { $0 }
        if !token.isEmpty { headers.append(HTTPHeader("Authorization", "Bearer \(token)")) }
        return try await http.send(
            HTTPRequest(method, url + path, headers: headers, body: body.map { $0.compactBytes() }))
    }

    // MARK: Sign-in

    package func signIn() async throws {
        let asked = try await call(
            "POST", "/v1/auth/passkey/register/start", ["device_id": "phone", "time_zone": "UTC"])
        let challenge = asked["public_key"]?["challenge"]?.stringValue ?? ""
        let session = try await call(
            "POST", "/v1/auth/passkey/register/finish",
            [
                "challenge_id": asked["challenge_id"] ?? .null, "device_id": "phone",
                "credential": ["response": Self.registration(challenge)],
            ])
        token.withLock { $0 = session["access_token"]?.stringValue ?? "" }
    }

    /// Makes a passkey in software, without attestation (WebAuthn level 3, section 6.5).
    private static func registration(_ challenge: String) -> JSONValue {
        let client = #"{"type":"webauthn.create","challenge":"\#(challenge)","origin":"\#(origin)"}"#
        let id = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
        let point = Array(P256.Signing.PrivateKey().publicKey.x963Representation.dropFirst())
        // User present and verified, with credential data; then the counter and an authenticator without a name.
        var data = Array(SHA256.hash(data: Array("localhost".utf8))) + [0x45, 0, 0, 0, 1]
        data += [UInt8](repeating: 0, count: 16) + [0, UInt8(id.count)] + id
        data += [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + point.prefix(32)
        data += [0x22, 0x58, 0x20] + point.suffix(32)
        var object: [UInt8] = [0xA3, 0x63] + Array("fmt".utf8) + [0x64] + Array("none".utf8)
        object += [0x67] + Array("attStmt".utf8) + [0xA0]
        object += [0x68] + Array("authData".utf8) + [0x58, UInt8(data.count)] + data
        return [
            "clientDataJSON": .string(Base64URL.encode(Array(client.utf8))),
            "attestationObject": .string(Base64URL.encode(object)),
        ]
    }

    // MARK: Consent

    /// Connects Google, and allows everything that the assistant asks for.
    ///
    /// - Returns: the short names of what was granted.
    package func connect() async throws -> [String] {
        let asked = try await call("POST", "/v1/connectors/google/start", ["redirect_uri": .string(Self.redirect)])
        guard let address = asked["auth_url"]?.stringValue, let state = asked["state"]?.stringValue,
            let query = URLComponents(string: address)
        else { throw CommandFailure("the assistant gave no address for the consent") }
        var form = URLComponents()
        form.queryItems = [
            URLQueryItem(name: "decision", value: "allow"),
            URLQueryItem(name: "query", value: query.percentEncodedQuery ?? ""),
        ]
        let scopes = query.queryItems?.first { $0.name == "scope" }?.value ?? ""
        form.queryItems? += scopes.split(separator: " ").map { URLQueryItem(name: "scope", value: String($0)) }
        let encoded = form.queryItems?.map { item in
            "\(item.name)=\((item.value ?? "").addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }.joined(separator: "&")
        let answer = try await http.send(
            HTTPRequest(
                "POST", address, headers: [HTTPHeader("Content-Type", "application/x-www-form-urlencoded")],
                body: Array((encoded ?? "").utf8)))
        let back = answer.header("location").flatMap { URLComponents(string: $0) }
        guard let code = back?.queryItems?.first(where: { $0.name == "code" })?.value else {
            throw CommandFailure("the mock of Google gave no code: \(answer.status)")
        }
        let connected = try await call(
            "POST", "/v1/connectors/google/callback", ["code": .string(code), "state": .string(state)])
        return (connected["granted_scopes"]?.arrayValue ?? []).compactMap(\.stringValue)
    }
}
