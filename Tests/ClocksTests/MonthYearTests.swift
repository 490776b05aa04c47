import Clocks
import Foundation
import Testing

@Suite("Months")
struct MonthYearTests {
    @Test("the month before January is December")
    func previous() {
        #expect(MonthYear(month: 1, year: 2026)?.previous == MonthYear(month: 12, year: 2025))
        #expect(MonthYear(month: 11, year: 2026)?.previous == MonthYear(month: 10, year: 2026))
        #expect(MonthYear(month: 1, year: 1900)?.previous == nil)
    }

    @Test(
        "a month has begun as soon as it has begun at UTC+14",
        arguments: [
            ("2026-10-31T09:59:59Z", 10, 2026), ("2026-10-31T10:00:00Z", 11, 2026), ("2026-12-31T10:00:00Z", 1, 2027),
        ])
    func latest(moment: String, month: Int, year: Int) throws {
        #expect(MonthYear.latest(at: try #require(Timestamp(moment)).date) == MonthYear(month: month, year: year))
    }

    @Test("the current month is the zone's")
    func current() throws {
        let moment = try #require(Timestamp("2026-11-01T02:00:00Z")).date
        let newYork = try #require(TimeZone(identifier: "America/New_York"))
        #expect(MonthYear.current(at: moment, in: newYork) == MonthYear(month: 10, year: 2026))
        #expect(MonthYear.current(at: moment, in: .gmt) == MonthYear(month: 11, year: 2026))
    }
}
