import AssistantJobs
import AssistantProcesses
import AssistantStore
import Clocks
import CurlClient
import Encodings
import Foundation
import Logging
import Notifications
import Synchronization
import Testing

@testable import Assistant

/// A worker beside the API, the enclave and the key service, with a mock of Google behind them.
@Suite("From the calendar to the device", .timeLimit(.minutes(3))) struct WorkerRoadTests {
    @Test(
        "meetings of two calendars become one reminder each, and the audit log tells of the look",
        arguments: AssistantStage.Store.all)
    func road(_ store: AssistantStage.Store) async throws {
        try await WorkerRoad.run(store) { road in
            let stage = road.connected.stage
            _ = try await road.connectedUser()
            let start = stage.now + 3600
            let account = road.connected.google.account
            await account.put(event: "a", "A title", from: start, to: start + 900)
            await account.put(
                event: "copy", "A title", from: start, to: start + 900, in: "team@mail.example", uid: "a@mail.example")
            await account.put(
                event: "day", "A day", from: start, to: start + 86_400, isAllDay: true)
            await account.put(event: "no", "Declined", from: start, to: start + 60, response: "declined")
            await account.put(event: "yes", "Accepted", from: start + 600, to: start + 900, response: "accepted")
            // Two occurrences of one recurring meeting have one UID.
            for number in 1...2 {
                let time = start + Double(number) * 1200
                await account.put(
                    event: "weekly_\(number)", "Weekly", from: time, to: time + 60, uid: "weekly@mail.example",
                    originalStart: time)
            }
            try await road.work(until: start + 2400)

            let sent = road.notices.list
            #expect(sent.map { $0.begins?.timeIntervalSince(start) } == [0, 600, 1200, 2400])
            #expect(sent.allSatisfy { $0.kind == .meetingReminder && $0.details == nil })
            // The first access token has ended meanwhile.
            let fetches = try await road.connected.events("CONNECTOR_FETCH", try await stage.accessToken())
            #expect(fetches.last?["metadata"] == ["source": "calendar"])
            #expect(fetches.last?["result"] == "SUCCESS" && fetches.last?["connector"] == "google")
            let calls = await account.calls
            #expect(calls.filter { $0 == "/token" }.count <= 3, "the code, and an access token for an hour each")
            #expect(calls.contains { $0.contains("syncToken=") })
            #expect(!calls.contains { $0.contains("description") || $0.contains("summary") })
        }
    }

    @Test("moved, cancelled and new meetings count within a look; a forgotten sync token leads to a look at everything")
    func changes() async throws {
        try await WorkerRoad.run { road in
            let stage = road.connected.stage
            _ = try await road.connectedUser()
            let start = stage.now + 7200
            let account = road.connected.google.account
            await account.put(event: "moved", "M", from: start, to: start + 60)
            await account.put(event: "cancelled", "C", from: start + 60, to: start + 120)
            try await road.work(until: stage.now + 120)
            await account.put(event: "moved", "M", from: start + 600, to: start + 660)
            await account.cancel(event: "cancelled")
            try await road.work(until: stage.now + 120)
            await account.forgetSyncTokens()
            await account.put(event: "new", "N", from: start + 1200, to: start + 1260)
            try await road.work(until: start + 1200)
            #expect(road.notices.list.map { $0.begins?.timeIntervalSince(start) } == [600, 1200])
        }
    }

    @Test("the title is asked for at the moment of the reminder, for a user who wants details")
    func details() async throws {
        try await WorkerRoad.run { road in
            let stage = road.connected.stage
            let token = try await road.connectedUser()
            let user = try #require(UUID(uuidString: try SignInTests.claim("sub", of: token)))
            #expect(
                try await road.database.notificationPreferences.change(
                    of: user, recording: NewAuditEvent("PREFERENCES_CHANGED"), at: stage.now
                ) { $0.showsDetails = true })
            let start = stage.now + 3600
            await road.connected.google.account.put(event: "a", "Dentist", from: start, to: start + 900)
            try await road.work(until: start)
            let notice = try #require(road.notices.list.first)
            #expect(notice.details?.title == "Dentist" && notice.title == "Meeting in 15 minutes")
            #expect(!notice.text.contains("Dentist"))
        }
    }

    @Test("a consent that Google ended is told once, and counts again after a new one")
    func reconnect() async throws {
        try await WorkerRoad.run { road in
            let stage = road.connected.stage
            let token = try await road.connectedUser()
            try await road.work(until: stage.now + 60)
            await road.connected.google.account.endConsents()
            try await road.work(until: stage.now + 600)
            #expect(road.notices.list.map(\.kind) == [.reconnect])
            #expect(try await road.connected.events("CONNECTOR_NEEDS_RECONNECT", token).count == 1)
            #expect(try await road.database.metrics.text().contains("{outcome=\"needs_reconnect\"} 1\n"))

            try await road.connected.connect(token)
            let start = stage.now + 1800
            await road.connected.google.account.put(event: "a", "A", from: start, to: start + 900)
            try await road.work(until: start)
            #expect(road.notices.list.map(\.kind) == [.reconnect, .meetingReminder])
        }
    }

    @Test(
        "faults of Google end in a reminder, and nothing is told of them", arguments: ["429", "503", "garbage", "401"])
    func faults(_ fault: String) async throws {
        try await WorkerRoad.run { road in
            let stage = road.connected.stage
            _ = try await road.connectedUser()
            try await road.work(until: stage.now + 60)
            let start = stage.now + 7200
            let account = road.connected.google.account
            await account.put(event: "a", "A", from: start, to: start + 900)
            for _ in 0..<6 {
                switch fault {
                case "429": await account.fail(.status(429, retryAfter: 30))
                case "503": await account.fail(.status(503))
                case "401": await account.fail(.status(401))
                default: await account.fail(.garbage)
                }
            }
            try await road.work(until: start)
            #expect(road.notices.list.map(\.kind) == [.meetingReminder])
            #expect(try await road.database.jobs.counts()["CALENDAR_SYNC"] == ["PENDING": 1])
        }
    }

    @Test(
        "a look that is under way when everything is deleted brings nothing back", arguments: AssistantStage.Store.all)
    func deletion(_ store: AssistantStage.Store) async throws {
        try await WorkerRoad.run(store) { road in
            let stage = road.connected.stage
            let token = try await road.connectedUser()
            let start = stage.now + 7200
            await road.connected.google.account.put(event: "a", "A", from: start, to: start + 900)
            let database = road.database
            let job = try #require(try await road.leaseSync())
            let id = try await stage.send("POST", "/v1/privacy/delete-all", token: token).text("request_id")
            try await PrivacyWorkerTests.wait(for: "DONE", of: id, stage)
            // The worker goes on with what it holds.
            let end = try await road.sync.perform(job, at: stage.now)
            #expect(end == .done)
            #expect(try await !database.jobs.end(job, .done, at: stage.now))
            try await road.work(until: stage.now + 120)
            #expect(try await PrivacyWorkerTests.rows(of: job.userID, database).allSatisfy { $0.value == 0 })
            #expect(road.notices.list.isEmpty)
        }
    }
}

/// A worker that a test steps, and devices that remember.
struct WorkerRoad: Sendable {
    let connected: ConnectedStage
    let database: AssistantDatabase
    let notices: RememberingNotices
    let sync: CalendarSync
    private let worker: AssistantWorker

    static func run(
        _ store: AssistantStage.Store = .sqlite, _ body: @escaping @Sendable (WorkerRoad) async throws -> Void
    ) async throws {
        try await ConnectedStage.run(store) { connected in
            let database = try await connected.stage.openDatabase()
            try await body(try WorkerRoad(connected, database))
            await database.close()
        }
    }

    private init(_ connected: ConnectedStage, _ database: AssistantDatabase) throws {
        self.connected = connected
        self.database = database
        let stage = connected.stage
        let keys = try StateKeys(in: stage.configuration.state)
        let notices = RememberingNotices()
        self.notices = notices
        var endpoints = GoogleEndpoints()
        endpoints.api = connected.google.url
        let transports = GoogleTransports(limit: 4) {
            var curl = CurlConfiguration()
            curl.keepsCookies = false
            return CurlSession(curl)
        }
        let google = GoogleAccess(
            database: database, enclave: connected.enclave, endpoints: endpoints, transports: transports,
            notices: notices)
        sync = CalendarSync(database: database, keys: keys, calendars: GoogleCalendars(google), interval: 60)
        worker = AssistantWorker(
            database: database,
            handlers: [
                sync,
                MeetingReminder(
                    database: database, keys: keys, notices: notices,
                    titles: GoogleTitles(google, over: transports, database, keys)),
            ], clock: BrokerClock(wall: { stage.now }, elapsed: { .zero }, boot: "test"), leasesByClock: true,
            logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Signs a user in and connects Google, and returns the access token.
    func connectedUser() async throws -> String {
        let token = try await connected.stage.accessToken()
        try await connected.connect(token)
        return token
    }

    /// Lets time pass in steps of a minute, and performs at each what is due.
    func work(until end: Date) async throws {
        while connected.stage.now < end {
            _ = try await worker.performDue()
            connected.stage.wait(60)
        }
        _ = try await worker.performDue()
    }

    /// Leases the user's look at the calendars, as a worker does.
    func leaseSync() async throws -> LeasedJob? {
        for user in try await database.jobs.usersWithout("CALENDAR_SYNC", atMost: 9) {
            _ = try await database.jobs.begin("CALENDAR_SYNC", [(user, connected.stage.now)])
        }
        return try await database.jobs.lease("CALENDAR_SYNC", atMost: 1, for: 24, at: connected.stage.now).first
    }
}

/// Devices that remember their notices.
final class RememberingNotices: NoticeDelivering {
    private let notices = Mutex<[Notice]>([])

    var list: [Notice] { notices.withLock { $0 } }

    func deliver(_ notice: Notice, to userID: UUID, at now: Date) async throws -> NoticeOutcome {
        notices.withLock { $0.append(notice) }
        return .accepted
    }
}
