import AssistantProcesses
import AssistantStore
import AttestedKeys
import CurlClient
import Encodings
import Foundation
import KeyCustody
import Logging
import Machine
import MockGoogle
import Secrets
import Synchronization
import Testing

@testable import Assistant

/// An assistant with its key service, its enclave and a mock of Google. The sockets between them are real.
struct ConnectedStage: Sendable {
    static let redirect = "http://127.0.0.1:1/callback"

    let stage: AssistantStage
    let google: MockGoogleServer
    let evidence: EvidenceSettings
    let amazon: AmazonSettings?
    private let http: CurlSession

    var places: AssistantPlaces { stage.configuration.places }
    var policy: KeyPolicyFile { KeyPolicyFile(places.policy) }
    /// The enclave, as a worker calls it.
    var enclave: EnclaveClient { EnclaveClient(places) }
    var keyService: KeyServiceConfiguration {
        var configuration = KeyServiceConfiguration(
            places: places, database: DatabaseSettings(url: stage.configuration.databaseURL))
        configuration.evidence = evidence
        configuration.amazon = amazon
        return configuration
    }

    /// Runs everything while `body` talks to it.
    ///
    /// - Parameters:
    ///   - early: how much the enclave's clock is behind the key service's, in seconds.
    ///   - evidence: the maker of the enclave's evidence, for all processes.
    ///   - amazon: the key at AWS KMS; nil for local master keys.
    static func run(
        _ store: AssistantStage.Store = .sqlite, enclaveIsBehind early: TimeInterval = 0,
        evidence: EvidenceSettings = EvidenceSettings(), amazon: AmazonSettings? = nil,
        _ change: (inout AssistantConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (ConnectedStage) async throws -> Void
    ) async throws {
        var mock = MockGoogleConfiguration()
        mock.redirectURIs = [redirect, "alfred://oauth/google/callback"]
        let google = try await MockGoogleServer.start(mock)
        var settings = GoogleSettings(clientID: mock.clientID)
        settings.clientSecret = mock.clientSecret.map { Secret($0) }
        settings.redirectURIs = [redirect, "alfred://oauth/google/callback"]
        settings.endpoints.authorization = "\(google.url)/o/oauth2/v2/auth"
        settings.endpoints.token = "\(google.url)/token"
        settings.endpoints.revocation = "\(google.url)/revoke"
        let client = settings
        let stage = try await AssistantStage(store) {
            $0.google = client
            $0.evidence = evidence
            change(&$0)
        }
        var curl = CurlConfiguration()
        curl.keepsCookies = false
        let connected = ConnectedStage(
            stage: stage, google: google, evidence: evidence, amazon: amazon, http: CurlSession(curl))
        do {
            try await stage.run { _ in
                try await connected.withProcesses(client, early) { try await body(connected) }
            }
        } catch {
            await google.stop()
            throw error
        }
        await google.stop()
    }

    private func withProcesses(
        _ settings: GoogleSettings, _ early: TimeInterval, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let (ready, report) = AsyncStream<Void>.makeStream()
        let logger = Logger(label: "processes") { [stage] _ in
            StageLog { line in stage.logged.withLock { $0.append(line) } }
        }
        let now: @Sendable () -> Date = { [stage] in stage.now }
        let keys = KeyServiceProcess(keyService, logger: logger, now: now) { report.yield() }
        let enclaveNow: @Sendable () -> Date = { now().addingTimeInterval(-early) }
        var configuration = EnclaveConfiguration(
            places: places, database: DatabaseSettings(url: stage.configuration.databaseURL), google: settings)
        configuration.evidence = evidence
        let enclave = EnclaveProcess(configuration, logger: logger, now: enclaveNow) { report.yield() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { report.finish() }
                try await keys.run()
            }
            group.addTask {
                defer { report.finish() }
                try await enclave.run()
            }
            var iterator = ready.makeAsyncIterator()
            for _ in 0..<2 { try #require(await iterator.next() != nil, "a process did not start") }
            do {
                try await body()
            } catch {
                group.cancelAll()
                throw error
            }
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    /// Allows one measurement in the policy, and no other.
    func allow(_ measurement: String, _ change: (inout KeyPolicy) -> Void = { _ in }) throws {
        let lock = try policy.lock()
        var allowing = try policy.read()
        allowing.measurements = [measurement]
        change(&allowing)
        try lock.write(allowing)
    }

    // MARK: Consent

    /// Asks for a consent, and returns the address and the state.
    func start(_ token: String) async throws -> (url: String, state: String) {
        let answer = try await stage.send(
            "POST", "/v1/connectors/google/start", token: token, ["redirect_uri": .string(Self.redirect)])
        try #require(answer.status == 200, "\(answer.json)")
        return (try answer.text("auth_url"), try answer.text("state"))
    }

    /// Consents at an address as a person does, and returns the code, or nothing when the person refuses.
    func consent(_ url: String, scopes: [String]? = nil, decision: String = "allow") async throws -> String? {
        let page = try await http.send(HTTPRequest("GET", url))
        try #require(page.status == 200)
        let query = String(url.split(separator: "?", maxSplits: 1)[1])
        let asked = URLComponents(string: url)?.queryItems?.first { $0.name == "scope" }?.value ?? ""
        var form = URLComponents()
        form.queryItems = [URLQueryItem(name: "decision", value: decision)]
        for scope in scopes ?? asked.split(separator: " ").map(String.init) {
            form.queryItems?.append(URLQueryItem(name: "scope", value: scope))
        }
        let encoded = query.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let answer = try await http.send(
            HTTPRequest(
                "POST", url, headers: [HTTPHeader("Content-Type", "application/x-www-form-urlencoded")],
                body: Array("query=\(encoded)&\(form.percentEncodedQuery ?? "")".utf8)))
        let back = try #require(answer.header("location"))
        return URLComponents(string: back)?.queryItems?.first { $0.name == "code" }?.value
    }

    func callback(_ token: String, code: String, state: String) async throws -> AssistantStage.Answer {
        try await stage.send(
            "POST", "/v1/connectors/google/callback", token: token, ["code": .string(code), "state": .string(state)])
    }

    /// Connects a user, and returns the answer of the callback.
    @discardableResult
    func connect(_ token: String, scopes: [String]? = nil) async throws -> AssistantStage.Answer {
        let (url, state) = try await start(token)
        let code = try #require(try await consent(url, scopes: scopes))
        let answer = try await callback(token, code: code, state: state)
        try #require(answer.status == 200, "\(answer.json)")
        return answer
    }

    /// Returns the ids of the user and of the connector that an answer names.
    func ids(_ token: String, _ answer: AssistantStage.Answer) throws -> (user: UUID, connector: UUID) {
        let name = try answer.text("connector_id")
        return (
            try #require(UUID(uuidString: try SignInTests.claim("sub", of: token))),
            try #require(UUID(uuidString: String(name.dropFirst("con_".count))))
        )
    }

    func connectors(_ token: String) async throws -> [JSONValue] {
        try await stage.send("GET", "/v1/connectors", token: token).json["items"]?.arrayValue ?? []
    }

    /// Returns a user's events of one type, the newest first.
    func events(_ type: String, _ token: String) async throws -> [JSONValue] {
        let answer = try await stage.send("GET", "/v1/audit-events?limit=200", token: token)
        return (answer.json["items"]?.arrayValue ?? []).filter { $0["event_type"] == .string(type) }
    }
}

/// A log that a test reads.
struct StageLog: LogHandler {
    let write: @Sendable (String) -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    init(_ write: @escaping @Sendable (String) -> Void) {
        self.write = write
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { write("\(event.level) \(event.message) \(event.metadata ?? [:])") }
}
