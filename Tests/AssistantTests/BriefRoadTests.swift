import AssistantBriefs
import AssistantMail
import AssistantNotices
import AssistantProcesses
import AssistantState
import AssistantStore
import AssistantWork
import Clocks
import Connectors
import CurlClient
import Foundation
import JSON
import Logging
import Messages
import Notifications
import Synchronization
import Testing

@testable import Agent
@testable import Assistant

/// The jobs of mail, briefs and statements beside the API, the enclave and the key service, with a mock of Google.
@Suite("From the mailbox to the brief", .timeLimit(.minutes(3))) struct BriefRoadTests {
    /// The preferences of a user in Vienna, whose brief comes in ten minutes. Vienna is an hour ahead at that time.
    private static func preferences(_ stage: AssistantStage, confirm: Bool = true) -> JSONValue {
        let minutes = Int(stage.now.addingTimeInterval(3600 + 600).timeIntervalSince1970) / 60 % 1440
        func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        return [
            "meeting_reminder_minutes": 15, "quiet_hours_start": "22:00", "quiet_hours_end": "22:00",
            "morning_brief_local_time": .string("\(two(minutes / 60)):\(two(minutes % 60))"),
            "high_risk_requires_confirm": .bool(confirm), "time_zone": "Europe/Vienna",
        ]
    }

    @Test("an urgent message becomes one alert without its words, and the user judges it")
    func alert() async throws {
        try await BriefRoad.run { road in
            let stage = road.connected.stage
            let token = try await road.connectedUser()
            let account = road.connected.google.account
            try await road.work(minutes: 1)
            await account.deliver(
                "m1", from: "Ann <ann@x.example>", "URGENT: sign the canary contract", body: "a body", at: stage.now)
            await account.deliver("m2", from: "bo@y.example", "Lunch?", at: stage.now)
            try await road.work(minutes: 5)

            let notices = road.notices.list.filter { $0.kind == .urgentMail }
            #expect(notices.count == 1)
            let notice = try #require(notices.first)
            #expect(!notice.text.contains("canary") && !notice.title.contains("Ann"))
            #expect(notice.details?.text == "URGENT: sign the canary contract" && notice.sender == "ann@x.example")
            #expect(notice.link == "alfred://alerts/\(notice.id)")
            let shown = try await stage.send("GET", "/v1/alerts/\(notice.id)", token: token)
            #expect(shown.json["from"] == "Ann <ann@x.example>" && shown.json["rules"] == ["deadlines"])
            let feedback = "/v1/alerts/\(notice.id)/feedback"
            #expect(try await stage.send("POST", feedback, token: token, ["urgent": false]).json == ["ok": true])
            #expect(road.alerts.value == 1)
            let fetches = try await road.connected.events("CONNECTOR_FETCH", token)
            #expect(fetches.contains { $0["metadata"]?["source"] == "gmail" && $0["result"] == "SUCCESS" })
            let calls = await account.calls.filter { $0.contains("/messages/") }
            #expect(calls.allSatisfy { $0.contains("format=metadata") })
            // Nothing of the mail is readable in the database.
            let content = try await PrivacyWorkerTests.content(.sqlite, stage)
            for word in ["canary contract", "ann@x.example", "a body"] {
                #expect(content.range(of: Data(word.utf8)) == nil)
            }
        }
    }

    @Test("a user who wants no alerts has no mail read, and many alerts come as one notice")
    func wishes() async throws {
        try await BriefRoad.run { road in
            let stage = road.connected.stage
            let token = try await road.connectedUser()
            let user = try #require(UUID(uuidString: try SignInTests.claim("sub", of: token)))
            let account = road.connected.google.account
            try await road.work(minutes: 1)
            func turn(off rules: [UrgentMailRule]) async throws {
                _ = try await road.database.notificationPreferences.change(
                    of: user, recording: NewAuditEvent("PREFERENCES_CHANGED"), at: stage.now
                ) { $0.rulesTurnedOff = rules.map(\.rawValue) }
            }
            try await turn(off: UrgentMailRule.allCases)
            let before = await account.calls.filter { $0.contains("/gmail/") }.count
            for number in 0..<8 {
                await account.deliver("m\(number)", from: "ann@x.example", "URGENT \(number)", at: stage.now)
            }
            try await road.work(minutes: 5)
            #expect(await account.calls.filter { $0.contains("/gmail/") }.count == before)
            try await turn(off: [.deadlines])
            try await road.work(minutes: 5)
            #expect(road.notices.list.isEmpty, "the one rule that fits is off")

            try await turn(off: [])
            for number in 0..<8 {
                await account.deliver("n\(number)", from: "ann@x.example", "URGENT \(number)", at: stage.now)
            }
            try await road.work(minutes: 5)
            #expect(road.notices.list.map(\.text) == ["You have 8 messages that look urgent."])
        }
    }

    @Test("alerts of marked senders come one by one, beside the one notice of many others")
    func marked() async throws {
        try await BriefRoad.run { road in
            let stage = road.connected.stage
            let token = try await road.connectedUser()
            let user = try #require(UUID(uuidString: try SignInTests.claim("sub", of: token)))
            let keys = try StateKeys(in: stage.configuration.state)
            _ = try await road.database.notificationPreferences.change(
                of: user, recording: NewAuditEvent("PREFERENCES_CHANGED"), at: stage.now
            ) { stored in
                var wanted = try NotificationPreferences(stored, of: user, keys)
                wanted.markedSenders = ["@vip.example"]
                try wanted.write(to: &stored, of: user, keys)
            }
            try await road.work(minutes: 1)
            let account = road.connected.google.account
            for number in 0..<6 {
                await account.deliver("o\(number)", from: "a@x.example", "URGENT \(number)", at: stage.now)
            }
            await account.deliver("v", from: "Vi <vi@vip.example>", "Hello", at: stage.now)
            try await road.work(minutes: 5)
            #expect(road.notices.list.map(\.sender) == ["vi@vip.example", nil])
            #expect(road.notices.list.last?.text == "You have 6 messages that look urgent.")
        }
    }

    @Test("a brief comes at the user's time, from what is true then, and is read once")
    func brief() async throws {
        try await BriefRoad.run { road in
            let stage = road.connected.stage
            let token = try await road.connectedUser()
            let account = road.connected.google.account
            try await road.work(minutes: 1)
            let wanted = Self.preferences(stage)
            #expect(try await stage.send("PUT", "/v1/preferences", token: token, wanted).status == 200)
            let due = stage.now + 600
            let start = stage.now + 3600
            await account.put(event: "moved", "Dentist", from: start, to: start + 1800)
            await account.put(event: "gone", "Cancelled later", from: start, to: start + 1800)
            await account.put(event: "day", "A whole day", from: start, to: start + 86_400, isAllDay: true)
            await account.put(event: "no", "Declined", from: start, to: start + 60, response: "declined")
            await account.put(
                event: "copy", "Dentist", from: start, to: start + 1800, in: "team@mail.example",
                uid: "moved@mail.example")
            await account.deliver("m1", from: "Ann <ann@x.example>", "Reply by tomorrow", at: stage.now)
            try await road.work(minutes: 5)
            // What changes before the brief's time is in it.
            await account.cancel(event: "gone")
            #expect(!road.notices.list.contains { $0.kind == .morningBrief })
            try await road.work(minutes: 15)

            let notices = road.notices.list.filter { $0.kind == .morningBrief }
            #expect(notices.count == 1)
            let notice = try #require(notices.first)
            #expect(notice.link == "alfred://briefs/\(notice.id)" && notice.details == nil)
            #expect(road.notices.times[.morningBrief].map { $0 >= due && $0 < due + 120 } == true)
            let brief = try await stage.send("GET", "/v1/briefs/\(notice.id)", token: token)
            #expect(brief.status == 200)
            #expect(
                Set(brief.json.objectValue?.keys.map { $0 } ?? []) == ["meetings", "free", "urgent_mail", "statements"])
            #expect(
                brief.json["meetings"] == [
                    [
                        "title": "Dentist", "start": .string(Timestamp(start).description),
                        "end": .string(Timestamp(start + 1800).description),
                    ]
                ])
            #expect(brief.json["urgent_mail"]?.arrayValue?.map { $0["subject"] } == ["Reply by tomorrow"])
            #expect(brief.json["free"]?.arrayValue?.isEmpty == false)
            #expect(try await stage.send("GET", "/v1/briefs/\(notice.id)", token: token).status == 404)
        }
    }

    @Test("after a change of zone or time the old time brings no brief; a day of Google's absence neither")
    func moved() async throws {
        try await BriefRoad.run { road in
            let stage = road.connected.stage
            let token = try await road.connectedUser()
            try await road.work(minutes: 1)
            var wanted = Self.preferences(stage).objectValue ?? [:]
            _ = try await stage.send("PUT", "/v1/preferences", token: token, .object(wanted))
            try await road.work(minutes: 2)
            wanted["time_zone"] = "Asia/Tokyo"
            _ = try await stage.send("PUT", "/v1/preferences", token: token, .object(wanted))
            try await road.work(minutes: 30)
            #expect(road.notices.list.isEmpty)

            wanted["time_zone"] = "Europe/Vienna"
            let next = Self.preferences(stage).objectValue ?? [:]
            wanted["morning_brief_local_time"] = next["morning_brief_local_time"]
            _ = try await stage.send("PUT", "/v1/preferences", token: token, .object(wanted))
            for _ in 0..<300 { await road.connected.google.account.fail(.status(503)) }
            try await road.work(minutes: 90)
            #expect(road.notices.list.isEmpty, "a brief that knows nothing is not made")
            #expect(try await road.database.jobs.counts()["MORNING_BRIEF"] == ["PENDING": 1])
        }
    }

    @Test("a brief that Google holds up does not come any more once the user wants another time")
    func overdue() async throws {
        try await BriefRoad.run { road in
            let stage = road.connected.stage
            let token = try await road.connectedUser()
            try await road.work(minutes: 1)
            _ = try await stage.send("PUT", "/v1/preferences", token: token, Self.preferences(stage))
            try await road.work(minutes: 9)
            // Away for less than the half hour after which a brief is left out.
            for _ in 0..<9 { await road.connected.google.account.fail(.status(503)) }
            try await road.work(minutes: 3)
            #expect(road.notices.list.isEmpty)
            var wanted = Self.preferences(stage).objectValue ?? [:]
            wanted["time_zone"] = "Asia/Tokyo"
            _ = try await stage.send("PUT", "/v1/preferences", token: token, .object(wanted))
            try await road.work(minutes: 25)
            #expect(road.notices.list.isEmpty)
        }
    }

    @Test("a statement is asked for after the user's word alone, once, and its arrival is told and in the brief")
    func statement() async throws {
        try await BriefRoad.run { road in
            let stage = road.connected.stage
            let token = try await road.connectedUser()
            let account = road.connected.google.account
            try await road.work(minutes: 1)
            for number in 1...2 {
                await account.deliver(
                    "s\(number)", from: "Meridian Savings <no-reply@m.example>",
                    "Your December 2026 statement is ready", at: stage.now)
            }
            await account.deliver("s3", from: "Power Company <p@p.example>", "Your statement is ready", at: stage.now)
            try await road.work(minutes: 5)
            #expect(road.notices.list.map(\.kind) == [.confirmation])
            #expect(road.broker.asked.isEmpty, "nothing is asked for without the user's word")
            let items = try await stage.send("GET", "/v1/confirmations", token: token).json["items"]?.arrayValue ?? []
            #expect(items.map { $0["title"] } == ["Ask for the statement of 2026-12 from Meridian Savings"])
            let id = try #require(items.first?["id"]?.stringValue)
            #expect(road.notices.list.first?.id == id)
            let path = "/v1/confirmations/\(id)"
            #expect(try await stage.send("POST", path, token: token, ["approve": true]).status == 200)
            try await road.work(minutes: 5)
            #expect(road.broker.asked == ["2026-12 meridian assistant-\(id)"])
            #expect(try await road.connected.events("STATEMENT_REQUESTED", token).count == 1)

            road.broker.finish(.completed)
            try await road.work(minutes: 5)
            #expect(road.notices.list.map(\.kind) == [.confirmation, .statement])
            #expect(road.notices.list.last?.title == "A statement has arrived")
            #expect(try await stage.send("GET", "/v1/confirmations", token: token).json == ["items": []])
            _ = try await stage.send("PUT", "/v1/preferences", token: token, Self.preferences(stage))
            try await road.work(minutes: 15)
            let brief = try #require(road.notices.list.last { $0.kind == .morningBrief })
            let statements = try await stage.send("GET", "/v1/briefs/\(brief.id)", token: token).json["statements"]
            #expect(statements?.arrayValue?.map { $0["status"] } == ["ARRIVED"])
            #expect(statements?.arrayValue?.first?["bank"] == "Meridian Savings")
            #expect(road.broker.asked.count == 1)
        }
    }

    @Test("a denied statement is not asked for, a mail's offer waits in any case, and a refusal is told once")
    func denied() async throws {
        try await BriefRoad.run { road in
            let stage = road.connected.stage
            let token = try await road.connectedUser()
            let account = road.connected.google.account
            try await road.work(minutes: 1)
            await account.deliver(
                "s1", from: "Meridian Savings", "Your November 2026 statement is ready", at: stage.now)
            try await road.work(minutes: 5)
            let id = try #require(road.notices.list.first?.id)
            _ = try await stage.send("POST", "/v1/confirmations/\(id)", token: token, ["approve": false])
            try await road.work(minutes: 5)
            #expect(road.broker.asked.isEmpty)

            _ = try await stage.send("PUT", "/v1/preferences", token: token, Self.preferences(stage, confirm: false))
            await account.deliver(
                "s2", from: "Meridian Savings", "Your October 2026 statement is ready", at: stage.now)
            try await road.work(minutes: 6)
            #expect(road.broker.asked.isEmpty, "anyone can write a mail")
            let items = try await stage.send("GET", "/v1/confirmations", token: token).json["items"]?.arrayValue ?? []
            let second = try #require(items.first?["id"]?.stringValue)
            road.broker.fail(2)
            _ = try await stage.send("POST", "/v1/confirmations/\(second)", token: token, ["approve": true])
            try await road.work(minutes: 6)
            #expect(road.broker.asked.map { $0.prefix(18) } == ["2026-10 meridian a"])
            road.broker.finish(.denied)
            try await road.work(minutes: 4)
            let told = road.notices.list.filter { $0.kind == .statement }
            #expect(told.map(\.title) == ["A statement did not arrive"])
        }
    }
}

/// A worker of these jobs that a test steps.
struct BriefRoad: Sendable {
    let connected: ConnectedStage
    let database: AssistantDatabase
    let notices = TimedNotices()
    let broker = SteppedBroker()
    let alerts = AlertCount()
    private let worker: AssistantWorker

    static func run(_ body: @escaping @Sendable (BriefRoad) async throws -> Void) async throws {
        try await ConnectedStage.run { connected in
            let database = try await connected.stage.openDatabase()
            try await body(try BriefRoad(connected, database))
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
                MorningBriefHandler(database: database, keys: keys, google: google, notices: notices),
                StatementDueHandler(
                    database: database, keys: keys, broker: broker, offers: offers, notices: notices, schedule: nil),
            ], clock: BrokerClock(wall: { stage.now }, elapsed: { .zero }, boot: "test"), leasesByClock: true,
            logger: quiet)
    }

    /// Signs a user in and connects Google, and returns the access token.
    func connectedUser() async throws -> String {
        let token = try await connected.stage.accessToken()
        try await connected.connect(token)
        return token
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
    }

    private let state = Mutex(State())

    /// The statements that were asked for: month, bank and key.
    var asked: [String] { state.withLock { $0.asked } }
    func finish(_ status: RequestStatus) { state.withLock { $0.status = status } }
    /// Lets the next calls fail.
    func fail(_ count: Int) { state.withLock { $0.failures = count } }

    func banks() async throws(AgentError) -> [OfferedBank] {
        [OfferedBank(bankID: "meridian", name: "Meridian Savings")].compactMap { $0 }
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
