import Testing

@testable import Authoring

@Suite("A month in a recording")
struct RecordedMonthTests {
    @Test(
        "months are recognised as banks write them",
        arguments: [
            ("January 2026", "en", 1, 2026, "{{ month.name }} {{ year }}"),
            ("Statement of Jan 2026", "en", 1, 2026, "Statement of {{ month.abbreviation }} {{ year }}"),
            ("März 2025", "de", 3, 2025, "{{ month.name }} {{ year }}"),
            ("2026-01", "en", 1, 2026, "{{ year }}-{{ month | pad: 2 }}"),
            ("31.01.2026", "de", 1, 2026, "31.{{ month | pad: 2 }}.{{ year }}"),
            ("01/2026", "en", 1, 2026, "{{ month | pad: 2 }}/{{ year }}"),
            ("/s/202601.pdf", "en", 1, 2026, "/s/{{ year }}{{ month | pad: 2 }}.pdf"),
            ("/s/20260131.pdf", "en", 1, 2026, "/s/20260131.pdf"),
        ])
    func periods(text: String, locale: String, month: Int, year: Int, template: String) throws {
        let period = try #require(RecordedMonth(in: text, locale: locale))
        #expect(period.month == month)
        #expect(period.year == year)
        #expect(period.parametrised(text) == template)
    }

    @Test(
        "other numbers do not count as a month",
        arguments: ["40 2071 8836", "Page 1 of 2", "May", "2026", "13/2026", "1,202.60"])
    func noPeriod(text: String) {
        #expect(RecordedMonth(in: text, locale: "en") == nil)
    }
}
