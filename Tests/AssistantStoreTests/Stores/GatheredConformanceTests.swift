import Foundation
import Testing

@testable import AssistantStore

@Suite("Store conformance: what is done for many at once") struct GatheredConformanceTests {
    private static let now = OpenedStore.start
    private static let type = "MEETING_REMINDER"

    /// Makes users with one due job each, and leases the jobs.
    private static func leased(_ count: UInt8, _ store: OpenedStore) async throws -> [LeasedJob] {
        for number in 1...count {
            let job = PlannedJob(type, about: [number], due: now, sealedPayload: [number])
            _ = try await store.database.jobs.plan(job, of: try await store.user(number))
        }
        let jobs = try await store.database.jobs.lease(type, atMost: Int(count), for: 30, at: now)
        return jobs.sorted { $0.subject[0] < $1.subject[0] }
    }

    private static func rows(_ store: OpenedStore) async throws -> [String] {
        try await store.database.driver.transaction(.reading) { session in
            try session.rows("SELECT * FROM jobs ORDER BY subject", []).map { row in
                let next = try row.optional("next_run_at") { row, name throws(AssistantStoreError) in
                    try row.time(name)
                }
                let seconds = next.map { " \(Int($0.timeIntervalSince(now).rounded()))" } ?? ""
                return "\(try row.text("state"))\(seconds) \(try row.integer("attempts"))/\(try row.integer("strikes"))"
            }
        }
    }

    @Test("runs end together, each by its own outcome", arguments: StoreKind.all)
    func ends(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let jobs = try await Self.leased(8, store)
        let passed = LeasedJob(id: jobs[6].id, userID: jobs[6].userID, type: Self.type, dueAt: Self.now)
        let gone = LeasedJob(userID: jobs[6].userID, type: Self.type, dueAt: Self.now)
        let event = NewAuditEvent("JOB_SET_ASIDE", result: "FAILURE")
        let counts = try await store.database.jobs.end(
            [
                (jobs[0], .done), (jobs[1], .due(Self.now + 60)), (jobs[2], .again(Self.now + 70, isStrike: true)),
                (jobs[3], .again(Self.now + 80, isStrike: false)), (jobs[4], .setAside(event)),
                (jobs[5], .due(Self.now + 90)), (passed, .setAside(event)), (gone, .done), (jobs[7], .done),
            ], at: Self.now + 1)
        #expect(counts == [true, true, true, true, true, true, false, false, true])
        #expect(
            try await Self.rows(store) == [
                "DONE 0/0", "PENDING 60 0/0", "PENDING 70 1/1", "PENDING 80 1/0", "FAILED 1/1", "PENDING 90 0/0",
                "RUNNING 30 1/1", "DONE 0/0",
            ])
        let audit = store.database.audit
        #expect(try await audit.events(of: jobs[4].userID, before: nil, atMost: 9).map(\.event) == [event])
        #expect(try await audit.events(of: jobs[6].userID, before: nil, atMost: 9).isEmpty)
    }

    @Test("of two runs of one job, the one that holds the lease counts", arguments: StoreKind.all, [false, true])
    func twoRuns(_ kind: StoreKind, isOldFirst: Bool) async throws {
        let store = try await OpenedStore(kind)
        let old = try #require(try await Self.leased(1, store).first)
        let new = try #require(
            try await store.database.jobs.lease(Self.type, atMost: 1, for: 30, at: Self.now + 31).first)
        #expect(old.id == new.id)
        let runs = [
            (job: old, outcome: JobOutcome.setAside(NewAuditEvent("JOB_SET_ASIDE"))), (job: new, outcome: .done),
        ]
        let counts = try await store.database.jobs.end(isOldFirst ? runs : runs.reversed(), at: Self.now + 32)
        #expect(counts == (isOldFirst ? [false, true] : [true, false]))
        #expect(try await Self.rows(store) == ["DONE 0/0"])
    }

    @Test("leases are renewed together, but not those that have passed on", arguments: StoreKind.all)
    func renewal(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let jobs = try await Self.leased(4, store)
        #expect(try await store.database.jobs.end(jobs[1], .done, at: Self.now))
        let passed = LeasedJob(id: jobs[2].id, userID: jobs[2].userID, type: Self.type, dueAt: Self.now)
        let held = try await store.database.jobs.renew([jobs[0], jobs[1], passed, jobs[3]], for: 30, at: Self.now + 20)
        #expect(held == [jobs[0], jobs[3]])
        #expect(
            try await Self.rows(store) == ["RUNNING 50 1/1", "DONE 0/0", "RUNNING 30 1/1", "RUNNING 50 1/1"])
    }

    @Test(
        "events of many users, several of one, are recorded at once, and each chain is intact", arguments: StoreKind.all
    )
    func audit(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let audit = store.database.audit
        var users: [UUID] = []
        for number: UInt8 in 1...12 { users.append(try await store.user(number)) }
        let stranger = UUID()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for round in 0..<4 {
                for user in users + [stranger] {
                    let event = NewAuditEvent("NOTICE_SENT", metadata: ["round": .number(Double(round))])
                    group.addTask { try await audit.recordUnlessDeleted(event, of: user, at: Self.now) }
                }
            }
            try await group.waitForAll()
        }
        for user in users {
            #expect(try await audit.verify(user) == .intact(count: 4))
            let events = try await audit.events(of: user, before: nil, atMost: 9)
            #expect(events.map(\.position) == [4, 3, 2, 1])
            #expect(Set(events.map(\.event.metadata)).count == 4)
        }
        #expect(try await audit.events(of: stranger, before: nil, atMost: 9).isEmpty)
    }

    @Test("an event that cannot be stored keeps no other from being recorded", arguments: StoreKind.all)
    func unstorable(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let audit = store.database.audit
        var users: [UUID] = []
        for number: UInt8 in 1...9 { users.append(try await store.user(number)) }
        let failures = await withTaskGroup(of: UUID?.self, returning: Set<UUID>.self) { group in
            for (number, user) in users.enumerated() {
                group.addTask {
                    let event = NewAuditEvent(number == 5 ? "A\u{0}B" : "NOTICE_SENT")
                    do {
                        try await audit.recordUnlessDeleted(event, of: user, at: Self.now)
                        return nil
                    } catch {
                        return user
                    }
                }
            }
            return await group.reduce(into: []) { if let user = $1 { $0.insert(user) } }
        }
        #expect(failures == [users[5]])
        for user in users where user != users[5] { #expect(try await audit.verify(user) == .intact(count: 1)) }
    }

    @Test("recipients that are read at once have their own wishes and devices", arguments: StoreKind.all)
    func recipients(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let database = store.database
        var users: [UUID] = []
        for number: UInt8 in 1...10 {
            let user = try await store.user(number)
            users.append(user)
            for device in 0..<Int(number % 3) {
                try await database.devices.put(
                    "\(device)", of: user, .apns, .production, sealedToken: [number, UInt8(device)],
                    at: Self.now + device)
            }
            guard number.isMultiple(of: 2) else { continue }
            _ = try await database.notificationPreferences.change(
                of: user, recording: NewAuditEvent("PREFERENCES_CHANGED"), at: Self.now
            ) { $0.showsDetails = true }
        }
        let leaving = users[9]
        _ = try await database.privacy.accept("request", of: leaving, at: Self.now)
        let asked = users + [UUID()]
        let found = try await withThrowingTaskGroup(of: (Int, NoticeRecipient?).self) { group in
            for (place, user) in asked.enumerated() {
                group.addTask { (place, try await database.notices.recipient(user)) }
            }
            return try await group.reduce(into: [Int: NoticeRecipient]()) { $0[$1.0] = $1.1 }
        }
        #expect(Set(found.keys) == Set(0..<9))
        for (place, recipient) in found {
            let number = UInt8(place + 1)
            let tokens = (0..<Int(number % 3)).map { [number, UInt8($0)] }
            #expect(recipient.devices.map(\.sealedToken) == tokens)
            #expect(recipient.notifications.showsDetails == number.isMultiple(of: 2))
            #expect(recipient.preferences.timeZone == "Europe/Vienna")
        }
    }

    @Test("users without a job are found part by part, each once", arguments: StoreKind.all)
    func parts(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        var users: Set<UUID> = []
        for number: UInt8 in 1...7 {
            let user = try await store.user(number)
            try await store.database.connectors.connect(
                UUID(), of: user, provider: "google", scopes: [], NewToken(sealed: [1], keyID: "mk", version: 1),
                recording: NewAuditEvent("CONNECTOR_CONNECTED"), at: Self.now)
            users.insert(user)
        }
        var found: [UUID] = []
        for expected in [3, 3, 1] {
            let part = try await store.database.jobs.usersWithout("CALENDAR_SYNC", after: found.last, atMost: 3)
            #expect(part.count == expected)
            found += part
        }
        #expect(found.count == 7 && Set(found) == users)
    }
}
