import Clocks
import Testing

@Suite("Days of the calendar")
struct CalendarDateTests {
    @Test(
        "are read and written as ISO 8601 has them",
        arguments: ["2024-02-29", "2026-12-31", "0001-01-01", "9999-12-31"])
    func reads(text: String) throws {
        #expect(try #require(CalendarDate(text)).description == text)
    }

    @Test(
        "that do not exist, or are written otherwise, are refused",
        arguments: [
            "2025-02-29", "2026-13-01", "2026-00-01", "2026-01-00", "2026-04-31", "0000-01-01", "26-01-01", "2026-1-1",
            "2026-01-01 ", "+026-01-01", "2026/01/01", "2026-01-01-", "", "٢٠٢٦-01-01",
        ])
    func refuses(text: String) { #expect(CalendarDate(text) == nil) }

    @Test("come one after the other")
    func order() {
        let days: [CalendarDate] = ["2025-12-31", "2026-01-01", "2026-01-02", "2026-02-01"]
        #expect(days.shuffled().sorted() == days)
    }
}
