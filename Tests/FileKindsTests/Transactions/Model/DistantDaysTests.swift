import Testing

@testable import FileKinds

@Suite("Days that a statement can hardly have")
struct DistantDaysTests {
    private func notes(_ text: String, _ columns: String? = nil, today: String? = nil) throws -> [String] {
        var options = ReadingOptions()
        (options.currency, options.today) = ("EUR", today.flatMap { CalendarDay(iso: $0) })
        options.columns = try columns.map { declaration throws(ReadingError) in try CSVColumns(declaration) }
        let statement = try #require(try TransactionFile.read(Array(text.utf8), options: options).first)
        #expect(!statement.transactions.isEmpty)
        return statement.notes
    }

    private static func swift(_ booking: String) -> String {
        ":20:A\n:25:1\n:60F:C250301EUR100,\n:61:\(booking)D10,NTRF\n:62F:C250331EUR90,\n-\n"
    }

    private static func ofx(_ day: String) -> String {
        PlainFormatTests.ofx.replacing("<DTPOSTED>20250314", with: "<DTPOSTED>\(day)")
    }

    @Test(
        "are said, and kept",
        arguments: [
            (swift("620310"), nil, "from 2025-03-01 to 2025-03-31), such as 2062-03-10"),
            (swift("240310"), nil, "such as 2024-03-10"),
            (
                CAMTReaderTests.statement.replacing("<BookgDt><Dt>2025-", with: "<BookgDt><Dt>2052-"), nil,
                "such as 2052-03-"
            ),
            (
                CAMTReaderTests.statement.replacing(
                    "2025-03-14</Dt></BookgDt>", with: "2025-03-14</Dt></BookgDt><ValDt><Dt>2052-03-14</Dt></ValDt>"),
                nil,
                "value dates are years from their booking, such as 2052-03-"
            ),
            (ofx("19250314"), nil, "such as 1925-03-14"),
            ("!Type:Bank\nD13/03/2025\nT1\n^\nD13/03/2062\nT1\n^\n", nil, "none is between 2025-03-13 and 2062-03-13"),
            (
                "Zeitraum;01.03.2025 - 31.03.2025\nDate;Amount\n05.03.2025;1,00\n05.03.2028;2,00\n",
                "booked=Date,amount=Amount", "from 2025-03-01 to 2025-03-31), such as 2028-03-05"
            ),
            (
                "Date from:;=\"2025-03-01\"\nDate to:;=\"2025-03-31\"\nDate;Amount\n13.03.2025;1,00\n13.03.2023;2,00\n",
                "booked=Date,amount=Amount", "from 2025-03-01 to 2025-03-31), such as 2023-03-13"
            ),
            (
                "Date;Value;Amount\n2025-03-01;2052-03-01;-1.25\n2025-03-02;2025-03-02;3.00\n",
                "booked=Date,valued=Value,amount=Amount", "such as 2052-03-01 of a booking of 2025-03-01"
            ),
        ] as [(String, String?, String)])
    func said(text: String, columns: String?, part: String) throws {
        let notes = try notes(text, columns)
        #expect(notes.count { $0.contains(part) } == 1, "\(notes)")
    }

    @Test(
        "are not those of late bookings, of accounts at rest, or of the day on which a file was made",
        arguments: [
            (swift("250110"), nil), (swift("2410010310"), nil), (ofx("20250102"), nil),
            ("!Type:Bank\nD13/03/2016\nT1\n^\nD13/03/2025\nT1\n^\n", nil),
            (
                "Made on 02.04.2025\nDate;Amount\n05.03.2024;1,00\n05.03.2025;-2,00\n", "booked=Date,amount=Amount"
            ),
        ] as [(String, String?)])
    func quiet(text: String, columns: String?) throws {
        let notes = try notes(text, columns, today: "2025-04-02")
        #expect(notes.isEmpty, "\(notes)")
    }

    @Test("are those after today, where no other day tells")
    func future() throws {
        let text = "!Type:Bank\nD13/03/2062\nT1\n^\nD15/03/2062\nT1\n^\n"
        #expect(try notes(text).isEmpty)
        let notes = try notes(text, today: "2025-04-02")
        #expect(notes.count == 1 && notes[0].contains("after today, such as 2062-03-13"), "\(notes)")
        #expect(notes[0].hasSuffix(": 2"))
    }
}
