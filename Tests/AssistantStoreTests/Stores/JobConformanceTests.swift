import Foundation
import Testing

@testable import AssistantStore

@Suite("Store conformance: jobs, workers and calendars") struct JobConformanceTests {
    private static let now = OpenedStore.start
    private static let type = "MEETING_REMINDER"

    private static func job(_ subject: UInt8, at offset: TimeInterval = 0, payload: [UInt8]? = nil) -> PlannedJob {
        PlannedJob(type, about: [subject], due: now + offset, sealedPayload: payload)
    }

    private static func states(_ store: OpenedStore) async throws -> [String] {
        try await store.database.driver.transaction(.reading) { session in
            try session.rows("SELECT state FROM jobs ORDER BY subject", []).map { try $0.text("state") }
        }
    }

    @Test("of twenty users' jobs and four workers, each job is leased once", arguments: StoreKind.all)
    func leases(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let jobs = store.database.jobs
        for number: UInt8 in 1...20 {
            _ = try await jobs.plan(Self.job(1, at: Double(number)), of: try await store.user(number))
        }
        _ = try await jobs.plan(Self.job(2, at: 1000), of: try await store.user(21))

        let leased = try await withThrowingTaskGroup(of: [LeasedJob].self, returning: [LeasedJob].self) { group in
            for _ in 0..<4 {
                group.addTask { try await jobs.lease(Self.type, atMost: 10, for: 30, at: Self.now + 100) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }

        #expect(leased.count == 20)
        #expect(Set(leased.map(\.id)).count == 20)
        #expect(try await jobs.lease(Self.type, atMost: 10, for: 30, at: Self.now + 129).isEmpty)
        #expect(try await jobs.lease("CALENDAR_SYNC", atMost: 10, for: 30, at: Self.now + 9999).isEmpty)
    }

    @Test("of one user one job of a type is leased at a time, the longest due first", arguments: StoreKind.all)
    func oneForUser(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let jobs = store.database.jobs
        let busy = try await store.user(1)
        let other = try await store.user(2)
        for number: UInt8 in 1...5 { _ = try await jobs.plan(Self.job(number, at: -Double(number)), of: busy) }
        _ = try await jobs.plan(Self.job(9), of: other)
        _ = try await jobs.plan(PlannedJob("URGENT_MAIL", due: Self.now), of: busy)

        let first = try await jobs.lease(Self.type, atMost: 10, for: 30, at: Self.now)
        #expect(first.map(\.subject) == [[5], [9]])
        #expect(try await jobs.lease(Self.type, atMost: 10, for: 30, at: Self.now + 1).isEmpty)
        #expect(try await jobs.lease("URGENT_MAIL", atMost: 10, for: 30, at: Self.now).count == 1)

        #expect(try await jobs.end(first[0], .done, at: Self.now))
        #expect(try await jobs.lease(Self.type, atMost: 10, for: 30, at: Self.now + 2).map(\.subject) == [[4]])
    }

    @Test(
        "a job whose worker died is leased again, and the dead worker's end counts for nothing",
        arguments: StoreKind.all)
    func expires(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let jobs = store.database.jobs
        _ = try await jobs.plan(Self.job(1, payload: [7]), of: try await store.user())
        let first = try #require(try await jobs.lease(Self.type, atMost: 1, for: 30, at: Self.now).first)
        #expect(try await jobs.renew([first], for: 30, at: Self.now + 20) == [first])
        #expect(try await jobs.lease(Self.type, atMost: 1, for: 30, at: Self.now + 49).isEmpty)
        let second = try #require(try await jobs.lease(Self.type, atMost: 1, for: 30, at: Self.now + 50).first)
        #expect(first.id == second.id && second.sealedPayload == [7] && second.dueAt == first.dueAt)
        #expect(first.strikes == 1 && second.strikes == 2)

        #expect(try await jobs.renew([first], for: 30, at: Self.now + 51).isEmpty)
        #expect(try await !jobs.end(first, .done, at: Self.now + 51))
        #expect(try await jobs.end(second, .due(Self.now + 90), at: Self.now + 51))

        #expect(try await jobs.lease(Self.type, atMost: 1, for: 9, at: Self.now + 89).isEmpty)
        let third = try #require(try await jobs.lease(Self.type, atMost: 1, for: 9, at: Self.now + 90).first)
        #expect(third.attempts == 1 && third.strikes == 1)
        #expect(try await jobs.end(third, .done, at: Self.now + 91))
        #expect(try await jobs.lease(Self.type, atMost: 1, for: 9, at: Self.now + 900).isEmpty)
    }

    @Test("each outcome leads to its state, its time and its counts", arguments: StoreKind.all)
    func outcomes(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let user = try await store.user()
        let jobs = store.database.jobs
        _ = try await jobs.plan(Self.job(1), of: user)
        func lease(at time: TimeInterval) async throws -> LeasedJob {
            try #require(try await jobs.lease(Self.type, atMost: 1, for: 30, at: Self.now + time).first)
        }
        #expect(try await jobs.end(lease(at: 0), .again(Self.now + 10, isStrike: true), at: Self.now))
        #expect(try await jobs.lease(Self.type, atMost: 1, for: 30, at: Self.now + 9).isEmpty)
        var job = try await lease(at: 10)
        #expect(job.attempts == 2 && job.strikes == 2 && job.dueAt == Self.now)
        #expect(try await jobs.end(job, .again(Self.now + 20, isStrike: false), at: Self.now + 10))
        job = try await lease(at: 20)
        #expect(job.attempts == 3 && job.strikes == 1)

        let event = NewAuditEvent("JOB_SET_ASIDE", result: "FAILURE")
        #expect(try await jobs.end(job, .setAside(event), at: Self.now + 21))
        #expect(try await !jobs.end(job, .setAside(event), at: Self.now + 21))
        #expect(try await Self.states(store) == ["FAILED"])
        #expect(try await jobs.counts() == [Self.type: ["FAILED": 1]])
        let events = try await store.database.audit.events(of: user, before: nil, atMost: 9)
        #expect(events.map(\.event) == [event])
    }

    @Test("planning moves a job that has not run, and leaves others alone", arguments: StoreKind.all)
    func planning(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let user = try await store.user()
        let jobs = store.database.jobs
        #expect(try await jobs.plan(Self.job(1, at: 60), of: user))
        #expect(try await !jobs.plan(Self.job(1, at: 60), of: user))
        #expect(try await jobs.plan(Self.job(1, at: 30, payload: [3]), of: user))
        let cancelled = try await store.database.driver.transaction(.writing) { session in
            try (0..<2).map { _ in try JobStore.cancel(Self.type, of: user, except: [], session) }
        }
        #expect(cancelled == [1, 0])
        #expect(try await jobs.lease(Self.type, atMost: 1, for: 9, at: Self.now + 99).isEmpty)
        #expect(try await jobs.plan(Self.job(1, at: 40, payload: [4]), of: user))

        let job = try #require(try await jobs.lease(Self.type, atMost: 1, for: 9, at: Self.now + 40).first)
        #expect(job.sealedPayload == [4] && job.dueAt == Self.now + 40)
        #expect(try await !jobs.plan(Self.job(1, at: 50), of: user), "it is running")
        #expect(try await jobs.end(job, .done, at: Self.now + 41))
        #expect(try await !jobs.plan(Self.job(1, at: 50), of: user), "it is done")
        #expect(try await !jobs.plan(Self.job(1), of: UUID()), "there is no such user")

        #expect(try await jobs.removeEnded(before: Self.now + 40) == 0)
        #expect(try await jobs.removeEnded(before: Self.now + 41) == 1)
    }

    @Test(
        "a periodic job is begun for users who have none, and comes at once when wishes change",
        arguments: StoreKind.all)
    func periodic(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let jobs = store.database.jobs
        let user = try await store.user(1)
        _ = try await store.user(2)
        let id = UUID()
        try await store.database.connectors.connect(
            id, of: user, provider: "google", scopes: [], NewToken(sealed: [1], keyID: "mk", version: 1),
            recording: NewAuditEvent("CONNECTOR_CONNECTED"), at: Self.now)
        let type = "CALENDAR_SYNC"
        func without(_ seconds: TimeInterval? = nil, at time: TimeInterval = 0) async throws -> Int {
            try await jobs.usersWithout(type, connectedWithin: seconds, atMost: 9, at: Self.now + time).count
        }
        #expect(try await without() == 1)
        #expect(try await without(300) == 1)
        #expect(try await without(300, at: 301) == 0)
        #expect(try await without(at: 301) == 1)
        #expect(try await jobs.begin(type, [(user, Self.now)]) == 1)
        #expect(try await jobs.begin(type, [(user, Self.now + 5)]) == 0)
        #expect(try await without() == 0)

        let job = try #require(try await jobs.lease(type, atMost: 9, for: 9, at: Self.now).first)
        #expect(try await jobs.end(job, .due(Self.now + 600), at: Self.now))
        #expect(try await jobs.lease(type, atMost: 9, for: 9, at: Self.now + 10).isEmpty)
        _ = try await store.database.preferences.put(
            Preferences(timeZone: "UTC"), timeZone: nil, of: user, recording: NewAuditEvent("PREFERENCES_CHANGED"),
            at: Self.now + 10)
        let early = try #require(try await jobs.lease(type, atMost: 9, for: 9, at: Self.now + 10).first)
        #expect(early.dueAt == Self.now + 600)

        // One that was set aside is begun again after a day; one that is done, once there is a connection in use.
        #expect(try await jobs.end(early, .setAside(NewAuditEvent("JOB_SET_ASIDE")), at: Self.now + 11))
        #expect(try await without(at: 86_000) == 0)
        #expect(try await without(at: 86_500) == 1)
        #expect(try await jobs.begin(type, [(user, Self.now + 86_500)]) == 1)
        let again = try #require(try await jobs.lease(type, atMost: 9, for: 9, at: Self.now + 86_500).first)
        #expect(again.attempts == 1 && again.strikes == 1)
        #expect(try await jobs.end(again, .done, at: Self.now + 86_501))
        _ = try await store.database.connectors.move(
            id, of: user, to: .needsReconnect, recording: NewAuditEvent("CONNECTOR_NEEDS_RECONNECT"), at: Self.now)
        #expect(try await without(at: 86_502) == 0)
    }

    @Test("a periodic job looks again at once when wishes have changed while it ran", arguments: StoreKind.all)
    func changedWhileRunning(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let jobs = store.database.jobs
        let user = try await store.user()
        let type = "MORNING_BRIEF"
        #expect(try await jobs.begin(type, [(user, Self.now)]) == 1)
        let job = try #require(try await jobs.lease(type, atMost: 1, for: 30, at: Self.now).first)
        _ = try await store.database.preferences.put(
            Preferences(timeZone: "UTC"), timeZone: nil, of: user, recording: NewAuditEvent("PREFERENCES_CHANGED"),
            at: Self.now + 1)
        #expect(try await jobs.end(job, .due(Self.now + 86_400), at: Self.now + 2))
        let again = try #require(try await jobs.lease(type, atMost: 1, for: 30, at: Self.now + 3).first)
        #expect(try await jobs.end(again, .due(Self.now + 86_400), at: Self.now + 4))
        #expect(try await jobs.lease(type, atMost: 1, for: 30, at: Self.now + 5).isEmpty)
    }

    @Test("a new consent begins a periodic job again that was set aside", arguments: StoreKind.all)
    func revived(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let jobs = store.database.jobs
        let user = try await store.user()
        let type = "CALENDAR_SYNC"
        #expect(try await jobs.begin(type, [(user, Self.now)]) == 1)
        let job = try #require(try await jobs.lease(type, atMost: 1, for: 30, at: Self.now).first)
        #expect(try await jobs.end(job, .setAside(NewAuditEvent("JOB_SET_ASIDE")), at: Self.now))
        try await store.database.connectors.connect(
            UUID(), of: user, provider: "google", scopes: [], NewToken(sealed: [1], keyID: "mk", version: 1),
            recording: NewAuditEvent("CONNECTOR_CONNECTED"), at: Self.now + 1)
        let again = try #require(try await jobs.lease(type, atMost: 1, for: 30, at: Self.now + 1).first)
        #expect(again.id == job.id && again.strikes == 1)
    }

    @Test("times are the database's own unless one is given", arguments: StoreKind.all)
    func ownTime(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let jobs = store.database.jobs
        let user = try await store.user()
        _ = try await jobs.plan(PlannedJob(Self.type, about: [1], due: Date() + 3600), of: user)
        #expect(try await jobs.lease(Self.type, atMost: 1, for: 30).isEmpty)
        _ = try await jobs.plan(PlannedJob(Self.type, about: [1], due: Date() - 3600), of: user)
        let job = try #require(try await jobs.lease(Self.type, atMost: 1, for: 600).first)
        #expect(try await jobs.renew([job], for: 600) == [job])
        #expect(try await jobs.lease(Self.type, atMost: 1, for: 30).isEmpty)
        #expect(try await jobs.end(job, .done))
    }

    @Test("what was read is stored with its reminders, and goes with the connection", arguments: StoreKind.all)
    func calendars(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let database = store.database
        let user = try await store.user()
        let connector = UUID()
        try await database.connectors.connect(
            connector, of: user, provider: "google", scopes: [], NewToken(sealed: [1], keyID: "mk", version: 1),
            recording: NewAuditEvent("CONNECTOR_CONNECTED"), at: Self.now)
        func put(_ state: UInt8, _ subjects: [UInt8], keeping kept: [UInt8] = []) async throws -> Bool {
            try await database.calendars.put(
                [state], planning: subjects.map { Self.job($0, at: 60) }, keeping: kept.map { [$0] }, of: user,
                from: connector, at: Self.now)
        }
        #expect(try await database.calendars.sealedState(of: user) == nil)
        #expect(try await put(1, [1, 2, 3]))
        #expect(try await put(2, [2, 4], keeping: [3]))
        #expect(try await database.calendars.sealedState(of: user) == [2])
        #expect(try await database.calendars.calendar(of: user)?.sealedState == [2])
        #expect(try await database.calendars.calendar(of: user)?.preferences.meetingReminderMinutes == 15)
        #expect(try await database.calendars.calendar(of: UUID()) == nil)
        #expect(try await Self.states(store) == ["CANCELLED", "PENDING", "PENDING", "PENDING"])
        #expect(try await put(3, [1, 2, 4]))
        #expect(try await Self.states(store) == ["PENDING", "PENDING", "CANCELLED", "PENDING"])

        _ = try await database.connectors.move(
            connector, of: user, to: .revoked, recording: NewAuditEvent("CONNECTOR_REVOKED"), at: Self.now)
        #expect(try await database.calendars.sealedState(of: user) == nil)
        #expect(try await Self.states(store) == Array(repeating: "CANCELLED", count: 4))
        #expect(try await !put(4, [1]), "a look that was under way brings nothing back")
        #expect(try await database.calendars.sealedState(of: user) == nil)
    }

    @Test("a request to delete everything cancels every job, also one that is running", arguments: StoreKind.all)
    func deletion(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let jobs = store.database.jobs
        let user = try await store.user()
        for subject: UInt8 in 1...2 { _ = try await jobs.plan(Self.job(subject), of: user) }
        let running = try #require(try await jobs.lease(Self.type, atMost: 1, for: 30, at: Self.now).first)
        _ = try await store.database.privacy.accept("abc", of: user, at: Self.now)
        #expect(try await Self.states(store) == ["CANCELLED", "CANCELLED"])
        #expect(try await !jobs.end(running, .due(Self.now + 60), at: Self.now))
        #expect(try await !jobs.plan(Self.job(1), of: user))
        #expect(try await jobs.begin("CALENDAR_SYNC", [(user, Self.now)]) == 0)
        #expect(try await jobs.usersWithout("CALENDAR_SYNC", atMost: 9).isEmpty)
    }

    @Test("one notice to connect again is claimed for each ended consent", arguments: StoreKind.all)
    func reconnect(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let connectors = store.database.connectors
        let user = try await store.user()
        let id = UUID()
        func connect() async throws {
            try await connectors.connect(
                id, of: user, provider: "google", scopes: [], NewToken(sealed: [1], keyID: "mk", version: 1),
                recording: NewAuditEvent("CONNECTOR_CONNECTED"), at: Self.now)
        }
        func claim() async throws -> Bool { try await connectors.claimReconnectNotice(id, of: user, at: Self.now) }
        func end() async throws {
            _ = try await connectors.move(
                id, of: user, to: .needsReconnect, recording: NewAuditEvent("CONNECTOR_NEEDS_RECONNECT"), at: Self.now)
        }
        try await connect()
        #expect(try await !claim())
        try await end()
        #expect(try await claim())
        #expect(try await !claim())
        try await connectors.giveBackReconnectNotice(id, of: user)
        #expect(try await claim())
        try await connect()
        try await end()
        #expect(try await claim())
    }

    @Test("a worker is seen until it ends, or was not seen for some time", arguments: StoreKind.all)
    func workers(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let workers = store.database.workers
        #expect(try await !workers.isAlive(within: 20))
        let ids = [UUID(), UUID()]
        for id in ids { try await workers.beat(id) }
        #expect(try await workers.isAlive(within: 20))
        for id in ids { try await workers.end(id) }
        #expect(try await !workers.isAlive(within: 20))
        try await workers.beat(ids[0], at: Self.now)
        #expect(try await workers.isAlive(within: 20, at: Self.now + 20))
        #expect(try await !workers.isAlive(within: 20, at: Self.now + 21))
    }

    @Test("jobs of the version before are kept", arguments: StoreKind.all)
    func migration(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let user = try await store.user()
        let id = UUID()
        // The tables as the version before has them.
        try await store.database.driver.transaction(.writing) { session in
            for table in ["jobs", "workers", "calendar_states", "privacy_requests"] {
                try session.runScript("DROP TABLE \(table)")
            }
            try session.runScript("DROP INDEX connectors_by_rotation")
            try session.runScript("ALTER TABLE connectors DROP COLUMN reconnect_told_at")
            try session.runScript(session.dialect.translated(JobSchema.sql))
            _ = try session.change(
                "INSERT INTO jobs (id, user_id, type, due_at, state) VALUES ($1, $2, $3, $4, 'PENDING')",
                [.uuid(id), .uuid(user), .text(Self.type), .time(Self.now)])
        }
        try await store.database.driver.transaction(.writing) { session in
            try session.runScript(session.dialect.translated(WorkSchema.sql))
        }
        let job = try #require(
            try await store.database.jobs.lease(Self.type, atMost: 1, for: 30, at: Self.now).first)
        #expect(job.id == id && job.userID == user && !job.subject.isEmpty)
    }
}
