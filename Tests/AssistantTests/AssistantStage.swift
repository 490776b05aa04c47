import AssistantStore
import Clocks
import CurlClient
import Encodings
import Foundation
import Logging
import ServiceLifecycle
import Synchronization
import TestServers
import TestSupport
import Testing

@testable import Assistant

/// An assistant on a free port with a database of its own, an Apple that signs tokens, and a clock that tests set.
final class AssistantStage: Sendable {
    enum Store: String, Sendable, CustomTestStringConvertible {
        case sqlite = "SQLite"
        case postgres = "PostgreSQL"

        static let all: [Store] = LoopbackPostgres.programs == nil ? [.sqlite] : [.sqlite, .postgres]
        var testDescription: String { rawValue }
    }

    struct Answer: Sendable {
        let status: Int
        let json: JSONValue
        let head: HTTPResponseHead

        var code: String { json["error_code"]?.stringValue ?? "" }
        func text(_ member: String) throws -> String { try #require(json[member]?.stringValue) }
    }

    /// The time at which each test begins.
    static let start = Date(timeIntervalSince1970: 1_800_000_000)

    let apple: AppleAuthority
    let configuration: AssistantConfiguration
    let logged = Mutex<[String]>([])
    private let folder: TemporaryFolder
    private let http: CurlSession
    private let port = Mutex(0)
    private let time = Mutex(AssistantStage.start)

    init(
        _ store: Store = .sqlite, _ change: (inout AssistantConfiguration) -> Void = { _ in }
    ) async throws {
        folder = try TemporaryFolder()
        apple = try AppleAuthority()
        let state = folder.appending("state")
        var configuration = AssistantConfiguration(
            databaseURL: store == .sqlite
                ? "sqlite:\(folder.appending("assistant.sqlite").path)" : try await LoopbackPostgres.makeDatabase(),
            state: state)
        configuration.port = 0
        configuration.publicURL = URL(string: "http://localhost:8790/")
        configuration.signup = .open
        change(&configuration)
        self.configuration = configuration
        var curl = CurlConfiguration()
        curl.keepsCookies = false
        http = CurlSession(curl)
    }

    var url: String { "http://127.0.0.1:\(port.withLock { $0 })" }
    var now: Date { time.withLock { $0 } }
    func wait(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }

    /// Runs the assistant and its Apple while `body` talks to them, and shuts both down.
    func run(_ body: @escaping @Sendable (AssistantStage) async throws -> Void) async throws {
        let (ports, report) = AsyncStream<Int>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [self] in try await apple.serve { report.yield($0) } }
            var iterator = ports.makeAsyncIterator()
            let applePort = try #require(await iterator.next())
            let service = try service(applePort) { report.yield($0) }
            let services = ServiceGroup(
                configuration: .init(
                    services: [service], logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }))
            group.addTask {
                defer { report.finish() }
                try await services.run()
            }
            let own = await iterator.next()
            var failure: (any Error)?
            if let own {
                port.withLock { $0 = own }
                do { try await body(self) } catch { failure = error }
                await services.triggerGracefulShutdown()
            }
            // The service first; then its Apple, which would run for ever.
            while await iterator.next() != nil {}
            group.cancelAll()
            do { try await group.waitForAll() } catch { failure = failure ?? error }
            if let failure, !(failure is CancellationError) { throw failure }
        }
    }

    private func service(_ applePort: Int, _ onReady: @escaping @Sendable (Int) async -> Void) throws
        -> AssistantService
    {
        var configuration = configuration
        var settings = AssistantConfiguration.AppleSettings(audience: AppleAuthority.audience)
        settings.issuer = AppleAuthority.issuer
        settings.keySetURL = "http://127.0.0.1:\(applePort)/keys"
        configuration.apple = settings
        let logger = Logger(label: "assistant") { [self] _ in
            StageLog { [self] line in self.logged.withLock { $0.append(line) } }
        }
        let start = now
        let clock = BrokerClock(
            wall: { [self] in now }, elapsed: { [self] in .seconds(now.timeIntervalSince(start)) }, boot: "test")
        return try AssistantService(configuration, logger: logger, clock: clock, onReady: onReady)
    }

    // MARK: Calls

    func send(
        _ method: String, _ path: String, token: String? = nil, _ json: JSONValue? = nil, raw: [UInt8]? = nil,
        headers more: [HTTPHeader] = []
    ) async throws -> Answer {
        var headers = [HTTPHeader("Content-Type", "application/json")] + more
        if let token { headers.append(HTTPHeader("Authorization", "Bearer \(token)")) }
        let response = try await http.send(
            HTTPRequest(
                method, "\(url)\(path)", headers: headers,
                body: raw ?? json.map { $0.compactBytes() }))
        return Answer(status: response.status, json: try JSONReader.read(response.body), head: response.head)
    }

    /// Signs in with a right token.
    func signIn(_ subject: String = "001234.apple", _ more: [String: JSONValue] = [:]) async throws -> Answer {
        let token = try apple.token(AppleAuthority.claims(subject: subject, at: now))
        let fields: [String: JSONValue] = ["apple_identity_token": .string(token), "device_id": "phone"]
        return try await send("POST", "/v1/auth/ios/session", .object(fields.merging(more) { $1 }))
    }

    /// Signs in and returns the access token.
    func accessToken(_ subject: String = "001234.apple") async throws -> String {
        try await signIn(subject).text("access_token")
    }

    func openDatabase() async throws -> AssistantDatabase {
        try await AssistantDatabase.open(configuration.databaseURL)
    }
}
