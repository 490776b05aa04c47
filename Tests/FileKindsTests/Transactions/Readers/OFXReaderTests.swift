import Testing

@testable import FileKinds

@Suite("OFX as banks write it")
struct OFXReaderTests {
    private func read(_ text: String) throws -> Statement {
        try #require(try TransactionFile.read(Array(text.utf8)).first)
    }

    @Test(
        "costs a value that is not needed, or nothing, where it is odd",
        arguments: [
            ("-12.50", "-12.5000000000000034", false), ("<DTASOF>20250331", "<DTASOF>00000000", true),
            ("<BALAMT>87.50", "<BALAMT>", true), ("<BALAMT>87.50<DTASOF>20250331", "<BALAMT/><DTASOF/>", true),
            ("<FITID>F1", "<FITID>", false), ("<FITID>F1", "", false),
            (
                "<CURDEF>", "<STATUS><CODE>0<SEVERITY>INFO<MESSAGE>OK</MESSAGE></SEVERITY></CODE></STATUS><CURDEF>",
                false
            ),
            ("<BANKMSGSRSV1>", "<!-- made by the bank --><BANKMSGSRSV1>", false),
            ("OFXHEADER:100\nDATA:OFXSGML\n", "DATA:OFXSGML\nENCODING:UTF-8\n", false),
            ("A &amp; B & C", "A & B <C", false), ("<OFX>", "<OFX >", false), ("</OFX>", "</OFX>\0\0\0", false),
            ("<TRNAMT>-12.50", "<TRNAMT>   - 12,50", false), ("<MEMO>Bread", "<MEMO>Bread</NOTE>", false),
        ])
    func odd(part: String, other: String, costsBalance: Bool) throws {
        let statement = try read(PlainFormatTests.ofx.replacing(part, with: other))
        #expect(statement.transactions.map(\.amount) == [Amount("-12.5")])
        #expect((statement.closing == nil) == costsBalance)
        #expect(statement.notes.isEmpty == !costsBalance, "\(statement.notes)")
    }

    @Test("has the letters that banks write as entities of HTML")
    func entities() throws {
        let text = PlainFormatTests.ofx.replacing(
            "A &amp; B & C", with: "Caf&eacute; &quot;L&ouml;we&quot; &amp; &Ntilde;")
        #expect(try read(text).transactions[0].counterparty == "Café \"Löwe\" & Ñ")
    }

    @Test("refuses a transaction with two amounts, and says that one in another currency is not in the balance")
    func amounts() throws {
        let two = PlainFormatTests.ofx.replacing("<TRNAMT>-12.50", with: "<TRNAMT>-12.50<TRNAMT>-11.00")
        #expect { try read(two) } throws: { "\($0)".contains("-11.00") }
        let other = PlainFormatTests.ofx.replacing(
            "</STMTTRN>", with: "<CURRENCY><CURRATE>1.1<CURSYM>USD</CURRENCY></STMTTRN>")
        let history = try #require(AccountHistory.of([try read(other)]).first)
        #expect(history.isOpeningComputed)
        #expect(history.notes.contains { $0.contains("without the transactions in USD") }, "\(history.notes)")
    }

    @Test(
        "keeps the currency from which the bank converted an amount, and the rate, and changes no amount",
        arguments: [
            ("<ORIGCURRENCY><CURRATE>0.85<CURSYM>USD</ORIGCURRENCY>", "EUR", "original currency USD, rate 0.85"),
            ("<ORIGCURRENCY><CURRATE>1.0<CURSYM>EUR</ORIGCURRENCY>", "EUR", "original currency EUR, rate 1.0"),
            ("<CURRENCY><CURRATE>0.85<CURSYM>USD</CURRENCY>", "USD", "rate 0.85"),
            ("<CURRENCY><CURRATE>1<CURSYM>USD</CURRENCY>", "USD", ""), ("", "EUR", ""),
        ])
    func converted(part: String, currency: String, details: String) throws {
        let text = PlainFormatTests.ofx.replacing("</STMTTRN>", with: part + "</STMTTRN>")
        let transaction = try #require(try read(text).transactions.first)
        #expect(transaction.amount == Amount("-12.50"))
        #expect(transaction.currency == currency)
        #expect(transaction.details == details)
        let plain = try #require(try read(PlainFormatTests.ofx).transactions.first)
        #expect(currency != "EUR" || transaction.id == plain.id)
    }

    @Test("says it when two statements of one account in a file have one reference")
    func sharedReference() throws {
        let start = try #require(PlainFormatTests.ofx.range(of: "<STMTTRNRS>")?.lowerBound)
        let end = try #require(PlainFormatTests.ofx.range(of: "</BANKMSGSRSV1>")?.lowerBound)
        let statement = String(PlainFormatTests.ofx[start..<end])
        for (other, count) in [
            (statement, 1), (statement.replacing("<FITID>F1", with: "<FITID>F2"), 0),
            (statement.replacing("<ACCTID>12345678", with: "<ACCTID>2"), 0),
        ] {
            let text = PlainFormatTests.ofx.replacing("</BANKMSGSRSV1>", with: other + "</BANKMSGSRSV1>")
            let statements = try TransactionFile.read(Array(text.utf8))
            #expect(statements.count == 2)
            let notes = statements.flatMap(\.notes)
            #expect(notes.count { $0.contains("two statements of one account") } == count, "\(notes)")
        }
    }

    @Test("says it when a booking is there twice with one reference, which only one may have")
    func sameReference() throws {
        let start = try #require(PlainFormatTests.ofx.range(of: "<STMTTRN>")?.lowerBound)
        let end = try #require(PlainFormatTests.ofx.range(of: "</BANKTRANLIST>")?.lowerBound)
        let booking = PlainFormatTests.ofx[start..<end]
        let statement = try read(PlainFormatTests.ofx.replacing("</BANKTRANLIST>", with: booking + "</BANKTRANLIST>"))
        #expect(statement.transactions.count == 2)
        #expect(statement.notes.count == 1 && statement.notes[0].hasSuffix("are all counted: 1"), "\(statement.notes)")
        let other = booking.replacing("<FITID>F1", with: "<FITID>F2")
        #expect(
            try read(PlainFormatTests.ofx.replacing("</BANKTRANLIST>", with: other + "</BANKTRANLIST>")).notes.isEmpty)
    }

    @Test("says how many entries are not booked yet")
    func pending() throws {
        let text = PlainFormatTests.ofx.replacing(
            "</STMTRS>", with: "<BANKTRANLISTP><STMTTRNP><TRNAMT>-9.00</STMTTRNP></BANKTRANLISTP></STMTRS>")
        let statement = try read(text)
        #expect(statement.transactions.map(\.amount) == [Amount("-12.5")])
        #expect(statement.notes == ["entries that are not booked yet are left out: 1"])
    }

    @Test(
        "leaves out what a correction corrects, also another correction",
        arguments: [
            ("<FITID>F2<CORRECTFITID>F1", "REPLACE", "2", ["-3.00"]),
            ("<FITID>F2<CORRECTFITID>F1", "DELETE", "2", []),
            // With the reference of what it corrects.
            ("<FITID>F1<CORRECTFITID>F1", "", "1", ["-4.00"]),
        ] as [(String, String, String, [String])])
    func corrections(first: String, second: String, count: String, amounts: [String]) throws {
        func booking(_ amount: String, _ rest: String) -> String {
            "<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20250314<TRNAMT>\(amount)\(rest)<NAME>X</STMTTRN>\n"
        }
        var more = booking("-4.00", first + "<CORRECTACTION>REPLACE")
        if !second.isEmpty {
            more += booking("-3.00", "<FITID>F3<CORRECTFITID>F2<CORRECTACTION>\(second)")
        }
        let statement = try read(PlainFormatTests.ofx.replacing("</BANKTRANLIST>", with: more + "</BANKTRANLIST>"))
        #expect(statement.transactions.map(\.amount.description) == amounts)
        #expect(statement.notes == ["bookings that the bank has corrected are left out: \(count)"])
    }

    @Test("is refused where an amount is in another currency than the statement")
    func currency() {
        #expect { try read(PlainFormatTests.ofx.replacing("-12.50", with: "-12.50 USD")) } throws: {
            ($0 as? ReadingError)?.code == .currency
        }
    }

    @Test("may leave out the end of a transaction, and have a date or no currency of its own kind")
    func endless() throws {
        let one = "<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>2025-03-15<TRNAMT>-1.00<FITID>F0<NAME>X"
        let text = PlainFormatTests.ofx.replacing("<STMTTRN>", with: "\(one)<STMTTRN>").replacing(
            "</STMTTRN>", with: "")
        #expect(try read(text).transactions.map(\.amount) == [Amount("-1"), Amount("-12.5")])
        var options = ReadingOptions()
        options.currency = "EUR"
        let nameless = PlainFormatTests.ofx.replacing("<CURDEF>EUR", with: "<CURDEF>")
        #expect(try TransactionFile.read(Array(nameless.utf8), options: options)[0].currency == "EUR")
        #expect(throws: ReadingError.self) { try read(nameless) }
    }

    @Test("has decimal points in the files that this module wrote")
    func own() throws {
        let text = CAMTReaderTests.statement.replacing("12.50", with: "1.234").replacing("87.5<", with: "98.766<")
        let histories = AccountHistory.of(try TransactionFile.read(Array(text.utf8)))
        let back = try TransactionFile.read(Array(try TransactionExport.ofx.text(histories).utf8))
        #expect(back[0].transactions.map(\.amount) == [Amount("-1.234")])
    }

    @Test("may end a card's statement with the tag of an account's")
    func cards() throws {
        let text = PlainFormatTests.ofx.replacing("<STMTRS>", with: "<CCSTMTRS>")
            .replacing("BANKACCTFROM", with: "CCACCTFROM")
        #expect(try read(text).transactions.count == 1)
    }

    @Test("may have a header of XML before a body of SGML, or state an encoding that it is not in")
    func headers() throws {
        let body = PlainFormatTests.ofx.split(separator: "\n\n")[1]
        for name in ["UTF-8", "utf-16"] {
            let text = "<?xml version=\"1.0\" encoding=\"\(name)\"?>\n<?OFX OFXHEADER=\"200\"?>\n\(body)"
            #expect(try read(text).transactions.count == 1)
        }
    }

    @Test("asks whether a mark before three digits is decimal, and not where another amount shows it")
    func thousands() throws {
        let text = PlainFormatTests.ofx.replacing("-12.50", with: "-1,234")
        #expect(try read(text).transactions[0].amount == Amount("-1234"))
        #expect { try read(text.replacing("<BALAMT>87.50", with: "<BALAMT>87")) } throws: {
            ($0 as? ReadingError)?.code == .ambiguous
        }
    }
}
