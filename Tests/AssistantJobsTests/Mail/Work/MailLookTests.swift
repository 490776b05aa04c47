import AssistantProcesses
import AssistantStore
import CurlClient
import Foundation
import MockGoogle
import Secrets
import Synchronization
import TestSupport
import Testing

@testable import AssistantJobs

/// A mailbox at a mock of Google, and a database with one user.
struct MailStage: Sendable {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)

    let google: MockGoogleServer
    let database: AssistantDatabase
    let keys: StateKeys
    let user: UUID
    let connector = UUID()
    let mailbox: MailClient
    private let folder: TemporaryFolder

    static func run(_ body: (MailStage) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let google = try await MockGoogleServer.start()
        let database = try await AssistantDatabase.open("sqlite:\(folder.appending("assistant.sqlite").path)")
        let admission = try await database.users.admit([1], .open, timeZone: "UTC", at: now)
        guard case .new(let user) = admission else { throw AssistantStoreError(.other, "\(admission)") }
        var endpoints = GoogleEndpoints()
        endpoints.api = google.url
        var curl = CurlConfiguration()
        curl.keepsCookies = false
        let token = Secret(await google.account.accessTokenForTests())
        let stage = MailStage(
            google: google, database: database, keys: try StateKeys(in: folder.appending("state")), user: user,
            mailbox: MailClient(GoogleAPI(token: token, endpoints: endpoints, over: CurlSession(curl))), folder: folder)
        do {
            try await body(stage)
        } catch {
            await google.stop()
            throw error
        }
        await google.stop()
        await database.close()
    }

    var look: MailLook { MailLook(database, keys, of: user) }

    /// Looks at the mailbox, and returns the number of new alerts.
    func look(
        _ wishes: NotificationPreferences = NotificationPreferences(), statements: (any StatementMailTaking)? = nil
    ) async throws -> Int {
        let count = AlertCounter()
        _ = try await MailLook(database, keys, of: user, onAlert: { count.add() }).look(
            at: mailbox, connector: connector, connected: Self.now, wishes, statements: statements, at: Self.now)
        return count.value
    }

    func subjects() async throws -> [String] {
        try await database.alerts.alerts(of: user, since: .distantPast).map {
            try AlertedMail($0.sealedMail, of: $0.id, keys).subject
        }
    }
}

@Suite("A look at a mailbox") struct MailLookTests {
    @Test("makes one alert of each urgent message, and none of mail from before")
    func alerts() async throws {
        try await MailStage.run { stage in
            let account = stage.google.account
            await account.deliver(
                "old", from: "a@x.example", "URGENT: old", at: MailStage.now.addingTimeInterval(-1))
            // It came between the connection and the first look.
            await account.deliver("m0", from: "a@x.example", "URGENT: first", at: MailStage.now)
            #expect(try await stage.look() == 1)
            await account.deliver(
                "m1", from: "Ann <ann@x.example>", "Due today\u{202E}", body: "a body", at: MailStage.now)
            await account.deliver("m2", from: "bo@y.example", "Lunch?", at: MailStage.now)
            await account.deliver(
                "m3", from: "c@z.example", "Hello", at: MailStage.now, headers: [("Importance", "high")])
            await account.deliver("m4", from: "c@z.example", "URGENT", at: MailStage.now, labels: ["SPAM"])

            #expect(try await stage.look() == 2)
            #expect(try await Set(stage.subjects()) == ["URGENT: first", "Due today", "Hello"])
            #expect(try await stage.look() == 0)
            let stored = try await stage.database.alerts.alerts(of: stage.user, since: .distantPast)
            #expect(Set(stored.flatMap(\.rules)) == ["deadlines", "importance"])

            let calls = await account.calls.filter { $0.contains("/messages/") }
            #expect(calls.count == 4 && calls.allSatisfy { $0.contains("format=metadata") }, "spam is not read")
        }
    }

    @Test("knows the people and conversations to which the user has written, before and after the first look")
    func acquaintances() async throws {
        try await MailStage.run { stage in
            let account = stage.google.account
            await account.deliver(
                "s1", from: "me@mail.example", "Plan", at: MailStage.now.addingTimeInterval(-3600), labels: ["SENT"],
                to: "Ann <ann@x.example>", thread: "t1")
            _ = try await stage.look()
            await account.deliver("m1", from: "ann@x.example", "Re: Plan", at: MailStage.now, thread: "t1")
            await account.deliver("m2", from: "ann@x.example", "Something else", at: MailStage.now)
            await account.deliver("m3", from: "bo@y.example", "Re: Trip", at: MailStage.now, thread: "t2")
            #expect(try await stage.look() == 1)
            #expect(try await stage.subjects() == ["Re: Plan"])

            await account.deliver(
                "s2", from: "me@mail.example", "Re: Trip", at: MailStage.now, labels: ["SENT"], to: "bo@y.example",
                thread: "t2")
            await account.deliver("m4", from: "Bo <bo@y.example>", "Re: Re: Trip", at: MailStage.now, thread: "t2")
            #expect(try await stage.look() == 1)
            #expect(try await stage.subjects().contains("Re: Re: Trip"))
        }
    }

    @Test("begins at a new place when Google has forgotten the old one, or another account is connected")
    func forgotten() async throws {
        try await MailStage.run { stage in
            let account = stage.google.account
            _ = try await stage.look()
            await account.deliver("m1", from: "a@x.example", "URGENT 1", at: MailStage.now)
            await account.forgetHistory()
            // Mail since the last look is not lost.
            #expect(try await stage.look() == 1)
            #expect(try await stage.look() == 0)
            await account.deliver("m2", from: "a@x.example", "URGENT 2", at: MailStage.now)
            #expect(try await stage.look() == 1)
            #expect(try await stage.database.mail.place(of: stage.user, connector: UUID()) == nil)
        }
    }

    @Test("goes on where it broke off, without a second alert")
    func interrupted() async throws {
        try await MailStage.run { stage in
            let account = stage.google.account
            _ = try await stage.look()
            await account.deliver("m1", from: "a@x.example", "URGENT 1", at: MailStage.now)
            await account.deliver("m2", from: "a@x.example", "URGENT 2", at: MailStage.now)
            let failing = FailingOnce()
            await #expect(throws: AssistantStateError.self) { try await stage.look(statements: failing) }
            #expect(try await stage.subjects() == ["URGENT 1"])
            #expect(try await stage.look(statements: failing) == 1)
            #expect(try await Set(stage.subjects()) == ["URGENT 1", "URGENT 2"])
        }
    }

    @Test("a mail that waits for the broker is shown again, and its neighbours have one alert")
    func waiting() async throws {
        try await MailStage.run { stage in
            let account = stage.google.account
            _ = try await stage.look()
            await account.deliver("m1", from: "a@x.example", "URGENT 1", at: MailStage.now)
            await account.deliver("m2", from: "a@x.example", "URGENT 2", at: MailStage.now)
            let broker = FailingOnce(StatementsUnavailable())
            #expect(try await stage.look(statements: broker) == 2)
            #expect(try await stage.look(statements: broker) == 0)
            #expect(broker.taken == ["URGENT 1", "URGENT 2", "URGENT 1", "URGENT 2"])
            #expect(try await stage.look(statements: broker) == 0)
            #expect(broker.taken.count == 4)
        }
    }

    @Test("what came while alerts were off is not looked at later")
    func skipped() async throws {
        try await MailStage.run { stage in
            _ = try await stage.look()
            let account = stage.google.account
            await account.deliver("m1", from: "a@x.example", "URGENT 1", at: MailStage.now.addingTimeInterval(-9))
            try await stage.look.skip(connector: stage.connector, at: MailStage.now)
            await account.deliver("m2", from: "a@x.example", "URGENT 2", at: MailStage.now)
            #expect(try await stage.look() == 1)
            #expect(try await stage.subjects() == ["URGENT 2"])
        }
    }

    @Test("shows for a brief what is urgent and still there, without what the user called not urgent")
    func forBrief() async throws {
        try await MailStage.run { stage in
            let account = stage.google.account
            _ = try await stage.look()
            let day = MailStage.now.addingTimeInterval(-86_400)
            await account.deliver("m0", from: "a@x.example", "URGENT 0", at: day.addingTimeInterval(-10))
            for number in 1...3 {
                await account.deliver("m\(number)", from: "a@x.example", "URGENT \(number)", at: MailStage.now)
            }
            await account.deliver("m4", from: "a@x.example", "Lunch?", at: MailStage.now)
            _ = try await stage.look()
            await account.delete(message: "m1")
            for alert in try await stage.database.alerts.alerts(of: stage.user, since: .distantPast)
            where try AlertedMail(alert.sealedMail, of: alert.id, stage.keys).subject == "URGENT 2" {
                _ = try await stage.database.alerts.judge(alert.id, of: stage.user, isUrgent: false)
            }
            let found = try await stage.look.urgentMail(
                in: stage.mailbox, NotificationPreferences(), since: day, atMost: 50)
            #expect(found.map(\.subject) == ["URGENT 3"])
            // A message that came a moment before the first look has no alert, and is shown all the same.
            await account.deliver("m5", from: "vip@v.example", "Hi", at: MailStage.now)
            var wishes = NotificationPreferences()
            wishes.markedSenders = ["@v.example"]
            let more = try await stage.look.urgentMail(in: stage.mailbox, wishes, since: day, atMost: 50)
            #expect(Set(more.map(\.subject)) == ["URGENT 3", "Hi"])
        }
    }
}

final class AlertCounter: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
}

/// Fails at the first message.
private final class FailingOnce: StatementMailTaking {
    private let subjects = Mutex<[String]>([])
    private let error: any Error

    init(_ error: any Error = AssistantStateError("a look that breaks off")) {
        self.error = error
    }

    var taken: [String] { subjects.withLock { $0 } }

    func take(_ mail: ReceivedMail, of userID: UUID, at now: Date) async throws {
        let isFirst = subjects.withLock { subjects in
            subjects.append(mail.subject)
            return subjects.count == 1
        }
        if isFirst { throw error }
    }
}
