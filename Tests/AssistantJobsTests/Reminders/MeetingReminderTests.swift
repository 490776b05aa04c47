import AssistantProcesses
import AssistantStore
import Foundation
import Testing

@testable import AssistantJobs

@Suite("Reminders of meetings", .timeLimit(.minutes(3))) struct MeetingReminderTests {
    private static let start: Date = moment("2026-05-04T08:00:00Z")
    private static let meeting: Date = moment("2026-05-04T10:00:00Z")

    /// Returns the times at which the devices got reminders, in minutes after the start.
    private static func times(_ stage: ReminderStage) -> [Double] {
        stage.devices.list.map { $0.time.timeIntervalSince(start) / 60 }
    }

    /// Changes a calendar or a wish at a time in the middle of the day.
    struct Change: Sendable, CustomTestStringConvertible {
        let name: String
        /// The minute after the start.
        let minute: Double
        let expected: [Double]
        let body: @Sendable (ReminderStage, UUID) async throws -> Void

        var testDescription: String { name }

        init(
            _ name: String, at minute: Double, _ expected: [Double],
            _ body: @escaping @Sendable (ReminderStage, UUID) async throws -> Void
        ) {
            self.name = name
            self.minute = minute
            self.expected = expected
            self.body = body
        }
    }

    /// A meeting two hours after the start, and fifteen minutes of warning: the reminder is due at minute 105.
    static let changes: [Change] = [
        Change("nothing", at: 50, [105]) { _, _ in },
        Change("moved to later", at: 50, [165]) { stage, user in
            stage.calendars.meeting("a", at: meeting + 3600, of: user)
        },
        Change("moved to earlier", at: 50, [75]) { stage, user in
            stage.calendars.meeting("a", at: meeting - 1800, of: user)
        },
        Change("moved and moved back", at: 50, [105]) { stage, user in
            stage.calendars.meeting("a", at: meeting + 3600, of: user)
            _ = try await stage.worker().performDue()
            stage.wait(120)
            _ = try await stage.worker().performDue()
            stage.calendars.meeting("a", at: meeting, of: user)
        },
        Change("moved after the reminder", at: 107, [105, 165]) { stage, user in
            stage.calendars.meeting("a", at: meeting + 3600, of: user)
        },
        Change("cancelled", at: 103, []) { stage, user in stage.calendars.cancel("a", of: user) },
        Change("declined", at: 50, []) { stage, user in
            stage.calendars.put(
                CalendarEvent(id: "a", start: meeting, end: meeting + 60, isDeclined: true), of: user)
        },
        Change("declined, though a shared copy stays", at: 50, []) { stage, user in
            stage.calendars.meeting("copy", at: meeting, in: "team", meetingID: "a", of: user)
            stage.calendars.put(
                CalendarEvent(id: "a", start: meeting, end: meeting + 60, isDeclined: true), of: user)
        },
        Change("a colleague has declined the copy in their calendar", at: 50, [105]) { stage, user in
            stage.calendars.put(
                CalendarEvent(id: "copy", meetingID: "a", start: meeting, end: meeting + 60, isDeclined: true),
                in: "colleague", of: user)
        },
        Change("made to last the whole day", at: 50, []) { stage, user in
            stage.calendars.put(CalendarEvent(id: "a", start: nil, end: nil), of: user)
        },
        Change("a second one within the warning", at: 50, [51, 105]) { stage, user in
            stage.calendars.meeting("b", at: start + 60 * 60, of: user)
        },
        Change("the same in a second calendar", at: 50, [105]) { stage, user in
            stage.calendars.meeting("copy", at: meeting, in: "team", meetingID: "a", of: user)
        },
        // While its calendars disagree, nothing is missed.
        Change("only the copy was moved to later", at: 50, [105, 165]) { stage, user in
            stage.calendars.meeting("copy", at: meeting + 3600, in: "team", meetingID: "a", of: user)
        },
        Change("one of two copies is cancelled", at: 50, [105]) { stage, user in
            stage.calendars.meeting("copy", at: meeting, in: "team", meetingID: "a", of: user)
            _ = try await stage.worker().performDue()
            stage.wait(60)
            stage.calendars.cancel("a", of: user)
        },
        Change("a longer warning", at: 50, [90]) { stage, user in try await stage.prefer(30, of: user) },
        Change("a warning that began already", at: 50, [50]) { stage, user in try await stage.prefer(90, of: user) },
        Change("a shorter warning", at: 50, [115]) { stage, user in try await stage.prefer(5, of: user) },
        Change("no warning", at: 50, [120]) { stage, user in try await stage.prefer(0, of: user) },
        Change("a shorter warning after the reminder", at: 107, [105]) { stage, user in
            try await stage.prefer(5, of: user)
        },
        Change("another zone", at: 50, [105]) { stage, user in
            try await stage.prefer(15, zone: "Asia/Tokyo", of: user)
        },
        Change("the connection was ended", at: 50, []) { stage, user in
            _ = try await stage.database.connectors.move(
                stage.calendars.connector(of: user), of: user, to: .revoked,
                recording: NewAuditEvent("CONNECTOR_REVOKED"), at: stage.now)
        },
        Change("Google ended the consent", at: 50, [105]) { stage, user in
            _ = try await stage.database.connectors.move(
                stage.calendars.connector(of: user), of: user, to: .needsReconnect,
                recording: NewAuditEvent("CONNECTOR_NEEDS_RECONNECT"), at: stage.now)
            stage.calendars.fail(.needsReconnect)
        },
        Change("Google is away from then on", at: 50, [105]) { stage, _ in
            stage.calendars.fail(.later(after: nil, reason: "GOOGLE_UNAVAILABLE"))
        },
        Change("everything is being deleted", at: 50, []) { stage, user in
            _ = try await stage.database.privacy.accept("request", of: user, at: stage.now)
        },
    ]

    @Test("what changes in between counts within a look", arguments: changes)
    func changed(_ change: Change) async throws {
        let stage = try await ReminderStage(at: Self.start)
        let user = try await stage.user()
        stage.calendars.meeting("a", at: Self.meeting, of: user)
        let worker = stage.worker()
        try await stage.run(worker, until: Self.start + change.minute * 60)
        try await change.body(stage, user)
        try await stage.run(worker, until: Self.start + 4 * 3600)
        let times = Self.times(stage)
        #expect(times.count == change.expected.count, "\(times)")
        for (time, expected) in zip(times, change.expected) {
            // A change is seen within the interval of 60 s; the steps are 30 s long.
            #expect((expected...expected + 1.5).contains(time), "\(times)")
        }
    }

    @Test("a reminder names no meeting, tells the local time, and expires with the meeting")
    func words() async throws {
        let stage = try await ReminderStage(at: Self.start)
        let user = try await stage.user(zone: "Asia/Kolkata")
        stage.calendars.put(
            CalendarEvent(id: "a", start: Self.meeting, end: Self.meeting + 60, title: "a-title-that-stays-away"),
            of: user)
        try await stage.run(stage.worker(), until: Self.meeting)
        let sent = try #require(stage.devices.list.first)
        #expect(sent.notice.title == "Meeting in 15 minutes" && sent.notice.text == "It begins at 15:30.")
        #expect(sent.notice.expires == Self.meeting && sent.notice.kind == .meetingReminder)
        #expect(sent.notice.collapseKey.utf8.count <= 64)
        let content = try await Self.content(stage)
        #expect(!content.contains("a-title-that-stays-away") && !content.contains("\"a\""))
    }

    /// Returns every value of the tables that hold calendars and jobs, as text.
    private static func content(_ stage: ReminderStage) async throws -> String {
        try await stage.database.driver.transaction(.reading) { session in
            let rows = try session.rows("SELECT * FROM jobs", []) + session.rows("SELECT * FROM calendar_states", [])
            return "\(rows)"
        }
    }

    @Test(
        "words for every distance",
        arguments: [
            (900.0, "Meeting in 15 minutes"), (60, "Meeting in 1 minute"), (61, "Meeting in 2 minutes"),
            (3600, "Meeting in 1 hour"), (5400, "Meeting in 1 hour 30 minutes"), (7200, "Meeting in 2 hours"),
            (86_400, "Meeting in 24 hours"), (0, "Meeting now"), (-200, "Meeting now"),
        ])
    func distances(_ seconds: TimeInterval, _ title: String) {
        #expect(ReminderWords(start: Self.start + seconds, zone: "UTC", at: Self.start).title == title)
    }

    @Test("while no push service answers it is tried again; after the meeting it is late, and the audit log tells so")
    func late() async throws {
        let stage = try await ReminderStage(at: Self.start)
        let user = try await stage.user()
        stage.calendars.meeting("a", at: Self.meeting, of: user)
        stage.calendars.meeting("b", at: Self.meeting + 7200, of: user)
        let worker = stage.worker()
        try await stage.run(worker, until: Self.meeting - 16 * 60)
        for _ in 0..<3 { stage.devices.answer(.later(.seconds(10))) }
        try await stage.run(worker, until: Self.meeting + 900)
        #expect(Self.times(stage).count == 1)
        #expect(try await stage.count(.delivered) == 1)

        for _ in 0..<99 { stage.devices.answer(.later(.seconds(10))) }
        try await stage.run(worker, until: Self.meeting + 4 * 3600)
        #expect(Self.times(stage).count == 1)
        #expect(try await stage.count(.delivered) == 1)
        #expect(try await stage.count(.late) == 1)
        let events = try await stage.database.audit.events(of: user, before: nil, atMost: 99)
        #expect(
            events.filter { $0.event.type == "JOB_SET_ASIDE" }.map(\.event.metadata) == [
                ["type": "MEETING_REMINDER", "reason": "LATE"]
            ])
    }

    @Test(
        "each answer of the devices is counted, and ends the reminder",
        arguments: [
            (NoticeOutcome.accepted, AssistantMetric.ReminderOutcome.delivered), (.held, .held), (.noDevice, .noDevice),
            (.refused, .refused),
        ])
    func outcomes(_ outcome: NoticeOutcome, _ end: AssistantMetric.ReminderOutcome) async throws {
        let stage = try await ReminderStage(at: Self.start)
        let user = try await stage.user()
        stage.calendars.meeting("a", at: Self.meeting, of: user)
        stage.devices.answer(outcome)
        try await stage.run(stage.worker(), until: Self.meeting)
        for outcome in AssistantMetric.ReminderOutcome.allCases {
            #expect(try await stage.count(outcome) == (outcome == end ? 1 : 0), "\(outcome)")
        }
    }

    @Test("a day of looks stores little: everything is read once, and once more after a day")
    func looks() async throws {
        let stage = try await ReminderStage(at: Self.start)
        let user = try await stage.user()
        // It comes into the window of the second look at everything only.
        stage.calendars.meeting("later", at: Self.start + 60 * 3600, of: user)
        stage.calendars.meeting("a", at: Self.meeting, of: user)
        try await stage.run(stage.worker(interval: 300), until: Self.start + 61 * 3600, step: 150)
        #expect(stage.calendars.wholeLooks == 3)
        #expect(Self.times(stage).map { Int($0 / 60) } == [1, 59])
    }
}
