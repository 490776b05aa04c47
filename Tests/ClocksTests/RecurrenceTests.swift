import Foundation
import Testing

@testable import Clocks

@Suite("A recurrence")
struct RecurrenceTests {
    @Test(
        "has its next moment by the place's own clocks",
        arguments: [
            // An ordinary month, in summer and in winter time.
            ("monthly 3 08:00 Europe/Berlin", "2026-06-01T00:00:00Z", "2026-06-03T06:00:00.000Z"),
            ("monthly 3 08:00 Europe/Berlin", "2026-11-25T00:00:00Z", "2026-12-03T07:00:00.000Z"),
            // The moment itself is over; the one after it is a month later.
            ("monthly 3 08:00 Europe/Berlin", "2026-12-03T07:00:00Z", "2027-01-03T07:00:00.000Z"),
            ("monthly 3 08:00 Europe/Berlin", "2026-12-03T06:59:59.999Z", "2026-12-03T07:00:00.000Z"),
            // Day 31 of a shorter month is its last day.
            ("monthly 31 08:00 UTC", "2026-02-01T00:00:00Z", "2026-02-28T08:00:00.000Z"),
            ("monthly 31 08:00 UTC", "2028-02-01T00:00:00Z", "2028-02-29T08:00:00.000Z"),
            ("monthly 31 08:00 UTC", "2026-04-30T08:00:00Z", "2026-05-31T08:00:00.000Z"),
            ("monthly 30 08:00 UTC", "2026-02-28T09:00:00Z", "2026-03-30T08:00:00.000Z"),
            // 02:30 does not exist on 29 March 2026 in Berlin: clocks go from 02:00 to 03:00.
            ("monthly 29 02:30 Europe/Berlin", "2026-03-20T00:00:00Z", "2026-03-29T01:30:00.000Z"),
            // 02:30 exists twice on 25 October 2026; the first of the two counts, and it comes once.
            ("monthly 25 02:30 Europe/Berlin", "2026-10-20T00:00:00Z", "2026-10-25T00:30:00.000Z"),
            ("monthly 25 02:30 Europe/Berlin", "2026-10-25T00:30:00Z", "2026-11-25T01:30:00.000Z"),
            // New York's clocks change at 02:00, too, and on another day.
            ("monthly 8 02:30 America/New_York", "2026-03-01T00:00:00Z", "2026-03-08T07:30:00.000Z"),
            ("monthly 1 01:30 America/New_York", "2026-10-20T00:00:00Z", "2026-11-01T05:30:00.000Z"),
            // Half an hour, on Lord Howe Island.
            ("monthly 4 02:15 Australia/Lord_Howe", "2026-10-01T00:00:00Z", "2026-10-03T15:45:00.000Z"),
            // Places whose day is another than Greenwich's.
            ("monthly 1 00:00 Pacific/Kiritimati", "2026-05-30T00:00:00Z", "2026-05-31T10:00:00.000Z"),
            ("monthly 31 23:59 Pacific/Pago_Pago", "2026-12-31T12:00:00Z", "2027-01-01T10:59:00.000Z"),
            ("weekly monday 08:00 UTC", "2026-11-25T00:00:00Z", "2026-11-30T08:00:00.000Z"),
            ("weekly monday 08:00 UTC", "2026-11-30T08:00:00Z", "2026-12-07T08:00:00.000Z"),
            ("weekly sunday 02:30 Europe/Berlin", "2026-03-28T00:00:00Z", "2026-03-29T01:30:00.000Z"),
            ("weekly thursday 00:00 UTC", "1969-12-28T00:00:00Z", "1970-01-01T00:00:00.000Z"),
            ("quarterly 3 08:00 UTC", "2026-01-03T08:00:00Z", "2026-04-03T08:00:00.000Z"),
            ("quarterly 31 08:00 UTC", "2026-03-31T08:00:00Z", "2026-04-30T08:00:00.000Z"),
            ("yearly 02-15 08:00 UTC", "2026-02-15T08:00:00Z", "2027-02-15T08:00:00.000Z"),
            ("yearly 02-29 08:00 UTC", "2026-01-01T00:00:00Z", "2026-02-28T08:00:00.000Z"),
            ("yearly 02-29 08:00 UTC", "2027-03-01T00:00:00Z", "2028-02-29T08:00:00.000Z"),
        ])
    func next(text: String, after: String, expected: String) throws {
        let recurrence = try Recurrence(text)
        #expect(recurrence.description == text)
        let moment = try #require(Timestamp(after)).date
        #expect(Timestamp(recurrence.next(after: moment)).description == expected)
    }

    @Test("lists the moments of a time that has passed, and only the last of very many")
    func moments() throws {
        let recurrence = try Recurrence("monthly 3 08:00 UTC")
        let start = try #require(Timestamp("2026-01-03T08:00:00Z")).date
        let end = try #require(Timestamp("2026-04-03T08:00:00Z")).date
        let found = recurrence.moments(after: start, through: end).map { Timestamp($0).description.prefix(10) }
        #expect(found == ["2026-02-03", "2026-03-03", "2026-04-03"])
        #expect(recurrence.moments(after: end, through: start).isEmpty)
        let few = recurrence.moments(after: start, through: end, atMost: 2)
        #expect(few.map { Timestamp($0).description.prefix(10) } == ["2026-03-03", "2026-04-03"])
    }

    @Test(
        "refuses what is not one, and says what would be",
        arguments: [
            ("monthly 3 08:00", "3 08:00 Europe/Berlin"), ("monthly 32 08:00 UTC", "1 to 31"),
            ("monthly 0 08:00 UTC", "1 to 31"), ("monthly 03 08:00 UTC", "1 to 31"),
            ("monthly three 08:00 UTC", "1 to 31"), ("monthly 3 24:00 UTC", "00:00 to 23:59"),
            ("monthly 3 8:00 UTC", "00:00 to 23:59"), ("monthly 3 08:00 Berlin", "Europe/Berlin"),
            ("monthly 3 08:00 CET", "Europe/Berlin"), ("monthly 3 08:00 Europe/Atlantis", "Europe/Berlin"),
            ("monthly 3 08:00 UTC now", "3 08:00 Europe/Berlin"), ("weekly mon 08:00 UTC", "monday"),
            ("yearly 02-30 08:00 UTC", "02-15"), ("yearly 2-15 08:00 UTC", "02-15"),
            ("daily 1 08:00 UTC", "weekly, monthly, quarterly or yearly"), ("", "Europe/Berlin"),
        ])
    func refused(text: String, hint: String) {
        let error = #expect(throws: RecurrenceError.self) { try Recurrence(text) }
        #expect(error?.message.contains(hint) == true, "\(error?.message ?? "")")
    }
}
