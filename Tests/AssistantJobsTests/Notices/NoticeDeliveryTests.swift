import AssistantStore
import Foundation
import Logging
import Notifications
import TestServers
import Testing

@testable import AssistantJobs

@Suite("The delivery of notices", .timeLimit(.minutes(4)))
struct NoticeDeliveryTests {
    @Test("a notice goes to every device, with generic words", arguments: NoticeStage.Store.all)
    func sent(_ store: NoticeStage.Store) async throws {
        try await NoticeStage.run(store) { stage in
            let user = try await stage.user()
            let tokens = [
                try await stage.phone(of: user, byte: 1), try await stage.phone(of: user, "tablet", byte: 2),
            ]
            let outcome = try await stage.delivery.deliver(NoticeStage.notice(), to: user, at: NoticeStage.noon)
            #expect(outcome == .accepted)
            let pushes = await stage.apns.pushes
            #expect(Set(pushes.map(\.device)) == Set(tokens) && pushes.count == 2)
            #expect(
                pushes[0].json == [
                    "aps": [
                        "alert": ["title": "Meeting soon", "body": "In 15 minutes"], "category": "MEETING_REMINDER",
                    ], "id": "id-meeting-1", "link": "alfred://meetings/meeting-1",
                ])
            #expect(pushes[0].headers["apns-collapse-id"] == "meeting-1")
            let events = try await stage.database.audit.events(of: user, before: nil, atMost: 9)
            #expect(events.map(\.event.type) == ["NOTICE_SENT"])
            #expect(events[0].event.metadata == ["kind": "MEETING_REMINDER", "channels": ["apns"]])
            let metrics = try await stage.database.metrics.text(prefix: "")
            #expect(metrics.contains("pushes_total{channel=\"apns\",outcome=\"accepted\"} 2\n"))
            #expect(metrics.contains("push_duration_seconds_count{channel=\"apns\"} 2\n"))
        }
    }

    @Test("workers share Apple's token, which the database keeps sealed", arguments: NoticeStage.Store.all)
    func oneToken(_ store: NoticeStage.Store) async throws {
        try await NoticeStage.run(store) { stage in
            let (user, _) = try await stage.userWithPhone()
            // Another process, or the same one after a restart.
            let other = try NoticeDelivery(
                stage.settings, state: stage.folder.url, database: stage.database, keys: stage.keys,
                logger: Logger(label: "notices") { _ in SwiftLogNoOpLogHandler() })
            let later = NoticeStage.noon.addingTimeInterval(41 * 60)
            for (delivery, now) in [
                (stage.delivery, NoticeStage.noon), (other, NoticeStage.noon), (stage.delivery, later), (other, later),
            ] {
                #expect(try await delivery.deliver(NoticeStage.notice(), to: user, at: now) == .accepted)
            }
            await other.close()
            let tokens = await stage.apns.pushes.map(\.token)
            #expect(tokens.count == 4 && tokens[0] == tokens[1] && tokens[1] != tokens[2] && tokens[2] == tokens[3])
            let name = try #require(stage.settings.apns?.signer)
            let stored = try #require(try await stage.database.providerTokens.token(name))
            #expect(stored.madeAt == later)
            #expect(!String(decoding: stored.sealed, as: UTF8.self).contains(tokens[3].prefix(20)))
        }
    }

    @Test("a kept token that cannot be opened is replaced")
    func unreadableToken() async throws {
        try await NoticeStage.run { stage in
            let (user, _) = try await stage.userWithPhone()
            let name = try #require(stage.settings.apns?.signer)
            #expect(
                try await stage.database.providerTokens.replace(
                    nil, with: StoredProviderToken(sealed: [1, 2, 3], madeAt: NoticeStage.noon), name))
            #expect(
                try await stage.delivery.deliver(NoticeStage.notice(), to: user, at: NoticeStage.noon) == .accepted)
            #expect(try await stage.database.providerTokens.token(name)?.sealed != [1, 2, 3])
        }
    }

    @Test("details are shown to a user who asked for them, and to no other")
    func details() async throws {
        try await NoticeStage.run { stage in
            let (curious, _) = try await stage.userWithPhone(1)
            let (other, token) = try await stage.userWithPhone(2)
            try await stage.wish(curious) { $0.showsDetails = true }
            for user in [curious, other] {
                _ = try await stage.delivery.deliver(NoticeStage.notice(), to: user, at: NoticeStage.noon)
            }
            for push in await stage.apns.pushes {
                let isPlain = push.device == token
                #expect(
                    push.json["aps"]?["alert"]?["title"] == (isPlain ? "Meeting soon" : "Budget with Ada"))
                #expect(String(decoding: push.body, as: UTF8.self).contains("Ada") != isPlain)
            }
        }
    }

    @Test(
        "a device that is gone is removed, and others stay",
        arguments: [(410, "Unregistered"), (410, "ExpiredToken"), (400, "BadDeviceToken")])
    func gone(_ status: Int, _ reason: String) async throws {
        try await NoticeStage.run { stage in
            let (user, token) = try await stage.userWithPhone(1)
            try await stage.phone(of: user, "tablet", byte: 2)
            await stage.apns.answer(token, with: .init(status, reason, timestamp: 1_458_114_061_260))
            #expect(
                try await stage.delivery.deliver(NoticeStage.notice(), to: user, at: NoticeStage.noon) == .accepted)
            #expect(try await stage.database.devices.devices(of: user).map(\.deviceID) == ["tablet"])
            _ = try await stage.database.devices.remove("tablet", of: user)
            #expect(
                try await stage.delivery.deliver(NoticeStage.notice(), to: user, at: NoticeStage.noon) == .noDevice)
        }
    }

    @Test("a device that was registered again while its push was refused stays")
    func registeredAgain() async throws {
        try await NoticeStage.run { stage in
            let (user, _) = try await stage.userWithPhone(1)
            let before = try #require(try await stage.database.devices.devices(of: user).first)
            try await stage.phone(of: user, byte: 9)
            try await stage.database.devices.remove(before, of: user)
            #expect(try await stage.database.devices.devices(of: user).count == 1)
        }
    }

    static let ends: [(FakeAPNs.Answer, NoticeOutcome)] = [
        (.init(429, "TooManyRequests", retryAfter: "7"), .later(.seconds(7))),
        (.init(503, "ServiceUnavailable", retryAfter: "90"), .later(.seconds(90))),
        (.init(500, "InternalServerError"), .later(.seconds(5))),
        (.init(403, "InvalidProviderToken"), .later(.seconds(300))), (.init(413, "PayloadTooLarge"), .refused),
        (.init(410, "Unregistered"), .noDevice), (.init(200), .accepted),
    ]

    @Test("each answer of a push service has its outcome", arguments: ends)
    func outcomes(_ answer: FakeAPNs.Answer, _ expected: NoticeOutcome) async throws {
        try await NoticeStage.run { stage in
            let (user, _) = try await stage.userWithPhone()
            await stage.apns.answer(with: answer)
            #expect(try await stage.delivery.deliver(NoticeStage.notice(), to: user, at: NoticeStage.noon) == expected)
        }
    }

    @Test("nothing is sent that is of no use any more, or to a user who has asked to delete everything")
    func pointless() async throws {
        try await NoticeStage.run { stage in
            let (user, _) = try await stage.userWithPhone()
            let late = NoticeStage.noon.addingTimeInterval(86_400)
            #expect(try await stage.delivery.deliver(NoticeStage.notice(), to: user, at: late) == .refused)
            _ = try await stage.database.privacy.accept("d1", of: user, at: NoticeStage.noon)
            for now in [NoticeStage.noon, NoticeStage.night] {
                let notice = NoticeStage.notice(at: now)
                #expect(try await stage.delivery.deliver(notice, to: user, at: now) == .noDevice)
            }
            #expect(await stage.apns.pushes.isEmpty)
            #expect(try await stage.database.notices.held(of: user).isEmpty)
            #expect(
                try await stage.delivery.deliver(NoticeStage.notice(), to: UUID(), at: NoticeStage.noon) == .noDevice)
        }
    }

    @Test("a long collapse key is one id of at most 64 bytes", arguments: [String(repeating: "k", count: 65), "schön"])
    func longKey(_ key: String) async throws {
        try await NoticeStage.run { stage in
            let (user, _) = try await stage.userWithPhone()
            for _ in 0..<2 {
                _ = try await stage.delivery.deliver(NoticeStage.notice(key: key), to: user, at: NoticeStage.noon)
            }
            let ids = await stage.apns.pushes.compactMap { $0.headers["apns-collapse-id"] }
            #expect(ids.count == 2 && Set(ids).count == 1 && ids[0].utf8.count == 64)
        }
    }

    @Test("other people's words cannot change how a notice looks, or make it too long")
    func words() throws {
        let evil = "Pay\u{202E}now\u{200B}\u{0}\n\n\tto   me\u{FEFF}" + String(repeating: "é😀\"", count: 4000)
        let notice = Notice(
            .urgentMail, title: "Urgent mail", text: "", details: .init(title: evil, text: evil), id: "a1",
            link: "alfred://alerts/a1", collapseKey: "a1", expires: .distantFuture)
        let bytes = NoticePayload.bytes(notice, showsDetails: true)
        #expect(bytes.count <= NoticePayload.longest)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("Paynow to me"))
        #expect(!text.unicodeScalars.contains { ["\u{202E}", "\u{200B}", "\u{FEFF}"].contains($0) })
        // One character can have thousands of bytes.
        for title in [
            "a" + String(repeating: "\u{301}", count: 1500), String(repeating: "👩‍👩‍👧", count: 100),
            "👍" + String(repeating: "\u{1F3FD}", count: 1500),
        ] {
            let long = Notice(
                .meetingReminder, title: title, text: title, id: "a1", link: "alfred://a", collapseKey: "a",
                expires: .distantFuture)
            let payload = NoticePayload.bytes(long, showsDetails: false)
            #expect(payload.count <= NoticePayload.longest)
            #expect(String(validating: payload, as: UTF8.self) != nil)
        }
    }
}
