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
            ("31032025", "2025-03-31"), ("3/11' 2", "2002-03-11"),
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

    @Test("are not words, such as those of a total", arguments: ["Balance of 31.03.2025", "Total", "", "Saldo 2025"])
    func words(text: String) {
        #expect(WrittenDates.isWords(text))
    }
}
