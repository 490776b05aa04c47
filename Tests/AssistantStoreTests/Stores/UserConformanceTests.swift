import Foundation
import Testing

@testable import AssistantStore

@Suite("Store conformance: users, sessions and passkeys") struct UserConformanceTests {
    private static let now = OpenedStore.start
    private static let identity = [UInt8](repeating: 7, count: 32)

    @Test("the first sign-in makes a user with the specification's preferences", arguments: StoreKind.all)
    func admits(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let users = store.database.users

        let user = try await store.user(7)

        #expect(try await users.admit(Self.identity, .closed, timeZone: "UTC", at: Self.now) == .known(user))
        #expect(try await users.admit([1], .closed, timeZone: "UTC", at: Self.now) == .refused)
        let preferences = try #require(try await store.database.preferences.preferences(of: user))
        #expect(preferences == Preferences(timeZone: "Europe/Vienna"))
        #expect(preferences.meetingReminderMinutes == 15)
    }

    @Test("eight first sign-ins at once make one user", arguments: StoreKind.all)
    func race(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let users = try await withThrowingTaskGroup(of: Admission.self, returning: Set<Admission>.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await store.database.users.admit(Self.identity, .open, timeZone: "UTC", at: Self.now)
                }
            }
            return try await group.reduce(into: []) { $0.insert($1) }
        }
        let ids = Set(
            users.map { if case .known(let id) = $0 { id } else if case .new(let id) = $0 { id } else { UUID() } })
        #expect(ids.count == 1)
        #expect(users.filter { if case .new = $0 { true } else { false } }.count == 1)
    }

    @Test("an invitation admits one user, in its time", arguments: StoreKind.all)
    func invitations(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let users = store.database.users
        try await store.database.invitations.add([1], expires: Self.now + 60, at: Self.now)
        try await store.database.invitations.add([2], expires: Self.now + 60, at: Self.now)

        #expect(try await users.admit([9], .invite(nil), timeZone: "UTC", at: Self.now) == .refused)
        #expect(try await users.admit([9], .invite([3]), timeZone: "UTC", at: Self.now) == .refused)
        #expect(try await users.admit([9], .invite([2]), timeZone: "UTC", at: Self.now + 61) == .refused)
        let first = try await users.admit([9], .invite([1]), timeZone: "UTC", at: Self.now)
        guard case .new = first else { throw AssistantStoreError(.other, "\(first)") }
        #expect(try await users.admit([8], .invite([1]), timeZone: "UTC", at: Self.now) == .refused)
    }

    @Test("a refresh token works once, and its reuse ends the session", arguments: StoreKind.all)
    func rotation(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let sessions = store.database.sessions
        let session = try await store.session(of: try await store.user())
        let later = Self.now + 7200

        #expect(try await sessions.rotate([1], to: [2], expires: later, at: Self.now) == .rotated(session))
        #expect(try await sessions.isOpen(session.id, of: session.userID, at: Self.now + 7000))
        #expect(try await sessions.rotate([2], to: [3], expires: later, at: Self.now) == .rotated(session))
        #expect(try await sessions.rotate([1], to: [4], expires: later, at: Self.now) == .reused(session))
        #expect(try await sessions.rotate([3], to: [5], expires: later, at: Self.now) == .unknown)
        #expect(try await !sessions.isOpen(session.id, of: session.userID, at: Self.now))
        #expect(try await sessions.rotate([9], to: [6], expires: later, at: Self.now) == .unknown)
    }

    @Test("of eight rotations of one token at once, one wins", arguments: StoreKind.all)
    func rotationRace(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let session = try await store.session(of: try await store.user())
        let outcomes = try await withThrowingTaskGroup(of: Rotation.self, returning: [Rotation].self) { group in
            for number in 0..<8 {
                group.addTask {
                    try await store.database.sessions.rotate(
                        [1], to: [10, UInt8(number)], expires: Self.now + 7200, at: Self.now)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.filter { $0 == .rotated(session) }.count == 1)
        #expect(outcomes.contains(.reused(session)))
    }

    @Test("a session is over at its end, and another user's is not one's own", arguments: StoreKind.all)
    func ends(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let sessions = store.database.sessions
        let session = try await store.session(of: try await store.user())
        let stranger = try await store.user(2)

        #expect(try await !sessions.isOpen(session.id, of: stranger, at: Self.now))
        #expect(try await !sessions.isOpen(session.id, of: session.userID, at: Self.now + 3600))
        #expect(try await sessions.rotate([1], to: [2], expires: Self.now + 9000, at: Self.now + 3600) == .unknown)
        try await sessions.end(session.id, at: Self.now)
        #expect(try await !sessions.isOpen(session.id, of: session.userID, at: Self.now))
        #expect(try await sessions.removeEnded(before: Self.now + 1) == 1)
        #expect(try await sessions.removeEnded(before: Self.now + 1) == 0)
    }

    @Test("a challenge counts once until it is too old, and leaves nothing afterwards", arguments: StoreKind.all)
    func challenges(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let passkeys = store.database.passkeys
        let passkey = StoredPasskey(
            credentialID: [1], userID: UUID(), publicKey: [2], signCount: 0, isBackupEligible: false)
        let first = AnsweredChallenge(digest: [1], expires: Self.now + 60)
        let second = AnsweredChallenge(digest: [2], expires: Self.now + 60)

        // A stranger who is not admitted leaves nothing: the challenge counts afterwards.
        #expect(
            try await !passkeys.register(passkey, .closed, timeZone: "UTC", answering: first, at: Self.now))
        #expect(try await passkeys.register(passkey, .open, timeZone: "UTC", answering: first, at: Self.now))
        #expect(try await !passkeys.count(passkey, 0, answering: first, at: Self.now))
        #expect(try await passkeys.count(passkey, 0, answering: second, at: Self.now))
        #expect(try await !passkeys.count(passkey, 0, answering: second, at: Self.now + 59))
        // At its end the row goes; the service refuses the challenge itself from then on.
        let third = AnsweredChallenge(digest: [3], expires: Self.now + 120)
        #expect(try await passkeys.count(passkey, 0, answering: third, at: Self.now + 60))
        let rows = try await store.database.driver.transaction(.reading) { session in
            try session.rows("SELECT digest FROM answered_challenges", []).map { try $0.bytes("digest") }
        }
        #expect(rows == [[3]])
        let other = StoredPasskey(
            credentialID: [9], userID: UUID(), publicKey: [2], signCount: 0, isBackupEligible: false)
        let error = await #expect(throws: AssistantStoreError.self) {
            try await passkeys.register(other, .open, timeZone: "UTC", answering: third, at: Self.now + 60)
        }
        #expect(error?.code == .conflict)
        #expect(try await passkeys.passkey([9]) == nil)
    }

    @Test("a passkey makes one user, and its counter is raised once", arguments: StoreKind.all)
    func passkeys(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let passkeys = store.database.passkeys
        let passkey = StoredPasskey(
            credentialID: [1], userID: UUID(), publicKey: [2], signCount: 4_294_967_295, isBackupEligible: true)

        func challenge(_ number: UInt8) -> AnsweredChallenge {
            AnsweredChallenge(digest: [number], expires: Self.now + 60)
        }

        #expect(
            try await !passkeys.register(passkey, .closed, timeZone: "UTC", answering: challenge(1), at: Self.now))
        #expect(try await passkeys.passkey([1]) == nil)
        #expect(try await passkeys.register(passkey, .open, timeZone: "UTC", answering: challenge(1), at: Self.now))
        #expect(try await passkeys.passkey([1]) == passkey)
        let again = StoredPasskey(
            credentialID: [1], userID: UUID(), publicKey: [3], signCount: 0, isBackupEligible: false)
        let error = await #expect(throws: AssistantStoreError.self) {
            try await passkeys.register(again, .open, timeZone: "UTC", answering: challenge(2), at: Self.now)
        }
        #expect(error?.code == .conflict)
        #expect(try await passkeys.count(passkey, 5, answering: challenge(3), at: Self.now))
        #expect(try await !passkeys.count(passkey, 6, answering: challenge(4), at: Self.now))
    }

    @Test("a request to delete everything ends the sessions and sign-ins", arguments: StoreKind.all)
    func privacy(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let user = try await store.user(7)
        let session = try await store.session(of: user)

        let request = try await store.database.privacy.accept("abc", of: user, at: Self.now)
        let second = try await store.database.privacy.accept("def", of: user, at: Self.now)

        #expect(request == PrivacyRequest(id: "abc", status: .queued))
        #expect(second == request)
        #expect(try await store.database.privacy.request("abc") == request)
        #expect(try await store.database.privacy.request("def") == nil)
        #expect(try await !store.database.sessions.isOpen(session.id, of: user, at: Self.now))
        #expect(try await store.database.users.admit(Self.identity, .open, timeZone: "UTC", at: Self.now) == .leaving)
    }
}
