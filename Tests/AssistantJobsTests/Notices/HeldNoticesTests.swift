import AssistantStore
import Foundation
import Notifications
import TestServers
import Testing

@testable import AssistantJobs

@Suite("Notices in quiet hours", .timeLimit(.minutes(4)))
struct HeldNoticesTests {
    private static let night = NoticeStage.night
    private static let morning = NoticeStage.morning

    static let rules: [(String, Notice, isHeld: Bool)] = [
        ("a reminder of a meeting within them", NoticeStage.notice(at: night, begins: night + 900), true),
        ("a reminder of an unknown beginning", NoticeStage.notice(at: night), true),
        ("a reminder of a meeting after them", NoticeStage.notice(at: night, begins: morning + 300), false),
        ("a reminder of a meeting at their end", NoticeStage.notice(at: night, begins: morning), false),
        ("the morning brief", NoticeStage.notice(.morningBrief, at: night), false),
        ("urgent mail", NoticeStage.notice(.urgentMail, at: night, sender: "eve@provider.net"), true),
        ("urgent mail of an unknown sender", NoticeStage.notice(.urgentMail, at: night), true),
        (
            "urgent mail of a marked sender", NoticeStage.notice(.urgentMail, at: night, sender: "Ada@Provider.net"),
            false
        ),
        ("urgent mail of a marked domain", NoticeStage.notice(.urgentMail, at: night, sender: "x@work.example"), false),
        (
            "urgent mail of another domain", NoticeStage.notice(.urgentMail, at: night, sender: "x@sub.work.example"),
            true
        ),
        ("a connection to renew", NoticeStage.notice(.reconnect, at: night), true),
        ("a statement", NoticeStage.notice(.statement, at: night), true),
        ("a confirmation", NoticeStage.notice(.confirmation, at: night), true),
    ]

    @Test("hold what should not wake the user", arguments: rules)
    func held(_ name: String, _ notice: Notice, _ isHeld: Bool) async throws {
        try await NoticeStage.run { stage in
            let (user, _) = try await stage.userWithPhone()
            try await stage.wish(user) { $0.markedSenders = ["ada@provider.net", "@work.example"] }
            let outcome = try await stage.delivery.deliver(notice, to: user, at: Self.night)
            #expect(outcome == (isHeld ? .held : .accepted), "\(name)")
            #expect(await stage.apns.pushes.count == (isHeld ? 0 : 1))
            // By day nothing is held.
            #expect(try await stage.delivery.deliver(notice, to: user, at: Self.morning) == .accepted)
        }
    }

    @Test("a user can have reminders in quiet hours, and no quiet hours")
    func wishes() async throws {
        try await NoticeStage.run { stage in
            let (user, _) = try await stage.userWithPhone()
            let reminder = NoticeStage.notice(at: Self.night, begins: Self.night + 900)
            try await stage.wish(user) { $0.remindsInQuietHours = true }
            #expect(try await stage.delivery.deliver(reminder, to: user, at: Self.night) == .accepted)
            try await stage.wish(user) { $0.remindsInQuietHours = false }
            #expect(try await stage.delivery.deliver(reminder, to: user, at: Self.night) == .held)
            try await stage.put(user, at: Self.night) { $0.quietHoursStart = $0.quietHoursEnd }
            #expect(try await stage.delivery.deliver(reminder, to: user, at: Self.night) == .accepted)
        }
    }

    @Test("all that was held comes as one notice at the end", arguments: NoticeStage.Store.all)
    func released(_ store: NoticeStage.Store) async throws {
        try await NoticeStage.run(store) { stage in
            let (user, token) = try await stage.userWithPhone(1)
            let (other, otherToken) = try await stage.userWithPhone(2)
            try await stage.wish(other) { $0.showsDetails = true }
            for key in ["a", "b", "a"] {
                let notice = NoticeStage.notice(key: key, at: Self.night)
                #expect(try await stage.delivery.deliver(notice, to: user, at: Self.night) == .held)
            }
            _ = try await stage.delivery.deliver(
                NoticeStage.notice(.urgentMail, key: "m", at: Self.night), to: user, at: Self.night)
            _ = try await stage.delivery.deliver(
                NoticeStage.notice(key: "x", at: Self.night), to: other, at: Self.night)

            #expect(try await stage.held.releaseDue(at: Self.morning - 1) == 0)
            #expect(await stage.apns.pushes.isEmpty)
            #expect(try await stage.held.releaseDue(at: Self.morning) == 2)
            #expect(try await stage.held.releaseDue(at: Self.morning + 3600) == 0)

            let pushes = await stage.apns.pushes
            #expect(pushes.count == 2)
            let plain = try #require(pushes.first { $0.device == token })
            #expect(plain.json["aps"]?["category"] == "HELD_NOTICES")
            #expect(plain.json["aps"]?["alert"]?["body"] == "2 meeting reminders, 1 urgent email")
            #expect(plain.json["link"] == "alfred://notices")
            let detailed = try #require(pushes.first { $0.device == otherToken })
            #expect(detailed.json["aps"]?["alert"]?["body"] == "Budget with Ada: 09:30, room 4")
            #expect(detailed.json["link"] == "alfred://meetings/x" && detailed.json["id"] == "id-x")
        }
    }

    @Test("held notices name no one in the database", arguments: NoticeStage.Store.all)
    func sealed(_ store: NoticeStage.Store) async throws {
        try await NoticeStage.run(store) { stage in
            let (user, _) = try await stage.userWithPhone()
            try await stage.wish(user) { $0.markedSenders = ["canary-sender@provider.net"] }
            let notice = NoticeStage.notice(key: "canary-key", at: Self.night)
            _ = try await stage.delivery.deliver(notice, to: user, at: Self.night)
            var seen: Data
            switch store {
            case .postgres: seen = try await LoopbackPostgres.dump(stage.databaseURL)
            case .sqlite:
                let file = String(stage.databaseURL.dropFirst("sqlite:".count))
                seen = try Data(contentsOf: URL(filePath: file)) + Data(contentsOf: URL(filePath: file + "-wal"))
            }
            for canary in ["canary-sender", "canary-key", "Budget", "Meeting soon"] {
                #expect(seen.range(of: Data(canary.utf8)) == nil, "\(canary)")
            }
            #expect(seen.range(of: Data(user.uuidString.lowercased().utf8)) != nil, "the search finds what is there")
            let held = try #require(try await stage.database.notices.held(of: user).first)
            #expect(SealedNotice.open(held.sealed, of: user, held.collapseDigest, stage.keys)?.id == notice.id)
            #expect(SealedNotice.open(held.sealed, of: UUID(), held.collapseDigest, stage.keys) == nil)
        }
    }

    @Test("quiet hours that are changed, or move with the zone, hold as they are now")
    func changed() async throws {
        try await NoticeStage.run { stage in
            let (user, _) = try await stage.userWithPhone()
            func hold() async throws {
                _ = try await stage.delivery.deliver(NoticeStage.notice(at: Self.night), to: user, at: Self.night)
            }
            try await hold()
            // The user travels: in New York it is quiet until noon in Vienna is over.
            try await stage.put(user, at: Self.night + 60) { $0.timeZone = "America/New_York" }
            #expect(try await stage.held.releaseDue(at: Self.morning) == 0)
            #expect(await stage.apns.pushes.isEmpty)
            #expect(try await stage.held.releaseDue(at: Self.morning + 6 * 3600) == 1)

            try await stage.put(user, at: Self.night) { $0.timeZone = "Europe/Vienna" }
            try await hold()
            // Quiet hours end earlier now.
            try await stage.put(user, at: Self.night + 60) { $0.quietHoursEnd = "03:30" }
            #expect(try await stage.held.releaseDue(at: Self.night + 120) == 0)
            #expect(try await stage.held.releaseDue(at: Self.night + 1800) == 1)
            #expect(await stage.apns.pushes.count == 2)
        }
    }

    @Test("two workers send a user's held notices once", arguments: NoticeStage.Store.all)
    func twoWorkers(_ store: NoticeStage.Store) async throws {
        try await NoticeStage.run(store) { stage in
            for byte: UInt8 in 1...30 {
                let (user, _) = try await stage.userWithPhone(byte)
                _ = try await stage.delivery.deliver(NoticeStage.notice(at: Self.night), to: user, at: Self.night)
            }
            async let first = stage.held.releaseDue(at: Self.morning)
            async let second = stage.held.releaseDue(at: Self.morning)
            #expect(try await first + second == 30)
            let devices = await stage.apns.pushes.map(\.device)
            #expect(devices.count == 30 && Set(devices).count == 30)
        }
    }

    @Test("a worker that died after sending leaves one notice on the device: the second has the same id")
    func diedAfterSending() async throws {
        try await NoticeStage.run { stage in
            let (user, _) = try await stage.userWithPhone()
            for key in ["a", "b"] {
                _ = try await stage.delivery.deliver(
                    NoticeStage.notice(key: key, at: Self.night), to: user, at: Self.night)
            }
            let held = try await stage.database.notices.held(of: user)
            #expect(try await stage.held.releaseDue(at: Self.morning) == 1)
            // As if nothing had been forgotten.
            for notice in held {
                _ = try await stage.database.notices.hold(
                    notice.sealed, collapseDigest: notice.collapseDigest, of: user, until: Self.morning, at: Self.night)
            }
            let again = try #require(try await stage.database.notices.held(of: user).first)
            #expect(again.id != held[0].id)
            let merged = HeldNotices.merged([NoticeStage.notice()], key: "held-\(held[0].id)", at: Self.morning)
            #expect(merged.collapseKey == "held-\(held[0].id)")
        }
    }

    @Test("what cannot be sent waits, and is not lost")
    func waits() async throws {
        try await NoticeStage.run { stage in
            let user = try await stage.user()
            _ = try await stage.delivery.deliver(NoticeStage.notice(at: Self.night), to: user, at: Self.night)
            // No device yet.
            #expect(try await stage.held.releaseDue(at: Self.morning) == 0)
            try await stage.phone(of: user, byte: 1)
            await stage.apns.answer(with: .init(503, "ServiceUnavailable", retryAfter: "40"))
            #expect(try await stage.held.releaseDue(at: Self.morning + 3600) == 0)
            #expect(try await stage.held.releaseDue(at: Self.morning + 3639) == 0)
            #expect(await stage.apns.pushes.count == 1)
            #expect(try await stage.held.releaseDue(at: Self.morning + 3640) == 1)
        }
    }

    @Test("notices that no device could get for a day are forgotten")
    func forgotten() async throws {
        try await NoticeStage.run { stage in
            let user = try await stage.user()
            _ = try await stage.delivery.deliver(NoticeStage.notice(at: Self.night), to: user, at: Self.night)
            _ = try await stage.held.releaseDue(at: Self.morning)
            #expect(try await stage.database.notices.held(of: user).count == 1)
            _ = try await stage.held.releaseDue(at: Self.night + 86_400 + 5 * 3600)
            #expect(try await stage.database.notices.held(of: user).isEmpty)
            #expect(
                try await stage.database.notices.takeDue(atMost: 9, until: .distantFuture, at: .distantFuture).isEmpty)
        }
    }

    @Test("nothing that is held stays of a deleted user", arguments: NoticeStage.Store.all)
    func deleted(_ store: NoticeStage.Store) async throws {
        try await NoticeStage.run(store) { stage in
            let (user, _) = try await stage.userWithPhone()
            try await stage.wish(user) { $0.markedSenders = ["ada@provider.net"] }
            _ = try await stage.delivery.deliver(NoticeStage.notice(at: Self.night), to: user, at: Self.night)
            let request = try await stage.database.privacy.accept("d1", of: user, at: Self.night)
            _ = try await stage.database.privacy.finish(
                UnfinishedDeletion(id: request.id, userID: user, asked: Self.night), isRevoked: true, at: Self.night)
            #expect(try await stage.database.notices.held(of: user).isEmpty)
            #expect(try await stage.database.notificationPreferences.preferences(of: user) == .init())
            #expect(try await stage.held.releaseDue(at: Self.morning) == 0)
            #expect(await stage.apns.pushes.isEmpty)
        }
    }
}

extension Date {
    static func + (date: Date, seconds: Int) -> Date { date.addingTimeInterval(TimeInterval(seconds)) }
    static func - (date: Date, seconds: Int) -> Date { date.addingTimeInterval(-TimeInterval(seconds)) }
}
