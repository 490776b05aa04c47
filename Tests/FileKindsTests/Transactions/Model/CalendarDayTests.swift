import Testing

@testable import FileKinds

@Suite("A day of the calendar")
struct CalendarDayTests {
    @Test(
        "is read from ISO 8601, alone or before a time or a zone",
        arguments: ["", "T10:15:00+01:00", " 10:15", "Z", "+02:00", "-05:00", "T24:00:00.000Z"])
    func iso(rest: String) {
        #expect(CalendarDay(iso: "2025-03-31" + rest) == CalendarDay(year: 2025, month: 3, day: 31))
    }

    @Test(
        "is not read from another text",
        arguments: [
            "", "2025", "2025-03", "2025-03-3", "2025-3-31", "20250331", "2025-03-311", "2025-03-31x", "2025/03/31",
            "2025-02-30", "2025-13-01", "2025-00-10", "2025-03-00", "1899-12-31", "2200-01-01", "-025-03-31",
            "2025-03T31", "2025Z03-31", " 2025-03-31", "２025-03-31", "２０２５-03-31", "2025-03-31\u{301}",
        ])
    func otherTexts(text: String) {
        #expect(CalendarDay(iso: text) == nil)
    }
}
