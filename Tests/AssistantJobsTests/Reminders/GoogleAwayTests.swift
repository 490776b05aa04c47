import AssistantStore
import Foundation
import Testing

@testable import AssistantJobs

@Suite("Google away for a day", .timeLimit(.minutes(3))) struct GoogleAwayTests {
    private static let start = moment("2026-05-04T08:00:00Z")
    private static let away = start + 3600
    private static let back = away + 86_400
    private static let step: TimeInterval = 60
    private static let interval: TimeInterval = 600
    /// After fewer than ten looks a pause is between half an interval and a whole one, and ends at a step of the clock.
    private static let looks = Int(86_400 / (interval + step))...Int(86_400 / (interval / 2)) + 10

    private static func hour(_ hours: Double) -> Date { start + hours * 3600 }

    @Test("known meetings are reminded, new ones as soon as they can be seen, and no job fails")
    func day() async throws {
        let stage = try await ReminderStage(at: Self.start)
        let user = try await stage.user(minutes: 15)
        stage.calendars.meeting("known", at: Self.hour(12), of: user)
        let worker = stage.worker(interval: Self.interval)
        try await stage.run(worker, until: Self.away, step: Self.step)

        stage.calendars.fail(.later(after: nil, reason: "GOOGLE_UNAVAILABLE"))
        stage.calendars.meeting("over before it was seen", at: Self.hour(20), of: user)
        stage.calendars.meeting("after", at: Self.hour(30), of: user)
        let looks = stage.calendars.looks
        try await stage.run(worker, until: Self.back, step: Self.step)
        #expect(Self.looks.contains(stage.calendars.looks - looks), "\(stage.calendars.looks - looks) looks")

        stage.calendars.fail(nil)
        try await stage.run(worker, until: Self.hour(32), step: Self.step)
        let minutes = stage.devices.list.map { Int($0.time.timeIntervalSince(Self.start) / 60) }
        #expect(minutes == [705, 1785], "15 minutes before 12 and 30 hours have passed")
        let counts = try await stage.database.jobs.counts()
        #expect(counts.values.allSatisfy { $0["FAILED"] == nil && $0["RUNNING"] == nil }, "\(counts)")
        let events = try await stage.database.audit.events(of: user, before: nil, atMost: 200)
        #expect(!events.contains { $0.event.type == "JOB_SET_ASIDE" })
    }
}
