import Broker
import Clocks
import CurlClient
import Encodings
import Foundation
import GRDB
import Inbox
import Machine
import Messages
import Notifications
import Secrets
import Signer
import Synchronization
import TestServers
import TestSupport
import Testing

/// A broker on a free port, with an agent and a phone that call it.
package final class BrokerStage: Sendable {
    package static let agentToken = "agent-token-agent-token-agent-token"
    package static let phoneToken = "phone-token-phone-token-phone-token"

    private let folder: TemporaryFolder
    package let secret: Signer.SharedSecret
    package let clock = TestClock()
    private let http: CurlSession
    private let address = Mutex("")
    private let records = LogRecords()
    private let asked = Atomic(0)

    package var logged: [String] { records.all }

    package var root: URL { folder.url }
    package var inbox: URL { root.appending(path: "inbox", directoryHint: .isDirectory) }
    package var database: URL { root.appending(path: "broker/broker.sqlite") }

    package init() throws {
        folder = try TemporaryFolder()
        try PrivateFolder.make(folder.appending("inbox"))
        secret = try SharedSecret(Secret("a shared secret of more than thirty-two bytes"))
        var configuration = CurlConfiguration()
        configuration.keepsCookies = false
        http = CurlSession(configuration)
    }

    package var configuration: BrokerConfiguration {
        var configuration = BrokerConfiguration(
            agentToken: Secret(Self.agentToken), phoneToken: Secret(Self.phoneToken), sharedSecret: secret,
            inbox: inbox, database: database, port: 0)
        configuration.timing.stability = .milliseconds(20)
        configuration.timing.reconciliation = .milliseconds(100)
        configuration.limits.undecidedPerAgent = 1000
        return configuration
    }

    /// Runs a broker while `body` talks to it, and shuts it down as SIGTERM would.
    package func run(
        _ configuration: BrokerConfiguration? = nil, filer: (any DocumentFiler)? = nil,
        library: (any DocumentLibrary)? = nil, channels: [NamedChannel] = [], inboxes: [NamedInbox] = [],
        _ body: @escaping @Sendable (BrokerStage) async throws -> Void
    ) async throws {
        try await LoopbackBroker.serve(
            configuration ?? self.configuration, logger: records.logger, clock: clock.brokerClock, filer: filer,
            library: library, channels: channels, inboxes: inboxes
        ) { [self] port in
            address.withLock { $0 = "http://127.0.0.1:\(port)" }
            try await body(self)
        }
    }

    // MARK: Calls

    package enum Party: Equatable {
        case agent, phone, nobody, stranger
        case token(String)
    }

    private static func authorization(of party: Party) -> [HTTPHeader] {
        let token =
            switch party {
            case .agent: agentToken
            case .phone: phoneToken
            case .stranger: "something-else-entirely"
            case .token(let token): token
            case .nobody: ""
            }
        return token.isEmpty ? [] : [HTTPHeader("Authorization", "Bearer \(token)")]
    }

    package func send(
        _ method: String, _ path: String, as party: Party = .agent, body: [UInt8]? = nil
    ) async throws -> (status: Int, json: JSONValue, head: HTTPResponseHead) {
        let response = try await exchange(method, path, as: party, body: body)
        return (response.status, try JSONReader.read(response.body), response.head)
    }

    /// Sends a request and returns the answer, which need not be JSON.
    package func exchange(
        _ method: String, _ path: String, as party: Party = .agent, body: [UInt8]? = nil
    ) async throws -> HTTPResponse {
        let headers = [HTTPHeader("Content-Type", "application/json")] + Self.authorization(of: party)
        let url = address.withLock { $0 } + path
        return try await http.send(HTTPRequest(method, url, headers: headers, body: body))
    }

    package func send(
        _ method: String, _ path: String, as party: Party = .agent, _ json: JSONValue
    ) async throws -> (status: Int, json: JSONValue, head: HTTPResponseHead) {
        try await send(method, path, as: party, body: try json.canonicalBytes())
    }

    /// Asks for a statement.
    ///
    /// - Parameter month: nil for one that was not asked for yet, so that no request is folded into another.
    package func request(month: Int? = nil, year: Int = 2026, key: String? = nil) async throws -> RequestID {
        let number = asked.add(1, ordering: .relaxed).oldValue
        // January to June, then the months of the years before: the broker refuses months in the future. After 425 of
        // these, in 1990, they begin again.
        let earlier = (number - 6) % 425
        let period =
            month.map { ($0, year) }
            ?? (number < 6 ? (number + 1, year) : (12 - earlier % 12, year - 1 - earlier / 12))
        var body: [String: JSONValue] = [
            "type": "statement", "month": .number(Double(period.0)), "year": .number(Double(period.1)),
        ]
        if let key { body["agent_request_id"] = .string(key) }
        let answer = try await send("POST", "/request", .object(body))
        #expect(answer.status == 202)
        return try #require(answer.json["request_id"]?.stringValue.flatMap { RequestID($0) })
    }

    package func decide(_ id: RequestID, _ decision: String) async throws -> (status: Int, json: JSONValue) {
        let answer = try await send(
            "POST", "/phone/requests/\(id)/decision", as: .phone,
            ["decision": .string(decision), "decided_at": .string(Timestamp(clock.now).description)])
        return (answer.status, answer.json)
    }

    /// Delivers a statement as the phone does.
    package func publish(_ id: RequestID, secret: Signer.SharedSecret? = nil, nonce: Nonce = Nonce()) throws {
        let pdf = root.appending(path: "\(UUID().uuidString).pdf")
        try AtomicFile.write(Array("%PDF-1.4 \(id) startxref 0 %%EOF".utf8), to: pdf)
        _ = try InboxPublisher(folder: inbox, secret: secret ?? self.secret).publish(
            pdf: pdf, for: id, period: MonthYear(month: 1, year: 2026)!, completedAt: Timestamp(clock.now), nonce: nonce
        )
    }

    /// Reads a request's column as text, on a connection of its own.
    package func column(_ name: String, of id: RequestID) throws -> String? {
        try DatabaseQueue(path: database.path).read { db in
            try String.fetchOne(
                db, sql: "SELECT \(name) FROM pending_requests WHERE id = ?", arguments: [id.description])
        }
    }

    package func status(_ id: RequestID) async throws -> String {
        try await send("GET", "/request/\(id)").json["status"]?.stringValue ?? ""
    }
}

/// A wall clock and a monotonic clock that tests move.
package final class TestClock: Sendable {
    private struct Offsets {
        var wall: TimeInterval = 0
        var elapsed: TimeInterval = 0
        var boot = "first boot"
    }

    private let offsets = Mutex(Offsets())

    package init() {}

    package var now: Date { Date().addingTimeInterval(offsets.withLock { $0.wall }) }

    package var brokerClock: BrokerClock {
        BrokerClock(
            wall: { self.now },
            elapsed: { BrokerClock.sinceBoot() + .seconds(self.offsets.withLock { $0.elapsed }) },
            boot: offsets.withLock { $0.boot })
    }

    /// Advances both clocks.
    package func advance(by seconds: TimeInterval) {
        offsets.withLock {
            $0.wall += seconds
            $0.elapsed += seconds
        }
    }

    /// Sets the wall clock forward or back.
    package func setWall(by seconds: TimeInterval) { offsets.withLock { $0.wall += seconds } }

    /// Restarts the machine: the monotonic clock begins again.
    package func reboot() {
        offsets.withLock {
            $0.boot = UUID().uuidString
            $0.elapsed = -BrokerClock.sinceBoot().components.seconds.asSeconds
        }
    }
}

extension Int64 {
    fileprivate var asSeconds: TimeInterval { TimeInterval(self) }
}

extension BrokerStage {
    /// The broker's address, such as `http://127.0.0.1:8765`.
    package var url: String { address.withLock { $0 } }

    package var port: Int? { URL(string: address.withLock { $0 })?.port }

    /// Sends a GET on a new connection, so that other calls can run meanwhile.
    package func waiting(_ path: String, as party: Party = .agent) async throws -> JSONValue {
        let session = CurlSession()
        let response = try await session.send(
            HTTPRequest(
                "GET", address.withLock { $0 } + path,
                headers: Self.authorization(of: party)))
        await session.close()
        return try JSONReader.read(response.body)
    }
}

extension BrokerStage {
    /// Sends text unchanged and returns the answer until the connection closes.
    package func raw(_ text: String) async throws -> String {
        let connection = try RawConnection(port: try #require(port))
        connection.write(text.replacing("\r\n\r\n", with: "\r\nConnection: close\r\n\r\n"))
        return await connection.read(within: 10)
    }
}

/// A request's id that outlives a broker.
package final class RequestBox: @unchecked Sendable {
    package var value: RequestID?

    package init() {}
}

extension BrokerStage {
    package static func wait(for id: RequestID, on stage: BrokerStage) async throws -> String {
        let other = try await stage.waiting("/request/\(id)?wait=30")
        return other["status"]?.stringValue ?? ""
    }

    /// Waits until a request has ended. Before that each of its documents is a change of its own.
    package static func waitForEnd(of id: RequestID, on stage: BrokerStage) async throws -> RequestStatus? {
        while true {
            let status = RequestStatus(rawValue: try await wait(for: id, on: stage))
            if status?.isTerminal != false { return status }
        }
    }
}
