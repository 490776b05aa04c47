import Clocks
import Foundation
import Testing

@testable import AssistantJobs

@Suite("Quiet hours")
struct QuietHoursTests {
    private static func time(_ text: String) throws -> Date { try #require(Timestamp(text)).date }

    @Test(
        "end at this moment, or are not now",
        arguments: [
            // Over midnight.
            ("22:00", "07:00", "Europe/Vienna", "2026-01-15T20:59:59Z", nil),
            ("22:00", "07:00", "Europe/Vienna", "2026-01-15T21:00:00Z", "2026-01-16T06:00:00.000Z"),
            ("22:00", "07:00", "Europe/Vienna", "2026-01-16T05:59:59Z", "2026-01-16T06:00:00.000Z"),
            ("22:00", "07:00", "Europe/Vienna", "2026-01-16T06:00:00Z", nil),
            // Within a day.
            ("12:00", "14:00", "UTC", "2026-01-15T11:59:59Z", nil),
            ("12:00", "14:00", "UTC", "2026-01-15T13:00:00Z", "2026-01-15T14:00:00.000Z"),
            ("12:00", "14:00", "UTC", "2026-01-15T14:00:00Z", nil),
            ("00:00", "23:59", "UTC", "2026-01-15T23:59:00Z", nil),
            ("00:00", "23:59", "UTC", "2026-01-16T00:00:00Z", "2026-01-16T23:59:00.000Z"),
            // Equal times turn quiet hours off.
            ("08:00", "08:00", "UTC", "2026-01-15T08:00:00Z", nil),
            ("00:00", "00:00", "UTC", "2026-01-15T03:00:00Z", nil),
            // The night in which clocks go forward is an hour shorter, the one in which they go back an hour longer.
            ("22:00", "07:00", "Europe/Vienna", "2026-03-28T21:00:00Z", "2026-03-29T05:00:00.000Z"),
            ("22:00", "07:00", "Europe/Vienna", "2026-10-24T20:00:00Z", "2026-10-25T06:00:00.000Z"),
            // An end that does not exist: quiet hours end as clocks go forward.
            ("22:00", "02:30", "Europe/Vienna", "2026-03-29T00:59:59Z", "2026-03-29T01:00:00.000Z"),
            ("22:00", "02:30", "Europe/Vienna", "2026-03-29T01:00:00Z", nil),
            // An end that comes twice: quiet hours end at the first, and do not begin again.
            ("22:00", "02:30", "Europe/Vienna", "2026-10-25T00:29:59Z", "2026-10-25T00:30:00.000Z"),
            ("22:00", "02:30", "Europe/Vienna", "2026-10-25T00:30:00Z", nil),
            ("22:00", "02:30", "Europe/Vienna", "2026-10-25T01:10:00Z", nil),
            // A beginning that comes twice: quiet hours begin at the first, and are not interrupted.
            ("02:30", "07:00", "Europe/Vienna", "2026-10-25T00:29:59Z", nil),
            ("02:30", "07:00", "Europe/Vienna", "2026-10-25T01:10:00Z", "2026-10-25T06:00:00.000Z"),
            // A beginning that does not exist.
            ("02:30", "07:00", "Europe/Vienna", "2026-03-29T00:59:59Z", nil),
            ("02:30", "07:00", "Europe/Vienna", "2026-03-29T01:00:00Z", "2026-03-29T05:00:00.000Z"),
            // Both within the hour that does not exist.
            ("02:15", "02:45", "Europe/Vienna", "2026-03-29T01:00:00Z", nil),
            ("22:00", "07:00", "Australia/Lord_Howe", "2026-10-03T12:00:00Z", "2026-10-03T20:00:00.000Z"),
            ("22:00", "07:00", "Pacific/Kiritimati", "2026-05-31T08:00:00Z", "2026-05-31T17:00:00.000Z"),
            ("22:00", "07:00", "America/New_York", "2026-11-01T05:59:59Z", "2026-11-01T12:00:00.000Z"),
            // The leap day.
            ("22:00", "07:00", "UTC", "2028-02-29T23:00:00Z", "2028-03-01T07:00:00.000Z"),
        ] as [(String, String, String, String, String?)])
    func ends(_ start: String, _ end: String, _ zone: String, _ moment: String, _ expected: String?) throws {
        let hours = QuietHours(from: start, to: end, zone: zone)
        #expect(hours.end(around: try Self.time(moment)).map { Timestamp($0).description } == expected)
    }

    @Test("an end is always later, and nothing is quiet at it", arguments: ["Europe/Vienna", "Australia/Lord_Howe"])
    func consistent(_ zone: String) throws {
        // Every ten minutes of the days around both changes of the clocks.
        for start in ["2026-03-28T00:00:00Z", "2026-10-24T00:00:00Z", "2026-04-04T00:00:00Z", "2026-10-03T00:00:00Z"] {
            for (from, to) in [("22:00", "07:00"), ("01:50", "02:20"), ("02:10", "01:40"), ("23:30", "02:40")] {
                let hours = QuietHours(from: from, to: to, zone: zone)
                for step in 0..<432 {
                    let moment = try Self.time(start).addingTimeInterval(Double(step) * 600)
                    guard let end = hours.end(around: moment) else { continue }
                    #expect(end > moment && end.timeIntervalSince(moment) <= 90_000, "\(from) \(to) \(moment)")
                    #expect(hours.end(around: end) == nil, "\(from) \(to) \(moment)")
                }
            }
        }
    }
}
