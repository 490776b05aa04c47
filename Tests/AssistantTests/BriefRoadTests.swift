import AssistantJobs
import AssistantProcesses
import AssistantStore
import Clocks
import CurlClient
import Encodings
import Foundation
import Logging
import Messages
import Notifications
import Synchronization
import Testing

@testable import Assistant
@testable import BrokerClient

/// The jobs of mail, briefs and statements beside the API, the enclave and the key service, with a mock of Google.
@Suite("From the mailbox to the brief", .timeLimit(.minutes(3))) struct BriefRoadTests {
    @Test("an urgent message becomes one alert without its words, and the user judges it")
    func alert() async throws {
        try await BriefRoad.run { road, stage, token in
            let account = road.connected.google.account
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
        try await BriefRoad.run { road, stage, token in
            let user = try #require(UUID(uuidString: try SignInTests.claim("sub", of: token)))
            let account = road.connected.google.account
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
        try await BriefRoad.run { road, stage, token in
            let user = try #require(UUID(uuidString: try SignInTests.claim("sub", of: token)))
            let keys = try StateKeys(in: stage.configuration.state)
            _ = try await road.database.notificationPreferences.change(
                of: user, recording: NewAuditEvent("PREFERENCES_CHANGED"), at: stage.now
            ) { stored in
                var wanted = try NotificationPreferences(stored, of: user, keys)
                wanted.markedSenders = ["@vip.example"]
                try wanted.write(to: &stored, of: user, keys)
            }
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
        try await BriefRoad.run { road, stage, token in
            let account = road.connected.google.account
            let wanted = BriefRoad.preferences(stage)
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

    @Test("a consent to a bank's interface is in the brief from a week before its end", arguments: [true, false])
    func consent(isNear: Bool) async throws {
        try await BriefRoad.run { road, stage, token in
            let wanted = BriefRoad.preferences(stage)
            #expect(try await stage.send("PUT", "/v1/preferences", token: token, wanted).status == 200)
            let end = stage.now.addingTimeInterval(isNear ? 3 * 86_400 : 30 * 86_400)
            road.broker.need(BankConsent(endsAt: end, endedAt: nil, needsOwner: true))
            try await road.work(minutes: 15)
            let notice = try #require(road.notices.list.first { $0.kind == .morningBrief })
            let brief = try await stage.send("GET", "/v1/briefs/\(notice.id)", token: token)
            let told: JSONValue = [
                ["bank": "Meridian Savings", "status": "ENDS", "end": .string(Timestamp(end).description)]
            ]
            #expect(brief.json["consents"] == (isNear ? told : Optional.none))
        }
    }

    @Test("after a change of zone or time the old time brings no brief; a day of Google's absence neither")
    func moved() async throws {
        try await BriefRoad.run { road, stage, token in
            var wanted = BriefRoad.preferences(stage).objectValue ?? [:]
            _ = try await stage.send("PUT", "/v1/preferences", token: token, .object(wanted))
            try await road.work(minutes: 2)
            wanted["time_zone"] = "Asia/Tokyo"
            _ = try await stage.send("PUT", "/v1/preferences", token: token, .object(wanted))
            try await road.work(minutes: 30)
            #expect(road.notices.list.isEmpty)

            wanted["time_zone"] = "Europe/Vienna"
            let next = BriefRoad.preferences(stage).objectValue ?? [:]
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
        try await BriefRoad.run { road, stage, token in
            _ = try await stage.send("PUT", "/v1/preferences", token: token, BriefRoad.preferences(stage))
            try await road.work(minutes: 9)
            // Away for less than the half hour after which a brief is left out.
            for _ in 0..<9 { await road.connected.google.account.fail(.status(503)) }
            try await road.work(minutes: 3)
            #expect(road.notices.list.isEmpty)
            var wanted = BriefRoad.preferences(stage).objectValue ?? [:]
            wanted["time_zone"] = "Asia/Tokyo"
            _ = try await stage.send("PUT", "/v1/preferences", token: token, .object(wanted))
            try await road.work(minutes: 25)
            #expect(road.notices.list.isEmpty)
        }
    }
}
