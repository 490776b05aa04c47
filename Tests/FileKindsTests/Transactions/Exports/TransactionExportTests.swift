import Foundation
import Testing

@testable import FileKinds

@Suite("Exported transactions")
struct TransactionExportTests {
    private func histories() throws -> [AccountHistory] {
        let text = CAMTReaderTests.statement.replacing("Bread", with: "=1+1; \"x\", y")
        return AccountHistory.of(try TransactionFile.read(Array(text.utf8)))
    }

    @Test("keep ids and content through CSV and OFX", arguments: [TransactionExport.csv, .ofx])
    func roundTrip(format: TransactionExport) throws {
        let histories = try histories()
        let back = AccountHistory.of(try TransactionFile.read(Array(try format.text(histories).utf8)))
        #expect(back.map(\.account) == histories.map(\.account))
        let (ours, theirs) = (histories[0].transactions, back[0].transactions)
        #expect(ours.map(\.id) == theirs.map(\.id))
        #expect(ours.map(\.amount) == theirs.map(\.amount))
        #expect(ours.map(\.purpose) == theirs.map(\.purpose))
        #expect(ours.map(\.counterparty) == theirs.map(\.counterparty))
        if format == .ofx {
            #expect(back[0].opening == histories[0].opening)
            #expect(back[0].closing == histories[0].closing)
        }
    }

    @Test("keep the currency of an amount that is in another one than the account, also through OFX")
    func otherCurrency() throws {
        let text = CAMTReaderTests.statement.replacing("<Amt Ccy=\"EUR\">12.50", with: "<Amt Ccy=\"USD\">12.50")
        let histories = AccountHistory.of(try TransactionFile.read(Array(text.utf8)))
        let back = AccountHistory.of(try TransactionFile.read(Array(try TransactionExport.ofx.text(histories).utf8)))
        #expect(back.map(\.currency) == ["EUR"])
        #expect(back[0].transactions.map(\.currency) == ["USD"])
        #expect(TransactionExport.json.notes(histories).isEmpty)
        let notes = TransactionExport.ofx.notes(histories)
        #expect(notes.count == 1 && notes[0].contains("1 stands in its place for those in USD: 1;"), "\(notes)")
    }

    @Test("keep a quotation mark before a combining mark inside its field", arguments: [TransactionExport.csv, .ofx])
    func combining(format: TransactionExport) throws {
        let text = CAMTReaderTests.statement.replacing("Bread", with: "a\"\u{301}, \"b")
        let histories = AccountHistory.of(try TransactionFile.read(Array(text.utf8)))
        let back = AccountHistory.of(try TransactionFile.read(Array(try format.text(histories).utf8)))
        #expect(back[0].transactions.map(\.purpose) == histories[0].transactions.map(\.purpose))
        #expect(back[0].transactions.map(\.amount) == histories[0].transactions.map(\.amount))
    }

    @Test(
        "are read again as OFX, whatever characters an account's number has",
        arguments: ["\u{F}", "\u{7F}", "\u{FFFF}"])
    func forbiddenCharacters(character: String) throws {
        let mt940 = """
            :20:A
            :25:12345\(character)678/0123456789
            :60F:C250201EUR100,
            :61:2502100210D2,NMSCNONREF
            :86:166?20Coffee\(character)beans
            :62F:C250228EUR98,
            -

            """
        let histories = AccountHistory.of(try TransactionFile.read(Array(mt940.utf8)))
        let back = try TransactionFile.read(Array(try TransactionExport.ofx.text(histories).utf8))
        #expect(back[0].account == "12345678/0123456789")
        #expect(back[0].transactions.map(\.id) == histories[0].transactions.map(\.id))
    }

    @Test("are text, never formulas, in a spreadsheet")
    func formulas() throws {
        #expect(try TransactionExport.csv.text(try histories()).contains("\"'=1+1; \"\"x\"\", y\""))
    }

    @Test(
        "are text, whichever separator the spreadsheet's language has", arguments: [",", ";", "\t", "|"] as [Character])
    func separators(_ separator: Character) throws {
        let text = CAMTReaderTests.statement.replacing(
            "Bread", with: "thanks\(separator)=cmd|'/C calc'!A1\(separator)x")
        let histories = AccountHistory.of(try TransactionFile.read(Array(text.utf8)))
        let export = try TransactionExport.csv.text(histories)
        #expect(export.contains("cmd|"))
        for cell in export.split(whereSeparator: { $0 == separator || $0.isNewline }) {
            #expect(!cell.drop { $0 == "\"" }.hasPrefix("="), "\(cell)")
        }
        let back = AccountHistory.of(try TransactionFile.read(Array(export.utf8)))
        #expect(back[0].transactions.map(\.purpose) == histories[0].transactions.map(\.purpose))
    }

    @Test("balance in beancount's and ledger's journals")
    func journals() throws {
        let beancount = try TransactionExport.beancount.text(try histories())
        #expect(beancount.contains("2025-03-14 * \"Bäckerei & Söhne\" \"=1+1; \\\"x\\\", y\"\n  id: \"tx-"))
        #expect(
            beancount.contains(
                "    Assets:Bank:DE89370400440532013000  -12.50 EUR\n    Expenses:Unsorted  12.50 EUR\n\n"))
        #expect(beancount.contains("2025-04-01 balance Assets:Bank:DE89370400440532013000  87.50 EUR\n"))
        let ledger = try TransactionExport.ledger.text(try histories())
        #expect(ledger.contains("2025-03-14 * Bäckerei & Söhne | =1+1, \"x\", y\n    ; id: tx-"))
        #expect(ledger.contains("0.00 EUR = 87.50 EUR\n"))
    }

    @Test("assert the balance of each statement, in the order of days and with what is missing between them")
    func balances() throws {
        func month(_ number: Int, _ opening: String, _ amount: String, _ closing: String) throws -> [Statement] {
            let text =
                ":20:A\n:25:1\n:60F:C250\(number)01EUR\(opening),\n:61:250\(number)05D\(amount),NTRF\n:62F:C250\(number)28EUR\(closing),\n-\n"
            return try TransactionFile.read(Array(text.utf8))
        }
        let statements = try month(1, "100", "10", "90") + month(2, "90", "20", "70") + month(4, "50", "5", "45")
        let histories = AccountHistory.of(statements)
        let beancount = try TransactionExport.beancount.text(histories)
        let found = beancount.split(separator: "\n").filter { $0.contains(" balance Assets:") }.map { $0.prefix(10) }
        #expect(found == ["2025-01-29", "2025-03-01", "2025-04-29"])
        let ledger = try TransactionExport.ledger.text(histories)
        let days = ledger.split(separator: "\n").filter { $0.hasPrefix("2025") }.map { String($0.prefix(10)) }
        #expect(days == days.sorted() && days.count == 8, "\(ledger)")
        #expect(ledger.contains("= 90.00 EUR") && ledger.contains("= 70.00 EUR") && ledger.contains("= 45.00 EUR"))
        let part = histories[0].part(from: nil, to: CalendarDay(iso: "2025-02-15"))
        #expect(part.balances.map(\.day.description) == ["2025-01-28"])
    }

    @Test("have the balance of the last day that there is after it, and lines that ledger takes")
    func limits() throws {
        let last = CAMTReaderTests.statement.replacing("2025-03", with: "2199-12")
            .replacing("Bread", with: String(repeating: "é", count: 3000))
        let histories = AccountHistory.of(try TransactionFile.read(Array(last.utf8)))
        #expect(try TransactionExport.beancount.text(histories).contains("2200-01-01 balance "))
        let lines = try TransactionExport.ledger.text(histories).split(separator: "\n")
        #expect(lines.allSatisfy { $0.utf8.count < 4096 } && lines.contains { $0.hasSuffix("é…") })
    }

    @Test("hold no comment or code of a payer's in ledger's journal, whatever combining mark follows")
    func foreignComments() throws {
        let text = CAMTReaderTests.statement.replacing("Bread", with: "Rent;\u{308} date:1999-01-01 (\u{301}x)")
        let ledger = try TransactionExport.ledger.text(
            AccountHistory.of(try TransactionFile.read(Array(text.utf8))))
        let title = try #require(ledger.split(separator: "\n").first { $0.contains("Rent") })
        #expect(!title.unicodeScalars.contains { ";()".unicodeScalars.contains($0) }, "\(title)")
    }

    @Test("have amounts as strings in JSON")
    func json() throws {
        #expect(try TransactionExport.json.text(try histories()).contains("\"amount\":\"-12.50\""))
    }

    @Test("are refused as OFX without a closing balance")
    func noBalance() throws {
        var options = ReadingOptions()
        options.currency = "EUR"
        let statements = try TransactionFile.read(Array("!Type:Bank\nD2025-03-14\nT1\n^\n".utf8), options: options)
        #expect(throws: ReadingError.self) { try TransactionExport.ofx.text(AccountHistory.of(statements)) }
    }

    @Test("have the accounts that OFX can hold, and name the one that it cannot")
    func someBalances() throws {
        let whole = ":20:A\n:25:1\n:60F:C250201EUR100,\n:61:250210D2,NMSC\n:62F:C250228EUR98,\n-\n"
        let open = ":20:A\n:25:DE89370400440532013000\n:60F:C250201EUR100,\n:61:250210D2,NMSC\n-\n"
        let histories = AccountHistory.of(try TransactionFile.read(Array((open + whole).utf8)))
        #expect(histories.count == 2)
        let back = try TransactionFile.read(Array(try TransactionExport.ofx.text(histories).utf8))
        #expect(back.map(\.account) == ["1"])
        #expect(TransactionExport.ofx.lacksAccounts(histories) && !TransactionExport.json.lacksAccounts(histories))
        let notes = TransactionExport.ofx.notes(histories)
        let sentence =
            "the account that ends with 3000, in EUR, is left out of the OFX file: OFX requires a closing balance"
        #expect(notes.count == 1 && notes[0].hasPrefix(sentence), "\(notes)")
        #expect(!TransactionExport.ofx.lacksAccounts(Array(histories.dropFirst())))
    }
}
