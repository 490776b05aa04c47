import Foundation
import Testing

@testable import AssistantStore

@Suite("Store conformance: briefs, mail, alerts and confirmations") struct BriefConformanceTests {
    private static let now = OpenedStore.start
    private static let event = NewAuditEvent("CONFIRMATION_DECIDED")

    private static func twoUsers(of kind: StoreKind) async throws -> (store: OpenedStore, user: UUID, other: UUID) {
        let store = try await OpenedStore(kind)
        return (store, try await store.user(), try await store.user(2))
    }

    @Test("a brief is read once, by its user, within its time", arguments: StoreKind.all)
    func briefs(_ kind: StoreKind) async throws {
        let (store, user, other) = try await Self.twoUsers(of: kind)
        let briefs = store.database.briefs
        let id = UUID()
        try await briefs.keep(id, of: user, sealed: [1], expires: Self.now + 3600)
        try await briefs.keep(id, of: user, sealed: [2], expires: Self.now + 3700)
        // An id that another user has is not taken over.
        try await briefs.keep(id, of: other, sealed: [3], expires: Self.now + 3600)

        #expect(try await briefs.take(id, of: other, at: Self.now) == nil)
        #expect(try await briefs.take(UUID(), of: user, at: Self.now) == nil)
        #expect(try await briefs.take(id, of: user, at: Self.now + 3700) == nil)
        #expect(try await briefs.take(id, of: user, at: Self.now + 3699) == [2])
        #expect(try await briefs.take(id, of: user, at: Self.now) == nil)
        // A delivery that is repeated after the user has read it brings nothing back.
        try await briefs.keep(id, of: user, sealed: [4], expires: Self.now + 3600)
        #expect(try await briefs.take(id, of: user, at: Self.now) == nil)

        try await briefs.keep(UUID(), of: user, sealed: [5], expires: Self.now + 10)
        #expect(try await briefs.removeExpired(at: Self.now + 9) == 0)
        #expect(try await briefs.removeExpired(at: Self.now + 10) == 1)
        #expect(try await briefs.removeExpired(at: Self.now + 3700) == 1)
    }

    @Test("of two readers at once one gets the brief", arguments: StoreKind.all)
    func race(_ kind: StoreKind) async throws {
        let (store, user, _) = try await Self.twoUsers(of: kind)
        let briefs = store.database.briefs
        let id = UUID()
        try await briefs.keep(id, of: user, sealed: [1], expires: Self.now + 3600)
        let taken = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask { (try? await briefs.take(id, of: user, at: Self.now)) ?? nil != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(taken == 1)
    }

    @Test("a mailbox has a place for each connection, and users their own acquaintances", arguments: StoreKind.all)
    func mail(_ kind: StoreKind) async throws {
        let (store, user, other) = try await Self.twoUsers(of: kind)
        let mail = store.database.mail
        let connector = UUID()
        #expect(try await mail.place(of: user, connector: connector) == nil)
        try await mail.advance(user, connector: connector, to: "100", at: Self.now)
        try await mail.advance(user, connector: connector, to: "200", at: Self.now)
        #expect(try await mail.place(of: user, connector: connector)?.historyID == "200")
        // The places of another connection's mailbox mean nothing in this one.
        #expect(try await mail.place(of: user, connector: UUID()) == nil)

        try await mail.remember([[1], [2], [1]], of: user, at: Self.now)
        try await mail.remember([[2]], of: user, at: Self.now + 100)
        #expect(try await mail.isKnown([1], to: user))
        #expect(try await !mail.isKnown([1], to: other))
        #expect(try await mail.forget(before: Self.now + 50) == 1)
        #expect(try await !mail.isKnown([1], to: user))
        #expect(try await mail.isKnown([2], to: user))
    }

    @Test("a message has one alert, which the user judges", arguments: StoreKind.all)
    func alerts(_ kind: StoreKind) async throws {
        let (store, user, other) = try await Self.twoUsers(of: kind)
        let alerts = store.database.alerts
        let id = UUID()
        func add(_ id: UUID, _ message: UInt8, of user: UUID, _ seconds: Int) async throws -> Bool {
            try await alerts.add(
                id, of: user, message: [message], sealedMail: [9], rules: ["DEADLINE", "IMPORTANCE"],
                at: Self.now + seconds)
        }
        #expect(try await add(id, 1, of: user, 0))
        #expect(try await !add(UUID(), 1, of: user, 1))
        #expect(try await add(UUID(), 1, of: other, 0))
        #expect(try await add(UUID(), 2, of: user, 2))

        #expect(try await alerts.untold(to: user).count == 2)
        try await alerts.noteTold(id, of: user, at: Self.now)
        #expect(try await alerts.untold(to: user).map(\.createdAt).count == 1)
        #expect(try await alerts.alerts(of: user, since: Self.now + 1).count == 1)
        let stored = try #require(try await alerts.alert(id, of: user))
        #expect(stored.rules == ["DEADLINE", "IMPORTANCE"] && stored.sealedMail == [9] && stored.isUrgent == nil)
        #expect(try await alerts.alert(id, of: other) == nil)

        let newest = try await alerts.newest(of: user, atMost: 9)
        #expect(newest.map(\.createdAt) == [Self.now + 2, Self.now])
        #expect(try await alerts.newest(of: user, atMost: 1) == [newest[0]])
        #expect(try await alerts.newest(of: user, before: AlertPlace(newest[0]), atMost: 9) == [newest[1]])
        #expect(try await alerts.newest(of: user, before: AlertPlace(newest[1]), atMost: 9).isEmpty)

        #expect(try await alerts.judge(id, of: user, isUrgent: false) == .stored)
        #expect(try await alerts.judge(id, of: user, isUrgent: false) == .repeated)
        #expect(try await alerts.alert(id, of: user)?.isUrgent == false)
        #expect(try await alerts.judge(id, of: user, isUrgent: true) == .stored)
        #expect(try await alerts.judge(id, of: other, isUrgent: true) == .noAlert)
        #expect(try await alerts.judge(UUID(), of: user, isUrgent: true) == .noAlert)
        #expect(try await alerts.remove(before: Self.now + 1) == 2)
    }

    private func confirmation(
        _ store: OpenedStore, _ user: UUID, subject: UInt8, isApproved: Bool = false
    ) async throws -> UUID? {
        let id = UUID()
        let isNew = try await store.database.confirmations.add(
            id, of: user, kind: "STATEMENT", subject: [subject], sealedSubject: [7], isApproved: isApproved,
            job: "STATEMENT_DUE", expires: Self.now + 1000, recording: NewAuditEvent("STATEMENT_OFFERED"), at: Self.now)
        return isNew ? id : nil
    }

    private func jobs(_ store: OpenedStore) async throws -> Int {
        try await store.database.driver.transaction(.reading) { session in
            try session.row("SELECT count(*) AS count FROM jobs WHERE type = 'STATEMENT_DUE'", [])?.integer("count")
                ?? 0
        }
    }

    @Test("an act waits for the user, is decided once, and its job comes with the approval", arguments: StoreKind.all)
    func confirmations(_ kind: StoreKind) async throws {
        let (store, user, other) = try await Self.twoUsers(of: kind)
        let confirmations = store.database.confirmations
        func decide(_ id: UUID, of user: UUID, _ approve: Bool, _ seconds: Int = 0) async throws -> ConfirmationDecision
        {
            try await confirmations.decide(
                id, of: user, approve: approve, job: "STATEMENT_DUE", recording: Self.event, at: Self.now + seconds)
        }
        let first = try #require(try await confirmation(store, user, subject: 1))
        let second = try #require(try await confirmation(store, user, subject: 2))
        let late = try #require(try await confirmation(store, user, subject: 3))
        #expect(try await confirmation(store, user, subject: 1) == nil)
        #expect(try await confirmation(store, other, subject: 1) != nil)
        #expect(try await confirmations.pending(of: user, at: Self.now).count == 3)
        #expect(try await jobs(store) == 0)

        #expect(try await decide(first, of: other, true) == .noConfirmation)
        #expect(try await decide(first, of: user, true) == .stored)
        #expect(try await decide(first, of: user, true) == .repeated)
        #expect(try await decide(first, of: user, false) == .decidedOtherwise)
        #expect(try await decide(second, of: user, false) == .stored)
        #expect(try await decide(second, of: user, true) == .decidedOtherwise)
        #expect(try await decide(late, of: user, true, 1000) == .noConfirmation)
        #expect(try await jobs(store) == 1)
        #expect(try await confirmations.pending(of: user, at: Self.now).map(\.id) == [late])
        #expect(try await confirmations.pending(of: user, at: Self.now + 1000).isEmpty)

        #expect(
            try await confirmations.move(
                first, of: user, from: .approved, to: .asked, sealedRequest: [5], at: Self.now + 1))
        #expect(
            try await !confirmations.move(first, of: user, from: .approved, to: .failed, at: Self.now + 2))
        #expect(
            try await confirmations.move(
                first, of: user, from: .asked, to: .done, recording: Self.event, at: Self.now + 3))
        let stored = try #require(try await confirmations.confirmation(first, of: user))
        #expect(stored.state == .done && stored.sealedRequest == [5] && stored.sealedSubject == [7])
        #expect(stored.changedAt == Self.now + 3)
        #expect(try await confirmations.confirmation(first, of: other) == nil)
        #expect(try await confirmations.remove(before: Self.now + 2) == 3)
    }

    @Test("an act that needs no question has its job at once", arguments: StoreKind.all)
    func approved(_ kind: StoreKind) async throws {
        let (store, user, _) = try await Self.twoUsers(of: kind)
        let id = try #require(try await confirmation(store, user, subject: 1, isApproved: true))
        #expect(try await store.database.confirmations.confirmation(id, of: user)?.state == .approved)
        #expect(try await store.database.confirmations.pending(of: user, at: Self.now).isEmpty)
        #expect(try await jobs(store) == 1)
    }

    @Test("what was read through a connection goes when it is ended", arguments: StoreKind.all)
    func disconnected(_ kind: StoreKind) async throws {
        let (store, user, _) = try await Self.twoUsers(of: kind)
        let database = store.database
        let id = UUID()
        try await database.connectors.connect(
            id, of: user, provider: "google", scopes: [], NewToken(sealed: [1], keyID: "mk", version: 1),
            recording: NewAuditEvent("CONNECTOR_CONNECTED"), at: Self.now)
        try await database.briefs.keep(UUID(), of: user, sealed: [1], expires: Self.now + 3600)
        try await database.mail.advance(user, connector: id, to: "1", at: Self.now)
        try await database.mail.remember([[1]], of: user, at: Self.now)
        _ = try await database.alerts.add(UUID(), of: user, message: [1], sealedMail: [1], rules: [], at: Self.now)
        #expect(
            try await database.connectors.move(
                id, of: user, to: .revoked, recording: NewAuditEvent("CONNECTOR_REVOKED"), at: Self.now))
        for table in ["briefs", "mail_places", "mail_acquaintances", "alerts"] {
            let count = try await database.driver.transaction(.reading) { session in
                try session.row("SELECT count(*) AS count FROM \(table)", [])?.integer("count")
            }
            #expect(count == 0, "\(table)")
        }
    }

    @Test("everything goes with its user, and nothing comes back afterwards", arguments: StoreKind.all)
    func deleted(_ kind: StoreKind) async throws {
        let (store, user, _) = try await Self.twoUsers(of: kind)
        let database = store.database
        try await database.briefs.keep(UUID(), of: user, sealed: [1], expires: Self.now + 3600)
        try await database.mail.advance(user, connector: UUID(), to: "1", at: Self.now)
        try await database.mail.remember([[1]], of: user, at: Self.now)
        _ = try await database.alerts.add(
            UUID(), of: user, message: [1], sealedMail: [1], rules: [], at: Self.now)
        _ = try await confirmation(store, user, subject: 1)
        let record = try #require(try await database.personalData.record(of: user))
        #expect(record.briefs.count == 1 && record.acquaintances == 1)
        let waiting = try #require(try await database.confirmations.pending(of: user, at: Self.now).first)
        _ = try await database.privacy.accept("id", of: user, at: Self.now)
        // Nothing acts for a user whose deletion has begun.
        #expect(try await !database.confirmations.mayProceed(of: user))
        #expect(try await confirmation(store, user, subject: 9) == nil)
        #expect(
            try await database.confirmations.decide(
                waiting.id, of: user, approve: true, job: "STATEMENT_DUE", recording: Self.event, at: Self.now)
                == .noConfirmation)
        let deletion = UnfinishedDeletion(id: "id", userID: user, asked: Self.now)
        #expect(try await database.privacy.finish(deletion, isRevoked: true, at: Self.now))

        for table in ["briefs", "mail_places", "mail_acquaintances", "alerts", "confirmations", "jobs"] {
            let count = try await database.driver.transaction(.reading) { session in
                try session.row("SELECT count(*) AS count FROM \(table)", [])?.integer("count")
            }
            #expect(count == 0, "\(table)")
        }
        // A job that was running writes what it has found.
        await #expect(throws: AssistantStoreError.self) {
            try await database.briefs.keep(UUID(), of: user, sealed: [1], expires: Self.now + 3600)
        }
        await #expect(throws: AssistantStoreError.self) {
            try await database.mail.remember([[1]], of: user, at: Self.now)
        }
        #expect(try await confirmation(store, user, subject: 2) == nil)
        #expect(try await database.personalData.record(of: user) == nil)
    }
}
