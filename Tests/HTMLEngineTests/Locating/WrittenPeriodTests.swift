import Testing

@testable import HTMLEngine

@Suite("A period in a text of a page")
struct WrittenPeriodTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let text: String
        /// As “2025-4”, “0-4” without a year, “2025-4 day” and “2025-4…6”.
        let periods: [String]

        var testDescription: String { text }

        init(_ text: String, _ periods: String...) {
            self.text = text
            self.periods = periods
        }
    }

    static let examples: [Example] = [
        .init("April 2025", "2025-4"),
        .init("Statement of April 2025 (corrected)", "2025-4"),
        .init("Apr. 2025", "2025-4"),
        .init("2025, März", "2025-3"),
        .init("abril de 2025", "2025-4"),
        .init("04/2025", "2025-4"),
        .init("2025-04", "2025-4"),
        .init("2025-04-30", "2025-4 day"),
        .init("30.4.2025", "2025-4 day"),
        .init("30. 4. 2025", "2025-4 day"),
        .init("4/30/2025", "2025-4 day"),
        .init("April 30, 2025", "2025-4 day"),
        .init("the 30th of April", "0-4 day"),
        .init("Q2 2025", "2025-4…6"),
        .init("2025年4月", "2025-4"),
        .init("1 May – 31 May 2026", "2026-5"),
        .init("1 May 2026 to 31 May 2026", "2026-5"),
        .init("1 – 31 May 2026", "2026-5"),
        .init("1.–31. Mai 2026", "2026-5"),
        .init("1.5. – 31.5.2026", "2026-5"),
        .init("01.05.2026-31.05.2026", "2026-5"),
        .init("16 April – 15 May 2026", "2026-4…5"),
        .init("January to March 2026", "2026-1…3"),
        .init("April", "0-4"),
        .init("August, made on 2 September 2025", "0-8", "2025-9 day"),
        .init("You may march on"),
        .init("Account 1234, EUR 1.04"),
        .init("IBAN DE02 1203 0000 0000 2020 51"),
        .init("Statement 5 of 12"),
        .init("Sie sehen die Liste"),
    ]

    private static func description(_ period: WrittenPeriod) -> String {
        let months = period.months.sorted()
        let range = months.count > 1 ? "\(months[0])…\(months[months.count - 1])" : "\(months.first ?? 0)"
        return "\(period.years.first ?? 0)-\(range)\(period.isDay ? " day" : "")"
    }

    @Test("is read as a person reads it", arguments: examples)
    func read(example: Example) {
        #expect(example.text.writtenPeriods.map(Self.description) == example.periods)
    }

    @Test("covers the month that is asked for, where the years agree or one is not written")
    func covering() throws {
        let may = try #require("May 2026".writtenPeriods.first)
        for text in ["May 2026", "May", "1 May – 31 May 2026", "Q2 2026"] {
            #expect(try #require(text.writtenPeriods.first).covers(may), "\(text)")
        }
        for text in ["May 2025", "June 2026", "Q1 2026"] {
            #expect(try !#require(text.writtenPeriods.first).covers(may), "\(text)")
        }
    }

    @Test("is read quickly out of a text built to be long")
    func hostile() {
        #expect(String(repeating: "1 – 1. May – ", count: 20_000).writtenPeriods.count < 400)
    }
}
