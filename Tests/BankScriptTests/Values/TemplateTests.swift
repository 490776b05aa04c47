import Testing

@testable import BankScript

@Suite("Template")
struct TemplateTests {
    @Test(
        "fills in names, properties and filters",
        arguments: [
            ("{{ first_day | seconds }}", "en", "1767225600"),
            ("{{ first_day | plus: 1 month | seconds }}", "en", "1769904000"),
            ("{{ month.name }} {{ year }}", "en", "January 2026"),
            ("{{ month.name }} {{ year }}", "de", "Januar 2026"),
            ("{{month.abbreviation}}-{{year.short}}", "en", "Jan-26"),
            ("{{ month | pad }}/{{ year }}", "en", "01/2026"),
            ("{{ month | pad: 3 }}", "en", "001"),
            ("{{ month | name | upper }}", "en", "JANUARY"),
            ("{{ note | trim | lower }}", "en", "hello there"),
            ("{{ first_day | date: dd.MM.yyyy }}", "en", "01.01.2026"),
            ("{{ last_day | date: 'd MMMM yyyy' }}", "de", "31 Januar 2026"),
            ("no placeholders { at } all", "en", "no placeholders { at } all"),
            ("", "en", ""),
        ])
    func fills(template: String, locale: String, expected: String) throws {
        let values = ["month": "1", "year": "2026", "note": "  Hello There "].merging(
            StatementPeriod.values(of: ["month": 1, "year": 2026])
        ) { $1 }
        #expect(try Template(template).filled(with: values, locale: locale) == expected)
    }

    @Test(
        "says what is wrong, and where",
        arguments: [
            ("{{ month", 1, "not closed"),
            ("see {{ month", 5, "not closed"),
            ("month }}", 7, "has no “{{”"),
            ("{{ }}", 1, "does not begin with a name"),
            ("{{ 1month }}", 1, "does not begin with a name"),
            ("{{ month | }}", 1, "filter is missing"),
            ("{{ mouth }}", 1, "known names: month, year"),
            ("{{ month | capitalise }}", 1, "“capitalise” is not a filter"),
            ("{{ year.name }}", 1, "is not a month"),
            ("{{ month | pad: 99 }}", 1, "width from 1 to 40"),
            ("{{ month | date: yyyy }}", 1, "“1” is not a date"),
            ("{{ year | date }}", 1, "date needs a pattern"),
            ("{{ year | date: YYYY }}", 1, "“Y” in the pattern “YYYY” stands for the year of the week"),
        ])
    func refuses(template: String, column: Int, message: String) throws {
        let error = try #require(throws: TemplateError.self) {
            try Template(template).filled(with: ["month": "1", "year": "2026"], locale: "en")
        }
        #expect(error.column == column)
        #expect(error.message.contains(message), "\(error.message)")
    }

    @Test(
        "knows the first and the last day of a month",
        arguments: [
            (2024, 2, "2024-02-29"), (2025, 2, "2025-02-28"), (2100, 2, "2100-02-28"), (2026, 12, "2026-12-31"),
        ])
    func period(year: Int, month: Int, last: String) {
        let values = StatementPeriod.values(of: ["month": ParameterValue(month), "year": ParameterValue(year)])
        #expect(values["last_day"] == last)
        #expect(values["first_day"] == last.dropLast(2) + "01")
        #expect(StatementPeriod.values(of: ["year": ParameterValue(year)]).isEmpty)
    }
}
