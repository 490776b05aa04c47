import AssistantJobs
import AssistantProcesses
import AssistantStore
import Clocks
import CurlClient
import Encodings
import Foundation
import Logging
import Messages
import Notifications
import Synchronization
import Testing

@testable import Assistant
@testable import BrokerClient

/// A worker of these jobs that a test steps.
struct BriefRoad: Sendable {
    let connected: ConnectedStage
    let database: AssistantDatabase
    let notices = TimedNotices()
    let broker = SteppedBroker()
    let alerts = AlertCount()
    private let worker: AssistantWorker

    /// Runs `body` with a user who has connected Google, and the user's access token. The first looks are over.
    static func run(
        _ body: @escaping @Sendable (BriefRoad, AssistantStage, String) async throws -> Void
    ) async throws {
        try await ConnectedStage.run { connected in
            let database = try await connected.stage.openDatabase()
            let road = try BriefRoad(connected, database)
            let token = try await connected.stage.accessToken()
            try await connected.connect(token)
            try await road.work(minutes: 1)
            try await body(road, connected.stage, token)
            await database.close()
        }
    }

    private init(_ connected: ConnectedStage, _ database: AssistantDatabase) throws {
        self.connected = connected
        self.database = database
        let stage = connected.stage
        let keys = try StateKeys(in: stage.configuration.state)
        var endpoints = GoogleEndpoints()
        endpoints.api = connected.google.url
        let google = GoogleAccess(
            database: database, enclave: connected.enclave, endpoints: endpoints,
            transports: GoogleTransports(limit: 4) {
                var curl = CurlConfiguration()
                curl.keepsCookies = false
                return CurlSession(curl)
            }, notices: notices)
        let quiet = Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }
        let offers = StatementOffers(
            database: database, keys: keys, broker: broker, notices: notices, users: nil, logger: quiet)
        worker = AssistantWorker(
            database: database,
            handlers: [
                UrgentMailHandler(
                    database: database, keys: keys, google: google, notices: notices, interval: 120,
                    statements: offers, onAlert: { [alerts] in alerts.add() }),
                MorningBriefHandler(
                    database: database, keys: keys, sources: GoogleBriefs(google, database, keys), notices: notices,
                    offers: offers),
                StatementDueHandler(
                    database: database, keys: keys, broker: broker, offers: offers, notices: notices, schedule: nil),
            ], clock: BrokerClock(wall: { stage.now }, elapsed: { .zero }, boot: "test"), leasesByClock: true,
            logger: quiet)
    }

    /// The preferences of a user in Vienna, whose brief comes in ten minutes. Vienna is an hour ahead at that time.
    static func preferences(_ stage: AssistantStage, confirm: Bool = true) -> JSONValue {
        let minutes = Int(stage.now.addingTimeInterval(3600 + 600).timeIntervalSince1970) / 60 % 1440
        func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        return [
            "meeting_reminder_minutes": 15, "quiet_hours_start": "22:00", "quiet_hours_end": "22:00",
            "morning_brief_local_time": .string("\(two(minutes / 60)):\(two(minutes % 60))"),
            "high_risk_requires_confirm": .bool(confirm), "time_zone": "Europe/Vienna",
        ]
    }

    /// Lets time pass in steps of a minute, and performs at each what is due.
    func work(minutes: Int) async throws {
        for _ in 0..<minutes {
            _ = try await worker.performDue()
            connected.stage.wait(60)
        }
        _ = try await worker.performDue()
    }
}

final class AlertCount: Sendable {
    private let number = Mutex(0)

    var value: Int { number.withLock { $0 } }
    func add() { number.withLock { $0 += 1 } }
}

/// Devices that remember their notices, and when the last of each kind came.
final class TimedNotices: NoticeDelivering {
    private let notices = Mutex<[(notice: Notice, time: Date)]>([])

    var list: [Notice] { notices.withLock { $0.map(\.notice) } }
    var times: [Notice.Kind: Date] {
        notices.withLock { Dictionary($0.map { ($0.notice.kind, $0.time) }, uniquingKeysWith: { $1 }) }
    }

    func deliver(_ notice: Notice, to userID: UUID, at now: Date) async throws -> NoticeOutcome {
        notices.withLock { $0.append((notice, now)) }
        return .accepted
    }
}

/// A broker with one bank, whose requests end when the test says so.
final class SteppedBroker: StatementBroker {
    private struct State {
        var requests: [String: RequestID] = [:]
        var asked: [String] = []
        var status = RequestStatus.pendingApproval
        var failures = 0
        var consent: BankConsent?
    }

    private let state = Mutex(State())

    /// The statements that were asked for: month, bank and key.
    var asked: [String] { state.withLock { $0.asked } }
    func finish(_ status: RequestStatus) { state.withLock { $0.status = status } }
    /// Lets the bank's interface need a consent.
    func need(_ consent: BankConsent) { state.withLock { $0.consent = consent } }
    /// Lets the next calls fail.
    func fail(_ count: Int) { state.withLock { $0.failures = count } }

    func banks() async throws(AgentError) -> [OfferedBank] {
        let consent = state.withLock { $0.consent }
        return [OfferedBank(bankID: "meridian", name: "Meridian Savings", consent: consent)].compactMap { $0 }
    }

    func ask(_ month: MonthYear, bankID: String?, key: String) async throws(AgentError) -> AgentRequest {
        let id = state.withLock { state -> RequestID? in
            if state.failures > 0 {
                state.failures -= 1
                return nil
            }
            if state.requests[key] == nil {
                state.requests[key] = RequestID()
                state.asked.append("\(month) \(bankID ?? "") \(key)")
            }
            return state.requests[key]
        }
        guard let id else { throw AgentError(code: nil, message: "the broker does not answer") }
        return try AgentRequest(RequestSummary(id: id, status: .pendingApproval).json)
    }

    func request(_ id: RequestID) async throws(AgentError) -> AgentRequest {
        try AgentRequest(RequestSummary(id: id, status: state.withLock { $0.status }).json)
    }
}
