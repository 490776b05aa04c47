import Broker
import Clocks
import Foundation
import GRDB
import Hummingbird
import Logging
import Messages
import Secrets
import ServiceLifecycle
import Signer
import Synchronization

/// A broker, and a server with one empty route. They run in their own process, so that its memory is theirs alone and the
/// load shares none of its threads.
struct ServedBroker {
    static let token = "agent-token-agent-token-agent-token"

    private let home: URL
    private let sharedSecret: Signer.SharedSecret

    init(home: URL) throws {
        self.home = home
        sharedSecret = try Signer.SharedSecret(Secret("a shared secret of more than thirty-two bytes"))
        try FileManager.default.createDirectory(
            at: home.appending(path: "inbox"), withIntermediateDirectories: true)
    }

    private var database: URL { home.appending(path: "broker/broker.sqlite") }

    /// Stores a number of requests, prints the ports of the broker and of the empty route, and serves until its input ends.
    func run(with count: Int) async throws {
        var configuration = BrokerConfiguration(
            agentToken: Secret(Self.token), phoneToken: Secret("phone-token-phone-token-phone-token"),
            sharedSecret: sharedSecret, inbox: home.appending(path: "inbox", directoryHint: .isDirectory),
            database: database, port: 0)
        configuration.limits.rates.perSecond = 1e9
        configuration.limits.rates.perTokenAndSecond = 1e9
        // A day, so that no request expires during the measurement.
        configuration.approvalTTL = .seconds(86_400)
        let quiet = Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }
        let (ready, report) = AsyncStream<(isBroker: Bool, port: Int)>.makeStream()
        let service = try BrokerService(configuration, logger: quiet) { report.yield((true, $0)) }
        let router = Router()
        router.get("empty") { _, _ in HTTPResponse.Status.ok }
        let empty = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { report.yield((false, $0.localAddress?.port ?? 0)) }, logger: quiet)
        let group = ServiceGroup(configuration: .init(services: [service, empty], logger: quiet))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            var ports: [Bool: Int] = [:]
            for await (isBroker, port) in ready {
                ports[isBroker] = port
                if ports.count == 2 { break }
            }
            try await fill(with: count)
            FileHandle.standardOutput.write(Data("\(ports[true] ?? 0) \(ports[false] ?? 0)\n".utf8))
            await Self.inputEnds()
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    private static func inputEnds() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                while readLine() != nil {}
                continuation.resume()
            }
        }
    }

    /// Inserts ended requests, as years of use would.
    private func fill(with count: Int) async throws {
        guard count > 0 else { return }
        let period = MonthYear(month: 1, year: 2024)!
        let start = Date(timeIntervalSince1970: 1_700_000_000)
        let envelope = RequestEnvelope(
            bankID: "default", period: period, issuedAt: Timestamp(start), approvalExpiresAt: Timestamp(start + 300)
        ).signed(with: sharedSecret).json.compactText()
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
                        arguments: [Messages.RequestID().description, Nonce().description, envelope, time, time, time])
                }
            }
        }
        try queue.close()
    }
}
