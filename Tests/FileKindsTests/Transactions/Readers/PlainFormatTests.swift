import Testing

@testable import FileKinds

@Suite("OFX, QIF and CSV")
struct PlainFormatTests {
    private func read(_ text: String, _ change: (inout ReadingOptions) throws -> Void = { _ in }) throws -> [Statement]
    {
        var options = ReadingOptions()
        try change(&options)
        return try TransactionFile.read(Array(text.utf8), options: options)
    }

    static let ofx = """
        OFXHEADER:100
        DATA:OFXSGML

        <OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><BANKID>1<ACCTID>12345678</BANKACCTFROM>
        <BANKTRANLIST><DTSTART>20250301<DTEND>20250331
        <STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20250314120000[-5:EST]<TRNAMT>-12.50<FITID>F1<NAME>A &amp; B & C<MEMO>Bread</STMTTRN>
        </BANKTRANLIST><LEDGERBAL><BALAMT>87.50<DTASOF>20250331</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>
        """

    @Test("OFX 1 is read without end tags")
    func sgml() throws {
        let statement = try #require(try read(Self.ofx).first)
        #expect(statement.account == "12345678")
        #expect(statement.closing?.amount == Amount("87.5"))
        #expect(statement.transactions.map(\.counterparty) == ["A & B & C"])
        #expect(statement.transactions.map(\.amount) == [Amount("-12.5")])
    }

    @Test("OFX that is cut off or has a declaration is refused, and a booking without an amount")
    func brokenOFX() {
        for (text, code) in [
            (String(Self.ofx.dropLast(60)), ReadingError.Code.syntax),
            (Self.ofx.replacing("<OFX>", with: "<!ENTITY a \"b\"><OFX>"), .forbidden),
            (Self.ofx.replacing("-12.50", with: "x"), .amount),
        ] {
            #expect { try read(text) } throws: { ($0 as? ReadingError)?.code == code }
        }
    }

    @Test("QIF needs a currency, and an order of dates when both fit")
    func qif() throws {
        let text = "!Type:Bank\nD03/04/2025\nT-1,234.50\nPBaker\nMBread\n^\n"
        #expect { try read(text) } throws: { ($0 as? ReadingError)?.code == .ambiguous }
        #expect { try read(text) { $0.currency = "EUR" } } throws: { ($0 as? ReadingError)?.code == .ambiguous }
        let statement = try #require(
            try read(text) {
                $0.currency = "EUR"
                $0.dateOrder = .dayMonthYear
            }.first)
        #expect(statement.transactions[0].booked.description == "2025-04-03")
        #expect(statement.transactions[0].amount == Amount("-1234.5"))
    }

    static let csv = """
        "Konto";"DE89 3704 0044 0532 0130 00"

        Buchungstag;Betrag;Währung;Name;Text
        14.03.2025;-1.234,50;EUR;"Bäckerei; Söhne";"two
        lines"
        31.03.2025;5,00;EUR;Baker;"a ""quote"" here"
        """

    @Test("CSV is read by declared columns, with the lines before the header passed over")
    func csv() throws {
        let statement = try #require(
            try read(Self.csv) {
                $0.columns = try CSVColumns(
                    "booked=Buchungstag,amount=Betrag,currency=Währung,counterparty=Name,purpose=Text")
            }.first)
        #expect(statement.transactions.map(\.amount) == [Amount("-1234.5"), Amount("5")])
        #expect(statement.transactions.map(\.counterparty) == ["Bäckerei; Söhne", "Baker"])
        #expect(statement.transactions.map(\.purpose) == ["two lines", "a \"quote\" here"])
        #expect(statement.transactions[0].booked.description == "2025-03-14")
    }

    @Test("CSV is refused where it is damaged or leaves something open, with the line")
    func brokenCSV() throws {
        let columns = try CSVColumns("booked=Buchungstag,amount=Betrag,currency=Währung")
        for (part, other, code, line) in [
            (";Baker;", ";Baker;;", ReadingError.Code.syntax, 6), ("5,00", "5.00.", .amount, nil),
            ("31.03.2025", "31.02.2025", .date, 6), ("Betrag", "Sum", .syntax, nil), ("here\"", "here", .syntax, 6),
        ] as [(String, String, ReadingError.Code, Int?)] {
            #expect {
                try read(Self.csv.replacing(part, with: other)) { $0.columns = columns }
            } throws: {
                let error = $0 as? ReadingError
                return error?.code == code && (line == nil || error?.line == line)
            }
        }
        #expect { try read(Self.csv) } throws: { ($0 as? ReadingError)?.code == .wrongKind }
        #expect {
            try read("Date,Amount\n2025-01-01,\"1,234\"") { options in
                options.columns = try CSVColumns("booked=Date,amount=Amount")
                options.currency = "EUR"
            }
        } throws: { ($0 as? ReadingError)?.code == .ambiguous }
        #expect(throws: ReadingError.self) { try CSVColumns("booked=A") }
        #expect(throws: ReadingError.self) { try CSVColumns("booked=A,amount=B,price=C") }
    }

    @Test(
        "what is not a file of transactions is refused as what it is",
        arguments: [
            ("%PDF-1.7", "PDF"), ("<!DOCTYPE html><p>", "HTML"), ("PK\u{3}\u{4}", "ZIP"), ("", "empty"),
            ("x", "not CAMT"),
        ])
    func foreign(text: String, name: String) {
        #expect { try read(text) } throws: {
            ($0 as? ReadingError)?.code == .wrongKind && "\($0)".contains(name)
        }
    }

    @Test("what is quoted in a message hides the digits of account numbers")
    func quoting() {
        #expect(ReadingError.quoted("DE89 3704 0044 0532 0130 00") == "“DE## #### #### #### #### ##”")
        #expect(ReadingError.quoted("12345678") == "“########”")
        #expect(ReadingError.quoted("31.02.2025") == "“31.02.2025”")
    }
}
