import Broker
import Clocks
import CurlClient
import Encodings
import Foundation
import Inbox
import Machine
import Messages
import Secrets
import Signer
import Synchronization
import TestParties
import TestSupport
import Testing

/// A real broker on loopback whose agents, phones and synced folder are in an attacker's hands, as a test needs.
final class AttackedBroker: Sendable {
    static let agentToken = "agent-token-agent-token-agent-token"
    static let phoneToken = "phone-token-phone-token-phone-token"
    static let secretText = "a shared secret of more than thirty-two bytes"

    private let folder: TemporaryFolder
    private let offset = Mutex<TimeInterval>(0)
    private let address = Mutex("")
    private let http: CurlSession
    let log = LogRecords()

    init() throws {
        folder = try TemporaryFolder()
        try PrivateFolder.make(folder.appending("inbox"))
        var configuration = CurlConfiguration()
        configuration.keepsCookies = false
        http = CurlSession(configuration)
    }

    var root: URL { folder.url }
    var inbox: URL { root.appending(path: "inbox", directoryHint: .isDirectory) }
    var database: URL { root.appending(path: "broker/broker.sqlite") }
    var url: String { address.withLock { $0 } }
    var secret: SharedSecret { get throws { try SharedSecret(Secret(Self.secretText)) } }

    var configuration: BrokerConfiguration {
        get throws {
            var configuration = BrokerConfiguration(
                agentToken: Secret(Self.agentToken), phoneToken: Secret(Self.phoneToken), sharedSecret: try secret,
                inbox: inbox, database: database, port: 0)
            configuration.timing.stability = .milliseconds(20)
            configuration.timing.reconciliation = .milliseconds(100)
            return configuration
        }
    }

    /// The variables with which the broker's owner runs commands.
    var environment: [String: String] {
        ["BROKER_DATABASE_PATH": database.path, "BROKER_PHONE_SHARED_SECRET": Self.secretText]
    }

    var clock: BrokerClock {
        BrokerClock(
            wall: { self.now },
            elapsed: { BrokerClock.sinceBoot() + .seconds(self.offset.withLock { $0 }) }, boot: "one boot")
    }

    var now: Date { Date().addingTimeInterval(offset.withLock { $0 }) }

    func advance(by seconds: TimeInterval) { offset.withLock { $0 += seconds } }

    func run(
        _ configuration: BrokerConfiguration? = nil, _ body: @escaping @Sendable (AttackedBroker) async throws -> Void
    ) async throws {
        try await LoopbackBroker.serve(configuration ?? self.configuration, logger: log.logger, clock: clock) {
            [self] port in
            address.withLock { $0 = "http://127.0.0.1:\(port)" }
            try await body(self)
        }
    }

    /// Sends a request and returns the answer, which has to be JSON.
    func send(
        _ method: String, _ path: String, token: String? = AttackedBroker.agentToken, _ body: JSONValue? = nil
    ) async throws -> (status: Int, json: JSONValue, head: HTTPResponseHead) {
        var headers = [HTTPHeader("Content-Type", "application/json")]
        if let token { headers.append(HTTPHeader("Authorization", "Bearer \(token)")) }
        let answer = try await http.send(
            HTTPRequest(method, url + path, headers: headers, body: try body?.canonicalBytes()))
        return (answer.status, try JSONReader.read(answer.body), answer.head)
    }

    func ask(
        month: Int = 1, year: Int = 2026, key: String? = nil, token: String = AttackedBroker.agentToken
    ) async throws -> (status: Int, json: JSONValue) {
        var body: [String: JSONValue] = [
            "type": "statement", "month": .number(Double(month)), "year": .number(Double(year)),
        ]
        body["agent_request_id"] = key.map { .string($0) }
        let answer = try await send("POST", "/request", token: token, .object(body))
        return (answer.status, answer.json)
    }

    /// Asks, and approves as the phone of `PHONE_API_TOKEN` does.
    func approved(month: Int = 1, year: Int = 2026) async throws -> RequestID {
        let asked = try await ask(month: month, year: year).json
        let id = try #require(asked["request_id"]?.stringValue.flatMap { RequestID($0) })
        let decision: JSONValue = ["decision": "APPROVE", "decided_at": .string(Timestamp(now).description)]
        let answer = try await send("POST", "/phone/requests/\(id)/decision", token: Self.phoneToken, decision)
        #expect(answer.status == 200)
        return id
    }

    /// Delivers these bytes under a manifest that is correct in every other way.
    func deliver(_ bytes: [UInt8], for id: RequestID) throws {
        let file = root.appending(path: "\(UUID().uuidString).pdf")
        try AtomicFile.write(bytes, to: file)
        _ = try InboxPublisher(folder: inbox, secret: secret).publish(
            pdf: file, for: id, period: MonthYear(month: 1, year: 2026)!, completedAt: Timestamp(now))
    }

    /// Returns the request once it has ended, or as it is after `seconds`.
    func outcome(of id: RequestID, within seconds: Int = 10) async throws -> JSONValue {
        let end = ContinuousClock.now + .seconds(seconds)
        while true {
            let answer = try await send("GET", "/request/\(id)")
            if answer.status == 200 || ContinuousClock.now > end { return answer.json }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// The broker as its owner administers it.
    func administration() throws -> BrokerAdministration {
        try BrokerAdministration(environment: environment, clock: clock)
    }
}
