import Testing

@testable import FileKinds

@Suite("Dates as banks write them")
struct WrittenDatesTests {
    @Test(
        "may have the month in words",
        arguments: [
            ("26 Jan 2026", "2026-01-26"), ("Mar 03, 2025", "2025-03-03"), ("03-März-25", "2025-03-03"),
            ("3. Dezember 2025", "2025-12-03"), ("15 août 2025", "2025-08-15"), ("3 de mayo de 2025", "2025-05-03"),
            ("2025 Oct 9", "2025-10-09"), ("Monday, 3 March 2025", "2025-03-03"), ("20250331", "2025-03-31"),
            ("31032025", "2025-03-31"), ("3/11' 2", "2002-03-11"), ("31. března 2025", "2025-03-31"),
            ("5. července 2025", "2025-07-05"), ("5. června 2025", "2025-06-05"), ("2 Ocak 2025", "2025-01-02"),
            ("9 marraskuu 2025", "2025-11-09"), ("9 maaliskuu 2025", "2025-03-09"),
            ("2025. szeptember 3.", "2025-09-03"),
            ("3 листопада 2025", "2025-11-03"), ("9 rugsėjo 2025", "2025-09-09"), ("9 rugpjūčio 2025", "2025-08-09"),
            ("9 марта 2025", "2025-03-09"), ("2025-03-31 10:15 CEST", "2025-03-31"), ("04.15.2025", "2025-04-15"),
        ])
    func forms(text: String, day: String) throws {
        let dates = try WrittenDates([text], order: text == "3/11' 2" ? .monthDayYear : nil)
        #expect(try dates.day(text, line: 1).description == day)
    }

    @Test("have the order that the most of them fit, and one that fits none is one line's fault")
    func oneOdd() throws {
        let texts = ["2025-03-31", "2025-02-30", "2025-03-01"]
        let dates = try WrittenDates(texts, order: nil)
        #expect(try dates.day(texts[0], line: 1).description == "2025-03-31")
        #expect { try dates.day(texts[1], line: 2) } throws: { ($0 as? ReadingError)?.line == 2 }
    }

    @Test(
        "are asked for where years of two digits may stand first, and in the order that is given",
        arguments: [
            (["25/03/13", "25/06/05"], ["2025-03-13", "2025-06-05"], ReadingOptions.DateOrder.yearMonthDay),
            (["250325", "010225"], ["2025-03-25", "2025-02-01"], .dayMonthYear),
            (["25/03/24", "25/06/23"], ["2025-03-24", "2025-06-23"], .yearMonthDay),
            // One month in either order, and in the other one it is in the future.
            (["25-03-31"], ["2025-03-31"], .yearMonthDay),
        ])
    func shortYears(texts: [String], days: [String], order: ReadingOptions.DateOrder) throws {
        #expect { try WrittenDates(texts, order: nil) } throws: {
            ($0 as? ReadingError)?.code == .ambiguous && "\($0)".contains("--date-order")
        }
        let dates = try WrittenDates(texts, order: order)
        #expect(try texts.map { try dates.day($0, line: 1).description } == days)
    }

    @Test("have their years at the end where all are of one year then, and over many years of four digits")
    func longYears() throws {
        for texts in [
            ["31-03-25"], ["24-03-25", "25-03-25"], ["01-03-25", "05-03-25", "20-03-25"], ["25/03/25", "05/06/25"],
            ["25/03/2013", "25/06/2025"],
        ] {
            #expect(try WrittenDates(texts, order: nil).day(texts[0], line: 1).month == 3)
        }
    }

    @Test("are not words where a day begins them, also with a month of a language that is not known")
    func unknownMonth() throws {
        #expect(!WrittenDates.isWords("3 siječnja 2025"))
        #expect(throws: ReadingError.self) {
            try WrittenDates([], order: .dayMonthYear).day("3 siječnja 2025", line: 1)
        }
    }

    @Test(
        "that are not dates are said as what they are, and another order only where it helps",
        arguments: [
            ("", "the date is missing"), ("n/a", "“n/a” is not a date"), ("29.02.2025", "“29.02.2025” does not exist"),
            ("03.31.2025", "in the order dmy; give another with --date-order"),
        ])
    func reasons(text: String, reason: String) {
        #expect {
            try WrittenDates([], order: .dayMonthYear).day(text, line: 1)
        } throws: {
            "\($0)".hasSuffix(reason)
        }
    }

    @Test(
        "are not words, such as those of a total",
        arguments: ["Balance of 31.03.2025", "Settled 31.03.2025", "Total", "", "Saldo 2025"])
    func words(text: String) {
        #expect(WrittenDates.isWords(text))
    }
}
