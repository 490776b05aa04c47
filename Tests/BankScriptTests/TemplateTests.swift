import Testing

@testable import BankScript

@Suite("Template")
struct TemplateTests {
    @Test(
        "fills names, properties and filters in",
        arguments: [
            ("{{ month.name }} {{ year }}", "en", "January 2026"),
            ("{{ month.name }} {{ year }}", "de", "Januar 2026"),
            ("{{month.abbreviation}}-{{year.short}}", "en", "Jan-26"),
            ("{{ month | pad }}/{{ year }}", "en", "01/2026"),
            ("{{ month | pad: 3 }}", "en", "001"),
            ("{{ month | name | upper }}", "en", "JANUARY"),
            ("{{ note | trim | lower }}", "en", "hello there"),
            ("no placeholders { at } all", "en", "no placeholders { at } all"),
            ("", "en", ""),
        ])
    func fills(template: String, locale: String, expected: String) throws {
        let values = ["month": "1", "year": "2026", "note": "  Hello There "]
        #expect(try Template(template).filled(with: values, locale: locale) == expected)
    }

    @Test(
        "says what is wrong, and where",
        arguments: [
            ("{{ month", 1, "not closed"),
            ("see {{ month", 5, "not closed"),
            ("month }}", 7, "without"),
            ("{{ }}", 1, "does not begin with a name"),
            ("{{ 1month }}", 1, "does not begin with a name"),
            ("{{ month | }}", 1, "filter is missing"),
            ("{{ mouth }}", 1, "known are: month, year"),
            ("{{ month | capitalise }}", 1, "no filter “capitalise”"),
            ("{{ year.name }}", 1, "is no month"),
            ("{{ month | pad: 99 }}", 1, "width from 1 to 40"),
        ])
    func refuses(template: String, column: Int, message: String) throws {
        let error = try #require(throws: TemplateError.self) {
            try Template(template).filled(with: ["month": "1", "year": "2026"], locale: "en")
        }
        #expect(error.column == column)
        #expect(error.message.contains(message), "\(error.message)")
    }
}
