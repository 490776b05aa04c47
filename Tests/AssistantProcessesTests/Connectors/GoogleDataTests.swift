import Foundation
import MockGoogle
import Secrets
import Testing

@testable import AssistantProcesses

@Suite("Google's calendar and mail") struct GoogleDataTests {
    private static let now = GoogleStage.now

    @Test("the meetings of a window come in order, with no more than a reminder needs")
    func window() async throws {
        try await GoogleStage.run { stage in
            let account = stage.google.account
            await account.put(event: "late", "Late", from: Self.now + 5000, to: Self.now + 6000)
            await account.put(event: "early", "Grüße", from: Self.now + 60, to: Self.now + 120)
            await account.put(event: "past", "Past", from: Self.now - 600, to: Self.now - 300)
            let calendar = CalendarClient(stage.api(try await stage.connect().accessToken))

            let events = try await calendar.events(from: Self.now, to: Self.now + 3600)

            #expect(events.map(\.id) == ["early"])
            #expect(events[0].title == "Grüße" && events[0].start == Self.now + 60)
            let call = try #require(await account.calls.last)
            #expect(call.contains("singleEvents=true") && call.contains("timeMin=") && call.contains("timeMax="))
            #expect(
                call.contains(
                    "fields=items%28id%2CiCalUID%2Cstatus%2Csummary%2CoriginalStartTime%2Cstart%2Cend%2Cattendees%28"))
        }
    }

    @Test("changes follow a sync token, page by page; a forgotten one leads to everything")
    func changes() async throws {
        try await GoogleStage.run { stage in
            let account = stage.google.account
            for number in 0..<3 {
                await account.put(event: "e\(number)", "E", from: Self.now, to: Self.now + 60)
            }
            let calendar = CalendarClient(stage.api(try await stage.connect().accessToken))
            let first = try await calendar.changes(since: nil, from: Self.now - 60, to: Self.now + 9000)
            #expect(first.isFull && first.events.count == 3)
            #expect(first.events.allSatisfy { $0.title == nil })
            #expect(
                try await calendar.changes(since: first.syncToken, from: Self.now, to: Self.now + 9000).events.isEmpty)

            await account.cancel(event: "e1")
            await account.put(event: "e3", "E", from: Self.now, to: Self.now + 60)
            let second = try await calendar.changes(since: first.syncToken, from: Self.now, to: Self.now + 9000)
            #expect(!second.isFull)
            #expect(Set(second.events.map { "\($0.id) \($0.isCancelled)" }) == ["e1 true", "e3 false"])

            await account.forgetSyncTokens()
            let third = try await calendar.changes(since: second.syncToken, from: Self.now - 60, to: Self.now + 9000)
            #expect(third.isFull && Set(third.events.map(\.id)) == ["e0", "e2", "e3"])
        }
    }

    @Test("a calendar of several pages is read to its end")
    func pages() async throws {
        try await GoogleStage.run { stage in
            for number in 0..<600 {
                await stage.google.account.put(
                    event: "e\(number)", "E", from: Self.now + TimeInterval(number), to: Self.now + 9000)
            }
            let calendar = CalendarClient(stage.api(try await stage.connect().accessToken))
            #expect(try await calendar.events(from: Self.now, to: Self.now + 9000).count == 600)
            #expect(await stage.google.account.calls.count == 4)
        }
    }

    @Test("the calendars of a user are listed; where Google refuses the list, the first one has to do")
    func list() async throws {
        try await GoogleStage.run { stage in
            let account = stage.google.account
            let calendar = CalendarClient(stage.api(try await stage.connect().accessToken))
            #expect(try await calendar.calendars() == ["primary"])
            await account.put(event: "a", "A", from: Self.now, to: Self.now + 60, in: "team@mail.example")
            #expect(try await calendar.calendars() == ["primary", "team@mail.example"])
            for status in [400, 403, 404, 405] {
                await account.fail(.status(status))
                #expect(try await calendar.calendars() == ["primary"])
            }
            #expect(
                try await calendar.events(of: "team@mail.example", from: Self.now - 60, to: Self.now + 60).map(\.id)
                    == ["a"])
        }
    }

    @Test("an event tells what a reminder needs: its meeting, its occurrence, the user's answer, and whole days")
    func details() async throws {
        try await GoogleStage.run { stage in
            let account = stage.google.account
            let later = Self.now + 3600
            await account.put(
                event: "a", "A", from: Self.now, to: later, uid: "uid", originalStart: Self.now, response: "declined")
            await account.put(event: "b", "B", from: Self.now, to: later, uid: "uid", originalStart: later)
            await account.put(event: "c", "C", from: Self.now, to: later, isAllDay: true, response: "tentative")
            let calendar = CalendarClient(stage.api(try await stage.connect().accessToken))
            let changes = try await calendar.changes(since: nil, from: Self.now - 60, to: later)
            let events = Dictionary(uniqueKeysWithValues: changes.events.map { ($0.id, $0) })
            #expect(events["a"]?.isDeclined == true && events["b"]?.isDeclined == false)
            #expect(events["c"]?.isDeclined == false && events["c"]?.start == nil)
            #expect(events["a"]?.meetingID.hasPrefix("uid@") == true)
            #expect(events["a"]?.meetingID != events["b"]?.meetingID)
            #expect(events["c"]?.meetingID == "c@mail.example")
        }
    }

    @Test("new mail is read by its headers, never by its body")
    func mail() async throws {
        try await GoogleStage.run { stage in
            let account = stage.google.account
            let mail = MailClient(stage.api(try await stage.connect().accessToken))
            let baseline = try await mail.changes(since: nil)
            #expect(baseline.isBaseline && baseline.messageIDs.isEmpty)
            await account.deliver("m1", from: "Ann <ann@x.example>", "Urgent", body: "the body", at: Self.now)
            await account.deliver("m2", from: "spam@x.example", "Spam", at: Self.now, labels: ["SPAM"])

            let changes = try await mail.changes(since: baseline.historyID)
            #expect(changes.messageIDs == ["m1"] && !changes.isBaseline)
            let headers = try #require(try await mail.headers(of: "m1"))
            #expect(headers.from == "Ann <ann@x.example>" && headers.subject == "Urgent")
            #expect(headers.receivedAt == Self.now && headers.labels == ["INBOX", "UNREAD"])
            #expect(try await mail.changes(since: changes.historyID).messageIDs.isEmpty)

            await account.delete(message: "m1")
            #expect(try await mail.headers(of: "m1") == nil)
            await #expect(throws: GoogleError.self) { try await mail.headers(of: "../profile") }
            let asked = await account.calls.filter { $0.contains("/messages/") }
            #expect(asked.allSatisfy { $0.contains("format=metadata") && !$0.contains("snippet") })
        }
    }

    @Test("a place that Google has forgotten leads to a new one")
    func forgotten() async throws {
        try await GoogleStage.run { stage in
            let mail = MailClient(stage.api(try await stage.connect().accessToken))
            let first = try await mail.changes(since: nil)
            await stage.google.account.deliver("m1", from: "a", "b", at: Self.now)
            await stage.google.account.forgetHistory()
            let second = try await mail.changes(since: first.historyID)
            #expect(second.isBaseline && second.messageIDs.isEmpty && second.historyID != first.historyID)
        }
    }

    @Test("limits are respected: it waits as long as Google asks, or longer each time, and then gives up")
    func limits() async throws {
        try await GoogleStage.run { stage in
            let calendar = CalendarClient(stage.api(try await stage.connect().accessToken))
            let account = stage.google.account
            await account.fail(.status(429, retryAfter: 3), .userRateLimit, .status(503))
            _ = try await calendar.events(from: Self.now, to: Self.now + 60)
            let waits = stage.waits.list
            #expect(waits.count == 3)
            #expect(waits[0] == .seconds(3))
            #expect(waits[1] >= .seconds(1) && waits[1] <= .seconds(2))
            #expect(waits[2] >= .seconds(2) && waits[2] <= .seconds(4))

            await account.fail(.status(500), .status(500), .status(500), .status(500))
            await #expect(throws: GoogleError.unavailable("it answered 500")) {
                try await calendar.events(from: Self.now, to: Self.now + 60)
            }
            await account.fail(.status(429, retryAfter: 3600))
            await #expect(throws: GoogleError.rateLimited(retryAfter: 3600)) {
                try await calendar.events(from: Self.now, to: Self.now + 60)
            }
            #expect(stage.waits.list.count == 6)
        }
    }

    @Test("a token that has expired, or whose consent has ended, is refused as that")
    func expired() async throws {
        let clock = Clock()
        try await GoogleStage.run(at: clock) { stage in
            let consent = try await stage.connect()
            let calendar = CalendarClient(stage.api(consent.accessToken))
            _ = try await calendar.events(from: Self.now, to: Self.now + 60)
            clock.wait(3599)
            await #expect(throws: GoogleError.unauthorized) {
                try await calendar.events(from: Self.now, to: Self.now + 60)
            }
            await stage.google.account.endConsents()
            let error = await #expect(throws: GoogleError.self) { try await stage.oauth.refresh(consent.refreshToken) }
            #expect(error?.description.contains("Testing") == true)
        }
    }
}
