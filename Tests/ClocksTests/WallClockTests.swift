import Foundation
import Testing

@testable import Clocks

@Suite("A wall clock")
struct WallClockTests {
    private static func day(_ date: String) throws -> Int {
        Int(try #require(Timestamp(date + "T00:00:00Z")).date.timeIntervalSince1970) / 86_400
    }

    @Test(
        "shows a time of day first at this moment",
        arguments: [
            ("2026-01-15", 8 * 60, "Europe/Vienna", "2026-01-15T07:00:00.000Z"),
            ("2026-07-15", 8 * 60, "Europe/Vienna", "2026-07-15T06:00:00.000Z"),
            // Clocks go from 02:00 to 03:00: 02:30 does not exist, and 03:00 is the first later time.
            ("2026-03-29", 2 * 60 + 30, "Europe/Vienna", "2026-03-29T01:00:00.000Z"),
            ("2026-03-29", 2 * 60, "Europe/Vienna", "2026-03-29T01:00:00.000Z"),
            ("2026-03-29", 1 * 60 + 59, "Europe/Vienna", "2026-03-29T00:59:00.000Z"),
            ("2026-03-29", 3 * 60, "Europe/Vienna", "2026-03-29T01:00:00.000Z"),
            ("2026-03-29", 8 * 60, "Europe/Vienna", "2026-03-29T06:00:00.000Z"),
            // 02:30 exists twice: the first counts.
            ("2026-10-25", 2 * 60 + 30, "Europe/Vienna", "2026-10-25T00:30:00.000Z"),
            ("2026-10-25", 3 * 60, "Europe/Vienna", "2026-10-25T02:00:00.000Z"),
            ("2026-10-25", 8 * 60, "Europe/Vienna", "2026-10-25T07:00:00.000Z"),
            // Half an hour, on Lord Howe Island.
            ("2026-10-04", 2 * 60 + 15, "Australia/Lord_Howe", "2026-10-03T15:30:00.000Z"),
            ("2026-03-08", 2 * 60 + 30, "America/New_York", "2026-03-08T07:00:00.000Z"),
            ("2026-11-01", 1 * 60 + 30, "America/New_York", "2026-11-01T05:30:00.000Z"),
            // Clocks that go forward at midnight: that day begins at 01:00.
            ("2026-04-24", 0, "Africa/Cairo", "2026-04-23T22:00:00.000Z"),
            ("2026-05-31", 1440, "Pacific/Kiritimati", "2026-05-31T10:00:00.000Z"),
            ("2026-02-29", 0, "UTC", "2026-03-01T00:00:00.000Z"),
        ])
    func moments(_ date: String, _ minute: Int, _ zone: String, _ expected: String) throws {
        // 29 February 2026 stands for the day after the 28th.
        let day = try date == "2026-02-29" ? Self.day("2026-02-28") + 1 : Self.day(date)
        let moment = WallClock(named: zone).moment(ofMinute: minute, onDay: day)
        #expect(Timestamp(moment).description == expected)
    }

    @Test(
        "knows the day of a moment",
        arguments: [
            ("2026-05-30T23:00:00Z", "Europe/Vienna", "2026-05-31"),
            ("2026-05-31T09:59:00Z", "Pacific/Kiritimati", "2026-05-31"),
            ("2026-05-31T10:00:00Z", "Pacific/Kiritimati", "2026-06-01"),
            ("2026-01-01T10:59:59Z", "Pacific/Pago_Pago", "2025-12-31"), ("1969-12-31T23:00:00Z", "UTC", "1969-12-31"),
        ])
    func days(_ moment: String, _ zone: String, _ expected: String) throws {
        let time = try #require(Timestamp(moment)).date
        let wanted = expected == "1969-12-31" ? -1 : try Self.day(expected)
        #expect(WallClock(named: zone).day(of: time) == wanted)
    }
}
