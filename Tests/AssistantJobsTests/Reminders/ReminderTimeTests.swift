import Foundation
import Testing

@testable import AssistantJobs

/// The event's own instant counts, whatever the clocks on walls do.
@Suite("Reminders and time", .timeLimit(.minutes(3))) struct ReminderTimeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let zone: String
        let meeting: Date
        let minutes: Int
        /// The words for the local time.
        let local: String

        var testDescription: String { name }
    }

    static let cases: [Case] = [
        Case(
            name: "in the hour that Europe's clocks leave out", zone: "Europe/Berlin",
            meeting: moment("2026-03-29T01:30:00Z"), minutes: 15, local: "03:30"),
        Case(
            name: "across the switch to summer", zone: "Europe/Berlin", meeting: moment("2026-03-29T01:05:00Z"),
            minutes: 30,
            local: "03:05"),
        Case(
            name: "in the first of two hours of the same name", zone: "Europe/Berlin",
            meeting: moment("2026-10-25T00:30:00Z"), minutes: 45, local: "02:30"),
        Case(
            name: "in the second of two hours of the same name", zone: "Europe/Berlin",
            meeting: moment("2026-10-25T01:30:00Z"), minutes: 45, local: "02:30"),
        Case(
            name: "where summer begins in October", zone: "Australia/Lord_Howe",
            meeting: moment("2026-10-03T15:45:00Z"),
            minutes: 60, local: "02:45"),
        Case(
            name: "on a leap day", zone: "America/New_York", meeting: moment("2028-02-29T17:00:00Z"), minutes: 1440,
            local: "12:00"),
        Case(
            name: "the day after a leap day, a day before", zone: "UTC", meeting: moment("2028-03-01T12:00:00Z"),
            minutes: 1440,
            local: "12:00"),
        Case(
            name: "at midnight of a new year", zone: "Pacific/Kiritimati", meeting: moment("2026-12-31T10:00:00Z"),
            minutes: 10, local: "00:00"),
        Case(
            name: "with an unknown zone", zone: "Mars/Olympus", meeting: moment("2026-05-04T10:00:00Z"),
            minutes: 10,
            local: "10:00"),
    ]

    @Test("reminds at the instant", arguments: cases)
    func instants(_ item: Case) async throws {
        let due = item.meeting - Double(item.minutes) * 60
        let stage = try await ReminderStage(at: due - 1800)
        let user = try await stage.user(minutes: item.minutes, zone: item.zone)
        stage.calendars.meeting("a", at: item.meeting, of: user)
        try await stage.run(stage.worker(), until: item.meeting + 60)
        let sent = stage.devices.list
        #expect(sent.count == 1)
        let time = try #require(sent.first).time
        #expect((0...30).contains(time.timeIntervalSince(due)), "\(time)")
        #expect(sent[0].notice.text == "It begins at \(item.local).")
    }

    @Test("who travels is reminded at the same instant, in the words of the new zone")
    func travel() async throws {
        let meeting: Date = moment("2026-05-04T10:00:00Z")
        let stage = try await ReminderStage(at: meeting - 7200)
        let user = try await stage.user(zone: "Europe/Vienna")
        stage.calendars.meeting("a", at: meeting, of: user)
        let worker = stage.worker()
        try await stage.run(worker, until: meeting - 3600)
        try await stage.prefer(15, zone: "America/Los_Angeles", of: user)
        try await stage.run(worker, until: meeting)
        #expect(stage.devices.list.map(\.notice.text) == ["It begins at 03:00."])
        #expect(stage.devices.list.map(\.time) == [meeting - 900])
    }

    @Test("a clock that is set back repeats nothing; one that is set forward loses nothing that is of use")
    func steps() async throws {
        let meeting: Date = moment("2026-05-04T10:00:00Z")
        let stage = try await ReminderStage(at: meeting - 7200)
        let user = try await stage.user()
        stage.calendars.meeting("a", at: meeting, of: user)
        stage.calendars.meeting("b", at: meeting + 3600, of: user)
        let worker = stage.worker()
        try await stage.run(worker, until: meeting - 600)
        #expect(stage.devices.list.count == 1)
        stage.setClock(meeting - 5400)
        try await stage.run(worker, until: meeting - 300)
        #expect(stage.devices.list.count == 1)
        // Past the time of the second reminder, and before its meeting.
        stage.setClock(meeting + 3600 - 120)
        _ = try await worker.performDue()
        #expect(stage.devices.list.map(\.notice.title) == ["Meeting in 15 minutes", "Meeting in 2 minutes"])
    }
}
