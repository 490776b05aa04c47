import AssistantStore
import CurlClient
import Encodings
import Foundation
import MockGoogle
import TestParties
import TestSupport
import Testing

/// `countersign assistant serve`, as a process that a test can kill.
final class RunningAssistant {
    static let redirect = "http://127.0.0.1:1/callback"

    /// The address at which Google sends a browser back to the pages.
    static func callback(_ port: Int) -> String { "http://localhost:\(port)/connections/google/callback" }

    let folder: TemporaryFolder
    private let http: CurlSession
    private var program: Program?
    private var url = ""
    /// Every run of the program, for its log.
    private var logs: [Program] = []
    private let google: MockGoogleServer?

    /// The port at which a browser opens the pages; nil for any.
    private let port: Int?
    /// Further variables.
    private let more: [String: String]
    /// A program and its arguments that starts this one, such as setpriv.
    private let launcher: [String]

    init(
        google: MockGoogleServer? = nil, port: Int? = nil, more: [String: String] = [:], through launcher: [String] = []
    ) throws {
        folder = try TemporaryFolder()
        self.google = google
        self.port = port
        self.more = more
        self.launcher = launcher
        var curl = CurlConfiguration()
        curl.keepsCookies = false
        curl.limits.whole = .seconds(60)
        http = CurlSession(curl)
        guard google != nil else { return }
        let secret = folder.appending("client.secret")
        try Data("mock-client-secret\n".utf8).write(to: secret)
        chmod(secret.path, 0o600)
    }

    var environment: [String: String] {
        var variables = ["XDG_DATA_HOME": folder.url.path, "ASSISTANT_PORT": "0", "ASSISTANT_SIGNUP": "open"]
        variables["ASSISTANT_CALENDAR_SYNC_SECONDS"] = "1"
        if let google {
            variables["ASSISTANT_GOOGLE_CLIENT_ID"] = "mock-client"
            variables["ASSISTANT_GOOGLE_CLIENT_SECRET_FILE"] = folder.appending("client.secret").path
            variables["ASSISTANT_GOOGLE_REDIRECT_URIS"] = Self.redirect
            variables["ASSISTANT_GOOGLE_AUTH_URL"] = "\(google.url)/o/oauth2/v2/auth"
            variables["ASSISTANT_GOOGLE_TOKEN_URL"] = "\(google.url)/token"
            variables["ASSISTANT_GOOGLE_REVOKE_URL"] = "\(google.url)/revoke"
            variables["ASSISTANT_GOOGLE_API_URL"] = google.url
        }
        if let port {
            variables["ASSISTANT_PORT"] = String(port)
            variables["ASSISTANT_PUBLIC_URL"] = "http://localhost:\(port)"
            variables["ASSISTANT_GOOGLE_REDIRECT_URIS"] = Self.callback(port)
        }
        return variables.merging(more) { $1 }
    }

    var state: URL { folder.appending("countersign/assistant") }
    var database: URL { state.appending(path: "assistant.sqlite") }
    var log: String { logs.map(\.errors).joined() }
    var id: Int32 { program?.id ?? -1 }

    /// The process ids of the children, by their command.
    var children: [String: Int32] {
        guard let id = program?.id else { return [:] }
        var found: [String: Int32] = [:]
        for descendant in Descendant.all where descendant.command.contains("--end-with-input") {
            guard let status = try? String(contentsOfFile: "/proc/\(descendant.id)/stat", encoding: .utf8),
                let end = status.lastIndex(of: ")"),
                status[status.index(after: end)...].split(separator: " ").dropFirst().first == "\(id)"
            else { continue }
            for command in ["kms", "enclave", "worker"] where descendant.command.contains(" \(command) ") {
                found[command] = descendant.id
            }
        }
        return found
    }

    /// Starts the program, and returns once it answers.
    func start(_ arguments: [String] = []) async throws {
        let program = try Program(["assistant", "serve"] + arguments, environment: environment, through: launcher)
        self.program = program
        logs.append(program)
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            if let match = program.errors.firstMatch(of: /assistant is ready.*?(http:\/\/127\.0\.0\.1:[0-9]+)/) {
                url = String(match.1)
                return
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw AssistantStoreError(.other, "the assistant did not start: \(program.errors)")
    }

    /// Waits until the enclave and the key service answer, and a worker was seen.
    func waitForProcesses() async throws {
        let end = ContinuousClock.now + .seconds(60)
        var last = JSONValue.null
        while ContinuousClock.now < end {
            last = try await send("GET", "/healthz")?.json ?? .null
            if last["enclave"] == "ok", last["key_service"] == "ok", last["worker"] == "ok" { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw AssistantStoreError(.other, "the processes did not start: \(last) \(log)")
    }

    func signal(_ signal: Int32) { program?.signal(signal) }

    func end(_ signal: Int32) async throws -> Int32 {
        program?.signal(signal)
        return try await program?.status() ?? -1
    }

    func kill(after wait: Duration) -> Task<Void, any Error> {
        let program = program
        return Task {
            try await Task.sleep(for: wait)
            program?.signal(SIGKILL)
            _ = try await program?.status()
        }
    }

    /// Sends a request; nil when the program died before it answered.
    func send(_ method: String, _ path: String, token: String? = nil, _ json: JSONValue? = nil) async throws
        -> (status: Int, json: JSONValue)?
    {
        var headers = [HTTPHeader("Content-Type", "application/json")]
        if let token { headers.append(HTTPHeader("Authorization", "Bearer \(token)")) }
        let request = HTTPRequest(method, url + path, headers: headers, body: json.map { $0.compactBytes() })
        guard let response = try? await http.send(request) else { return nil }
        return (response.status, try JSONReader.read(response.body))
    }

    /// Registers a passkey, and returns the access token and the user's id.
    func register() async throws -> (token: String, user: UUID) {
        let passkey = SoftPasskey()
        passkey.origin = "http://localhost:0"
        let asked = try #require(
            try await send("POST", "/v1/auth/passkey/register/start", ["device_id": "phone"]))
        let made = passkey.created(Base64URL.decode(asked.json["public_key"]?["challenge"]) ?? [])
        let answer = try #require(
            try await send(
                "POST", "/v1/auth/passkey/register/finish",
                [
                    "challenge_id": asked.json["challenge_id"] ?? .null, "device_id": "phone",
                    "credential": [
                        "response": [
                            "clientDataJSON": .string(Base64URL.encode(made.clientDataJSON)),
                            "attestationObject": .string(Base64URL.encode(made.attestationObject)),
                        ]
                    ],
                ]))
        let token = try #require(answer.json["access_token"]?.stringValue, "\(answer.json)")
        let claims = try JSONReader.read(Base64URL.decode(String(token.split(separator: ".")[1])) ?? [])
        return (token, try #require(claims["sub"]?.stringValue.flatMap(UUID.init(uuidString:))))
    }

    /// Consents at Google as a person does, and returns the code and the state; nil when the program died.
    func consent(_ token: String) async throws -> (code: String, state: String)? {
        guard
            let asked = try await send(
                "POST", "/v1/connectors/google/start", token: token, ["redirect_uri": .string(Self.redirect)])
        else { return nil }
        let url = try #require(asked.json["auth_url"]?.stringValue, "\(asked.json)")
        let query = String(url.split(separator: "?", maxSplits: 1)[1])
        let scopes = URLComponents(string: url)?.queryItems?.first { $0.name == "scope" }?.value ?? ""
        var form = URLComponents()
        form.queryItems = [URLQueryItem(name: "decision", value: "allow")]
        for scope in scopes.split(separator: " ") {
            form.queryItems?.append(URLQueryItem(name: "scope", value: String(scope)))
        }
        let encoded = query.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let answer = try await http.send(
            HTTPRequest(
                "POST", url, headers: [HTTPHeader("Content-Type", "application/x-www-form-urlencoded")],
                body: Array("query=\(encoded)&\(form.percentEncodedQuery ?? "")".utf8)))
        let items = URLComponents(string: try #require(answer.header("location")))?.queryItems
        let code = try #require(items?.first { $0.name == "code" }?.value)
        return (code, try #require(asked.json["state"]?.stringValue))
    }
}
