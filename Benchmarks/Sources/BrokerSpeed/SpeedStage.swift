import Broker
import CurlClient
import Foundation
import GRDB
import Hummingbird
import JSON
import Logging
import Secrets
import ServiceLifecycle
import Signer
import Synchronization

/// A broker and, beside it, a server with one empty route.
final class SpeedStage: Sendable {
    enum Server: Sendable { case broker, emptyRoute }

    private let home: URL
    private let token = "agent-token-agent-token-agent-token"
    private let ports = Mutex<[Server: Int]>([:])
    private let rates = Mutex((polls: 0.0, requests: 0.0))

    var noted: (polls: Double, requests: Double) { rates.withLock { $0 } }

    func note(_ polls: Double, _ requests: Double) { rates.withLock { $0 = (polls, requests) } }

    init(home: URL) throws {
        self.home = home
        try FileManager.default.createDirectory(
            at: home.appending(path: "inbox"), withIntermediateDirectories: true)
    }

    private var database: URL { home.appending(path: "broker/broker.sqlite") }

    func run(_ body: @escaping @Sendable (SpeedStage) async throws -> Void) async throws {
        var configuration = BrokerConfiguration(
            agentToken: Secret(token), phoneToken: Secret("phone-token-phone-token-phone-token"),
            sharedSecret: try Signer.SharedSecret(Secret("a shared secret of more than thirty-two bytes")),
            inbox: home.appending(path: "inbox", directoryHint: .isDirectory), database: database, port: 0)
        configuration.limits.rates.perSecond = 1e9
        configuration.limits.rates.perTokenAndSecond = 1e9
        // A day, so that nothing ends while it is measured.
        configuration.approvalTTL = .seconds(86_400)
        let quiet = Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }
        let (ready, report) = AsyncStream<(Server, Int)>.makeStream()
        let service = try BrokerService(configuration, logger: quiet) { report.yield((.broker, $0)) }
        let router = Router()
        router.get("empty") { _, _ in HTTPResponse.Status.ok }
        let empty = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { report.yield((.emptyRoute, $0.localAddress?.port ?? 0)) }, logger: quiet)
        let group = ServiceGroup(configuration: .init(services: [service, empty], logger: quiet))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await (server, port) in ready {
                ports.withLock { $0[server] = port }
                guard ports.withLock({ $0.count }) == 2 else { continue }
                try await body(self)
                await group.triggerGracefulShutdown()
                break
            }
            try await tasks.waitForAll()
        }
    }

    func aRequest() async throws -> String {
        let http = CurlSession()
        let answer = try await send(http, "POST", "/request", .broker)
        await http.close()
        return try JSONReader.read(answer.body)["request_id"]?.stringValue ?? ""
    }

    /// Exchanges a second on four connections.
    func rate(_ method: String, _ path: String, for seconds: Double, on server: Server) async throws -> Double {
        let end = ContinuousClock.now + .seconds(seconds)
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask { [self] in
                    let http = CurlSession()
                    var count = 0
                    while ContinuousClock.now < end {
                        let status = try await send(http, method, path, server).status
                        guard status < 300 else { fatalError("\(method) \(path) was answered \(status)") }
                        count += 1
                    }
                    await http.close()
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        return Double(count) / seconds
    }

    private func send(
        _ http: CurlSession, _ method: String, _ path: String, _ server: Server
    ) async throws -> CurlClient.HTTPResponse {
        let port = ports.withLock { $0[server] ?? 0 }
        return try await http.send(
            CurlClient.HTTPRequest(
                method, "http://127.0.0.1:\(port)\(path)",
                headers: [HTTPHeader("Authorization", "Bearer \(token)")],
                body: method == "POST" ? Array(#"{"type":"statement","month":1,"year":2026}"#.utf8) : nil))
    }

    /// Puts ended requests into the database, as years of use would.
    func fill(with count: Int) async throws {
        guard count > 0 else { return }
        let period = MonthYear(month: 1, year: 2024)!
        let secret = try Signer.SharedSecret(Secret("a shared secret of more than thirty-two bytes"))
        let start = Date(timeIntervalSince1970: 1_700_000_000)
        let envelope = RequestEnvelope(
            bankID: "default", period: period, issuedAt: Timestamp(start), approvalExpiresAt: Timestamp(start + 300)
        ).signed(with: secret).json.compactText()
        let queue = try DatabaseQueue(path: database.path)
        for batch in 0..<(count / 10_000) {
            try await queue.write { db in
                for number in 0..<10_000 {
                    let time = Timestamp(start + Double(batch * 10_000 + number) * 60).description
                    try db.execute(
                        sql: """
                            INSERT INTO pending_requests (id, request_type, parameters_json, nonce,
                                signed_envelope_json, status, created_at, updated_at, approval_expires_at)
                            VALUES (?, 'statement', '{"month":1,"year":2024}', ?, ?, 'DENIED', ?, ?, ?)
                            """,
                        arguments: [Signer.RequestID().description, Nonce().description, envelope, time, time, time])
                }
            }
        }
        try queue.close()
    }
}

/// Two inserts in one durable transaction, as bare as GRDB has them.
struct BareInserts {
    private let queue: DatabaseQueue

    init(home: URL) throws {
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        var configuration = Configuration()
        configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
        queue = try DatabaseQueue(path: home.appending(path: "bare.sqlite").path, configuration: configuration)
        try queue.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA journal_mode = WAL") }
        try queue.write { db in
            try db.execute(
                sql: "CREATE TABLE one (id TEXT PRIMARY KEY, text TEXT); CREATE TABLE two (id TEXT, text TEXT)")
        }
    }

    /// Pairs of inserts a second.
    func rate(for seconds: Double) async throws -> Double {
        let end = ContinuousClock.now + .seconds(seconds)
        let text = String(repeating: "x", count: 400)
        var count = 0
        while ContinuousClock.now < end {
            let id = UUID().uuidString
            try await queue.write { db in
                try db.execute(sql: "INSERT INTO one VALUES (?, ?)", arguments: [id, text])
                try db.execute(sql: "INSERT INTO two VALUES (?, ?)", arguments: [id, text])
            }
            count += 1
        }
        return Double(count) / seconds
    }
}
