import Foundation
import Testing

@testable import AssistantStore

@Suite("Store conformance: devices, connectors and audit events") struct RecordConformanceTests {
    private static let now = OpenedStore.start
    private static let event = NewAuditEvent("CONNECTOR_CONNECTED", connector: "google")

    @Test("a device is registered, replaced, listed and removed", arguments: StoreKind.all)
    func devices(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let user = try await store.user()
        let other = try await store.user(2)
        let devices = store.database.devices

        try await devices.put("a", of: user, .apns, .sandbox, sealedToken: [1], at: Self.now)
        try await devices.put("a", of: user, .apns, .production, sealedToken: [2], at: Self.now + 5)
        try await devices.put("a", of: other, .apns, .sandbox, sealedToken: [3], at: Self.now)

        let stored = try await devices.devices(of: user)
        #expect(stored.map(\.sealedToken) == [[2]])
        #expect(stored.map(\.environment) == [.production])
        #expect(stored[0].updatedAt.timeIntervalSince(stored[0].createdAt) == 5)
        #expect(try await devices.remove("a", of: user))
        #expect(try await !devices.remove("a", of: user))
        #expect(try await devices.devices(of: other).count == 1)
        for number in 0...DeviceStore.most {
            try await devices.put("\(number)", of: user, .apns, .sandbox, sealedToken: [], at: Self.now + number)
        }
        #expect(try await devices.devices(of: user).map(\.deviceID) == (1...DeviceStore.most).map(String.init))
    }

    @Test("preferences keep the time zone that is not given", arguments: StoreKind.all)
    func preferences(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let user = try await store.user()
        var wanted = Preferences(timeZone: "ignored")
        wanted.meetingReminderMinutes = 1440
        wanted.highRiskRequiresConfirm = false

        _ = try await store.database.preferences.put(
            wanted, timeZone: nil, of: user, recording: NewAuditEvent("PREFERENCES_CHANGED"), at: Self.now)
        wanted.timeZone = "Europe/Vienna"
        #expect(try await store.database.preferences.preferences(of: user) == wanted)
        _ = try await store.database.preferences.put(
            wanted, timeZone: "Asia/Tokyo", of: user, recording: NewAuditEvent("PREFERENCES_CHANGED"), at: Self.now)
        wanted.timeZone = "Asia/Tokyo"
        #expect(try await store.database.preferences.preferences(of: user) == wanted)
        #expect(try await store.database.audit.events(of: user, before: nil, atMost: 9).count == 2)
    }

    @Test("a connector is connected again under its id, and a revoked one keeps no token", arguments: StoreKind.all)
    func connectors(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let user = try await store.user()
        let connectors = store.database.connectors
        func connect(_ id: UUID, _ sealed: [UInt8], _ scopes: [String]) async throws {
            try await connectors.connect(
                id, of: user, provider: "google", scopes: scopes, NewToken(sealed: sealed, keyID: "mk", version: 1),
                recording: Self.event, at: Self.now)
        }
        let id = try await connectors.idForConnecting(user, provider: "google")
        try await connect(id, [1], ["calendar.readonly", "gmail.readonly"])
        #expect(try await connectors.idForConnecting(user, provider: "google") == id)

        let reconnect = NewAuditEvent("CONNECTOR_NEEDS_RECONNECT", connector: "google")
        #expect(
            try await !connectors.move(
                id, of: user, to: .needsReconnect, unlessNewerThan: [9], recording: reconnect, at: Self.now))
        #expect(
            try await connectors.move(
                id, of: user, to: .needsReconnect, unlessNewerThan: [1], recording: reconnect, at: Self.now))
        #expect(
            try await !connectors.move(
                id, of: user, to: .needsReconnect, unlessNewerThan: [1], recording: reconnect, at: Self.now))
        try await connect(id, [2], ["calendar.readonly"])
        let connected = try #require(try await connectors.connector(id, of: user))
        #expect(connected.status == .active && connected.sealedToken == [2])
        #expect(connected.scopes == ["calendar.readonly"])
        #expect(try await connectors.connector(id, of: UUID()) == nil)
        await #expect(throws: AssistantStoreError.self) { try await connect(UUID(), [3], []) }

        let revoked = NewAuditEvent("CONNECTOR_REVOKED", connector: "google")
        #expect(try await connectors.move(id, of: user, to: .revoked, recording: revoked, at: Self.now))
        #expect(try await !connectors.move(id, of: user, to: .revoked, recording: revoked, at: Self.now))
        #expect(try await connectors.connector(id, of: user)?.sealedToken == [])
        await #expect(throws: AssistantStoreError.self) { try await connect(id, [4], []) }
        #expect(try await connectors.idForConnecting(user, provider: "google") != id)
        #expect(
            try await store.database.audit.events(of: user, before: nil, atMost: 9).map(\.event.type)
                == ["CONNECTOR_REVOKED", "CONNECTOR_CONNECTED", "CONNECTOR_NEEDS_RECONNECT", "CONNECTOR_CONNECTED"])
    }

    @Test("a token is sealed again only while it is the one that was read", arguments: StoreKind.all)
    func reseals(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let user = try await store.user()
        let connectors = store.database.connectors
        let id = UUID()
        let old = NewToken(sealed: [1], keyID: "mk", version: 1)
        try await connectors.connect(
            id, of: user, provider: "google", scopes: [], old, recording: Self.event, at: Self.now)
        let found = try await connectors.sealed(underOtherThan: "mk", version: 2, atMost: 10)
        #expect(found.map(\.id) == [id])
        let new = NewToken(sealed: [2], keyID: "mk", version: 2)

        #expect(try await connectors.reseal(found[0], new, at: Self.now + 9))
        #expect(try await !connectors.reseal(found[0], NewToken(sealed: [3], keyID: "mk", version: 3), at: Self.now))

        let stored = try #require(try await connectors.connector(id, of: user))
        #expect(stored.sealedToken == [2] && stored.tokenVersion == 2)
        #expect(try await connectors.sealed(underOtherThan: "mk", version: 2, atMost: 10).isEmpty)
    }

    @Test("connectors under an old key are listed part by part", arguments: StoreKind.all)
    func sealedParts(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let connectors = store.database.connectors
        for byte: UInt8 in 1...5 {
            try await connectors.connect(
                UUID(), of: try await store.user(byte), provider: "google", scopes: [],
                NewToken(sealed: [byte], keyID: "mk", version: 1), recording: Self.event, at: Self.now)
        }
        var found: [UUID] = []
        while case let part = try await connectors.sealed(
            underOtherThan: "mk", version: 2, after: found.last, atMost: 2), !part.isEmpty
        { found += part.map(\.id) }
        #expect(found.count == 5 && Set(found).count == 5)
    }

    @Test("a finished deletion leaves no row of the user, and a record without a name", arguments: StoreKind.all)
    func deletion(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let database = store.database
        let user = try await store.user()
        let other = try await store.user(2)
        _ = try await store.session(of: user)
        #expect(try await database.jobs.plan(PlannedJob("CALENDAR_SYNC", due: Self.now), of: user))
        let running = try #require(
            try await database.jobs.lease("CALENDAR_SYNC", atMost: 1, for: 20, at: Self.now).first)
        _ = try await database.privacy.accept("abc", of: user, at: Self.now)
        let unfinished = try await database.privacy.unfinished(atMost: 9)
        #expect(unfinished == [UnfinishedDeletion(id: "abc", userID: user, asked: Self.now)])
        try await database.privacy.begin("abc")
        #expect(try await database.privacy.request("abc")?.status == .running)

        #expect(try await database.privacy.finish(unfinished[0], isRevoked: true, at: Self.now))
        #expect(try await !database.privacy.finish(unfinished[0], isRevoked: true, at: Self.now))

        // Work that was under way brings nothing back.
        #expect(try await !database.jobs.end(running, .due(Self.now + 60), at: Self.now))
        #expect(try await !database.jobs.plan(PlannedJob("CALENDAR_SYNC", due: Self.now), of: user))
        #expect(
            try await !database.calendars.put(
                [1], planning: [], keeping: [], of: user, from: UUID(), at: Self.now))
        #expect(
            try await !database.preferences.put(
                Preferences(timeZone: "UTC"), timeZone: nil, of: user, recording: Self.event, at: Self.now))
        try await database.audit.recordUnlessDeleted(Self.event, of: user, at: Self.now)
        try await database.audit.recordUnlessDeleted(Self.event, of: other, at: Self.now)
        #expect(try await database.audit.events(of: other, before: nil, atMost: 9).count == 1)
        #expect(try await database.audit.verify(user) == .intact(count: 0))
        #expect(try await database.privacy.request("abc")?.status == .done)
        #expect(try await database.privacy.unfinished(atMost: 9).isEmpty)
        #expect(try await database.audit.events(of: user, before: nil, atMost: 9).isEmpty)
        #expect(try await database.preferences.preferences(of: user) == nil)
        #expect(try await database.preferences.preferences(of: other) != nil)
        let final = try await database.audit.events(of: PrivacyRequestStore.noUser, before: nil, atMost: 9)
        #expect(final.map(\.event.type) == ["DELETE_ALL"])
        #expect(final.first?.event.metadata == ["request_id": "del_abc", "revoked_at_provider": true])
    }

    @Test("a consent is taken once, by its session, in its time", arguments: StoreKind.all)
    func consents(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let session = try await store.session(of: try await store.user())
        let consents = store.database.consents
        let consent = PendingConsent(
            userID: session.userID, sessionID: session.id, redirectURI: "alfred://oauth/google/callback",
            sealedVerifier: [5], expires: OpenedStore.start + 600)
        try await consents.add(consent, stateDigest: [1], at: Self.now)

        #expect(try await consents.take([1], session: UUID(), at: Self.now) == nil)
        let taken = try #require(try await consents.take([1], session: session.id, at: Self.now + 599))
        #expect(taken.sealedVerifier == [5] && taken.redirectURI == consent.redirectURI)
        #expect(try await consents.take([1], session: session.id, at: Self.now) == nil)
        try await consents.add(consent, stateDigest: [2], at: Self.now)
        #expect(try await consents.take([2], session: session.id, at: Self.now + 600) == nil)
        for number in 0..<12 {
            let later = PendingConsent(
                userID: session.userID, sessionID: session.id, redirectURI: "", sealedVerifier: [],
                expires: Self.now + 601 + number)
            try await consents.add(later, stateDigest: [3, UInt8(number)], at: Self.now)
        }
        var waiting = 0
        for number in 0..<12
        where try await consents.take([3, UInt8(number)], session: session.id, at: Self.now) != nil {
            waiting += 1
        }
        #expect(waiting == ConsentStore.most)
    }

    @Test("pages of events stay the same when events are added", arguments: StoreKind.all)
    func pages(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let user = try await store.user()
        let audit = store.database.audit
        for number in 1...5 { try await audit.record(NewAuditEvent("E\(number)"), of: user, at: Self.now) }

        let first = try await audit.events(of: user, before: nil, atMost: 2)
        try await audit.record(NewAuditEvent("E6"), of: user, at: Self.now)
        let second = try await audit.events(of: user, before: first.last?.position, atMost: 9)

        #expect((first + second).map(\.event.type) == ["E5", "E4", "E3", "E2", "E1"])
        #expect(try await audit.events(of: UUID(), before: nil, atMost: 9).isEmpty)
    }

    @Test(
        "a changed, missing or moved event breaks the chain", arguments: StoreKind.all,
        [
            "UPDATE audit_events SET result = 'FAILURE' WHERE position = 2",
            "UPDATE audit_events SET redacted_metadata = '{\"n\":9}' WHERE position = 2",
            "DELETE FROM audit_events WHERE position = 2", "DELETE FROM audit_events WHERE position = 3",
            "DELETE FROM audit_chains",
            "UPDATE audit_events SET created_at = '2026-01-01T00:00:00.000Z' WHERE position = 2",
        ])
    func tampering(_ kind: StoreKind, _ sql: String) async throws {
        let store = try await OpenedStore(kind)
        let user = try await store.user()
        for number in 1...3 {
            try await store.database.audit.record(
                NewAuditEvent("E", metadata: ["n": .number(Double(number))]), of: user, at: Self.now)
        }
        #expect(try await store.database.audit.verify(user) == .intact(count: 3))
        try await store.database.driver.transaction(.writing) { try $0.runScript(sql) }
        guard case .broken = try await store.database.audit.verify(user) else {
            Issue.record("the change went unnoticed")
            return
        }
    }

    @Test("the chain stays verifiable after its beginning was removed", arguments: StoreKind.all)
    func pruned(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let user = try await store.user()
        let audit = store.database.audit
        for number in 0..<4 { try await audit.record(NewAuditEvent("E"), of: user, at: Self.now + number * 10) }

        #expect(try await audit.remove(before: Self.now + 15) == 2)

        #expect(try await audit.verify(user) == .intact(count: 2))
        try await audit.record(NewAuditEvent("F"), of: user, at: Self.now + 50)
        #expect(try await audit.verify(user) == .intact(count: 3))
    }
}
