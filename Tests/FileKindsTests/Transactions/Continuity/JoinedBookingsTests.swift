import Foundation
import Testing

@testable import FileKinds

@Suite("Bookings of several statements")
struct JoinedBookingsTests {
    /// A message with coffees of 3.50 on 3 March.
    private func message(
        _ opening: String, _ coffees: Int, _ closing: String, from: String = "250303", to: String = "250303"
    ) -> String {
        let coffee = ":61:2503030303D3,50NMSCNONREF\n:86:COFFEE\n"
        let bookings = String(repeating: coffee, count: coffees)
        return ":20:A\n:25:1/2\n:60F:C\(from)EUR\(opening)\n\(bookings):62F:C\(to)EUR\(closing)\n-\n"
    }

    private func history(_ files: String...) throws -> AccountHistory {
        try #require(
            AccountHistory.of(try files.flatMap { try TransactionFile.read(Array($0.utf8), source: "a.sta") }).first)
    }

    private func checks(_ history: AccountHistory, _ count: Int, gaps: Int = 0) throws {
        #expect(history.transactions.count == count)
        #expect(Set(history.transactions.map(\.id)).count == count)
        #expect(history.gaps.count == gaps, "\(history.gaps)")
        let sum = history.transactions.map(\.amount) + history.gaps.compactMap(\.difference)
        #expect(try #require(history.opening).amount + sum.reduce(.zero, +) == history.closing?.amount)
    }

    @Test("of one file are all there, whether its pages or its days have them alike")
    func oneFile() throws {
        let pages = message("100,", 2, "93,") + message("93,", 1, "89,5")
        try checks(try history(pages), 3)
        try checks(try history(message("100,", 1, "96,5"), message("96,5", 1, "93,")), 2)
    }

    @Test("of two files of the same days are apart where neither begins with a balance of the other's first day")
    func sameDays() throws {
        let first = message("100,", 1, "96,5", from: "250301", to: "250331")
        let second = message("96,5", 1, "93,", from: "250301", to: "250331")
        try checks(try history(first, second), 2)
        try checks(try history(second, first), 2)
        // The second begins after the first booking of the day.
        let whole = message("100,", 2, "93,", from: "250303", to: "250331")
        try checks(try history(whole, second.replacing("250301", with: "250303")), 2)
    }

    @Test("of a day's end are in the statement of the whole day, whatever the files' order")
    func endOfDay() throws {
        let pay = ":61:2503030303C25,NMSCNONREF\n:86:PAY\n"
        func opened(_ message: String, _ opening: String) -> String {
            message.replacing(/EUR[0-9,]+\n/, with: "EUR\(opening)\n\(pay)", maxReplacements: 1)
        }
        let whole = opened(message("0,", 2, "93,"), "75,")
        let start = opened(message("0,", 0, "100,"), "75,")
        let end = message("100,", 2, "93,")
        for files in [[start, end, whole], [whole, end, start], [end, start, whole], [end, whole, start]] {
            let read = try files.flatMap { try TransactionFile.read(Array($0.utf8), source: "a.sta") }
            try checks(try #require(AccountHistory.of(read).first), 3)
        }
    }

    @Test("keep their ids in every export")
    func ids() throws {
        let first = message("100,", 2, "93,")
        let second = message("93,", 1, "89,5")
        let all = try history(first + second).transactions.map(\.id)
        #expect(try history(first).transactions.map(\.id) == Array(all.prefix(2)))
        #expect(try history(first, second).transactions.map(\.id) == all)
        #expect(try history(first, first + second, second).transactions.map(\.id) == all)
    }

    @Test("of overlapping statements are those of the one that has more")
    func overlapping() throws {
        let month = message("100,", 3, "89,5", from: "250301", to: "250331")
        let pages = message("100,", 2, "93,") + message("93,", 1, "89,5")
        try checks(try history(month, pages), 3)
        try checks(try history(pages, month), 3)
        // Half of the day, downloaded before its end.
        try checks(try history(message("100,", 1, "96,5"), message("100,", 2, "93,")), 2)
    }

    @Test("of periods that overlap in part are all there, and their balances follow nothing")
    func partly() throws {
        func file(_ opening: String, _ bookings: [String], _ closing: String) -> String {
            let lines = bookings.map { ":61:\($0)NMSCNONREF\n:86:RENT\n" }.joined()
            return ":20:A\n:25:1/2\n:60F:\(opening)\n\(lines):62F:\(closing)\n-\n"
        }
        let first = file("C250301EUR100,", ["2503100310D1,", "2503200320D2,"], "C250320EUR97,")
        let second = file("C250315EUR99,", ["2503200320D2,", "2503250325D3,"], "C250331EUR94,")
        try checks(try history(first, second), 3)
        try checks(try history(second, first), 3)
    }

    @Test("are the same whenever a file is read")
    func again() throws {
        let text = Array(message("100,", 2, "93,").utf8)
        #expect(try TransactionFile.read(text) == TransactionFile.read(text))
    }

    @Test("are apart where a statement between them is missing")
    func missingStatement() throws {
        try checks(try history(message("100,", 1, "96,5"), message("93,", 1, "89,5")), 2, gaps: 1)
    }

    @Test("of two files without balances that meet on one day are counted once, and it is said")
    func touching() throws {
        func file(_ day: String, _ name: String) throws -> [Statement] {
            var options = ReadingOptions()
            (options.currency, options.account) = ("EUR", "1")
            let text = "!Type:Bank\nD2025-03-03\nT-3.50\n^\nD\(day)\nT-1.00\n^\n"
            return try TransactionFile.read(Array(text.utf8), options: options, source: name)
        }
        let history = try #require(AccountHistory.of(try file("2025-03-01", "a") + file("2025-03-05", "b")).first)
        #expect(history.transactions.count == 3)
        #expect(history.notes.count == 1 && history.notes[0].contains("2025-03-03"), "\(history.notes)")
    }

    @Test("of files that name no account are counted once where they are alike, and it is said")
    func nameless() throws {
        func history(_ account: String) throws -> AccountHistory {
            var options = ReadingOptions()
            (options.currency, options.account) = ("EUR", account)
            let first = Array("!Type:Bank\nD2025-03-03\nT-3.50\nPFee\n^\nD2025-03-04\nT-1.00\n^\n".utf8)
            let second = Array("!Type:CCard\nD2025-03-03\nT-3.50\nPFee\n^\nD2025-03-05\nT-2.00\n^\n".utf8)
            let statements =
                try TransactionFile.read(first, options: options) + TransactionFile.read(second, options: options)
            return try #require(AccountHistory.of(statements).first)
        }
        let notes = try history("").notes
        #expect(notes.count { $0.contains("counted once: 1; if they are of different accounts") } == 1, "\(notes)")
        #expect(try !history("giro").notes.contains { $0.contains("name no account") })
    }

    @Test("of two banks are apart, also where both have an account of one number")
    func banks() throws {
        func accounts(_ bank: String) throws -> [AccountHistory] {
            let other = PlainFormatTests.ofx.replacing("<BANKID>1", with: "<BANKID>\(bank)")
            return AccountHistory.of(
                try TransactionFile.read(Array(PlainFormatTests.ofx.utf8)) + TransactionFile.read(Array(other.utf8)))
        }
        let apart = try accounts("2")
        #expect(apart.map(\.bank) == ["1", "2"] && apart.allSatisfy { $0.transactions.count == 1 })
        #expect(apart.allSatisfy { $0.notes.contains { $0.contains("several banks") } })
        func ofIBAN(_ bank: String) throws -> [Statement] {
            let text = PlainFormatTests.ofx.replacing(/<ACCTID>[^<]*/, with: "<ACCTID>DE02120300000000202051")
            return try TransactionFile.read(Array(text.replacing("<BANKID>1", with: "<BANKID>\(bank)").utf8))
        }
        let joined = AccountHistory.of(try ofIBAN("BYLADEM1001") + ofIBAN("12030000"))
        #expect(joined.count == 1 && joined[0].transactions.count == 1, "an IBAN names its bank")
        let same = try accounts("1")
        #expect(same.count == 1 && same[0].transactions.count == 1 && same[0].notes.isEmpty)
    }

    @Test("of the kinds of account that have one number are apart")
    func kinds() throws {
        func ofx(_ kind: String) throws -> [Statement] {
            let type = "<ACCTTYPE>\(kind)</BANKACCTFROM>"
            return try TransactionFile.read(
                Array(PlainFormatTests.ofx.replacing("</BANKACCTFROM>", with: type).utf8))
        }
        let accounts = AccountHistory.of(try ofx("CHECKING") + ofx("SAVINGS"))
        #expect(accounts.map(\.account) == ["12345678 CHECKING", "12345678 SAVINGS"])
        #expect(accounts.allSatisfy { $0.transactions.count == 1 && $0.unreached.isEmpty })
        #expect(accounts.allSatisfy { $0.notes.count { $0.contains("several kinds") } == 1 })
        #expect(Set(accounts.map(\.opening)).count == 1, "the other account's bookings are in no balance")
        let one = AccountHistory.of(try ofx("SAVINGS"))
        #expect(one.map(\.account) == ["12345678"] && one[0].notes.isEmpty)
        let ids = Set(accounts.flatMap(\.transactions).map(\.id))
        #expect(ids.count == 2, "a reference is one account's alone (OFX 2.3, section 3.2.1)")
        let reversed = AccountHistory.of(try ofx("SAVINGS") + ofx("CHECKING"))
        #expect(
            Dictionary(uniqueKeysWithValues: reversed.map { ($0.account, $0.transactions.map(\.id)) })
                == Dictionary(uniqueKeysWithValues: accounts.map { ($0.account, $0.transactions.map(\.id)) }))
        #expect(one[0].transactions.allSatisfy { ids.contains($0.id) }, "ids do not depend on what else is read")

        // Our own export of the savings account says CHECKING, as for every account.
        let own = try ofx("CHECKING").map { statement in
            var own = statement
            for index in own.transactions.indices {
                (own.transactions[index].id, own.transactions[index].hasOwnID) = (one[0].transactions[index].id, false)
                own.transactions[index].key = own.transactions[index].id
            }
            return own
        }
        let joined = AccountHistory.of(try own + ofx("SAVINGS"))
        #expect(joined.map(\.account) == ["12345678"] && joined[0].notes.isEmpty, "\(joined)")
    }

    @Test("of one reference in files of the same days are counted and said where day or amount differ")
    func changedAmount() throws {
        func notes(_ change: (String, String), _ days: (String, String) = ("DTEND", "DTEND")) throws -> [String] {
            let other = PlainFormatTests.ofx.replacing(change.0, with: change.1).replacing(days.0, with: days.1)
                .replacing("<LEDGERBAL><BALAMT>87.50<DTASOF>20250331</LEDGERBAL>", with: "")
            let first = PlainFormatTests.ofx.replacing(
                "<LEDGERBAL><BALAMT>87.50<DTASOF>20250331</LEDGERBAL>", with: "")
            let statements = try TransactionFile.read(Array(first.utf8)) + TransactionFile.read(Array(other.utf8))
            return try #require(AccountHistory.of(statements).first).notes.filter { $0.contains("one reference") }
        }
        #expect(try notes(("-12.50", "-12.75")).count == 1)
        #expect(try notes(("<DTPOSTED>20250314", "<DTPOSTED>20250315")).count == 1)
        #expect(try notes(("Bread", "Rolls")).isEmpty)
        let april = ("<DTSTART>20250301<DTEND>20250331", "<DTSTART>20250401<DTEND>20250430")
        #expect(try notes(("<DTPOSTED>20250314", "<DTPOSTED>20250414"), april).isEmpty)
    }

    @Test("that only their texts tell apart, in two files of the same days, are counted and said")
    func changedTexts() throws {
        func file(_ texts: [String], _ name: String) throws -> [Statement] {
            var options = ReadingOptions()
            options.currency = "EUR"
            let records = texts.map { "D2025-03-03\nT-3.50\nP\($0)\n^\n" }.joined()
            return try TransactionFile.read(
                Array("!Type:Bank\n\(records)D2025-03-05\nT-1.00\nPX\n^\n".utf8), options: options, source: name)
        }
        let history = try #require(
            AccountHistory.of(try file(["SHOP", "CAFE"], "a") + file(["SHOP 12 MAIN ST", "CAFE"], "b")).first)
        #expect(history.transactions.count == 4)
        let notes = history.notes.filter { $0.contains("different texts") }
        #expect(notes.count == 1 && notes[0].contains("are counted: 1"), "\(history.notes)")
        let same = try file(["SHOP", "CAFE"], "a") + file(["CAFE", "SHOP"], "b")
        #expect(AccountHistory.of(same).first?.notes.contains { $0.contains("different texts") } == false)
    }

    @Test("with changed texts are said for each pair of files, also for a year's beside those of its months")
    func changedTextsInMonths() throws {
        func file(_ months: ClosedRange<Int>, _ text: String, _ name: String) throws -> [Statement] {
            var options = ReadingOptions()
            options.currency = "EUR"
            let records = months.map { "D2025-0\($0)-05\nT-\($0).50\nP\(text)\n^\n" }.joined()
            return try TransactionFile.read(Array("!Type:Bank\n\(records)".utf8), options: options, source: name)
        }
        let parts = try (1...6).flatMap { try file($0...$0, "SHOP 12 MAIN ST", "m\($0)") }
        let history = try #require(AccountHistory.of(try file(1...6, "SHOP", "year") + parts).first)
        #expect(history.transactions.count == 12)
        let notes = history.notes.filter { $0.contains("different texts") }
        for month in 1...6 { #expect(notes.count { $0.contains("m\(month)") } == 1, "\(notes)") }
    }

    @Test("of two CSV files that share a day are there once, and leave no gap", arguments: [0, 1], [false, true])
    func sharedDay(missing: Int, isReversed: Bool) throws {
        func file(_ lines: [String]) throws -> [Statement] {
            var options = ReadingOptions()
            options.currency = "EUR"
            options.columns = try CSVColumns("booked=Date,amount=Amount,balance=Balance")
            let ordered = isReversed ? Array(lines.reversed()) : lines
            let text = (["Date;Amount;Balance"] + ordered).joined(separator: "\n") + "\n"
            return try TransactionFile.read(Array(text.utf8), options: options)
        }
        let shared = ["2026-01-31;-20.00;70.00", "2026-01-31;5.00;75.00"]
        // The first file may end in the middle of the day.
        let first = try file(["2026-01-30;-10.00;90.00"] + shared.dropLast(missing))
        let second = try file(shared + ["2026-02-01;-1.00;74.00"])
        let history = try #require(AccountHistory.of(first + second).first)
        try checks(history, 4)
        #expect(!history.isContradictory && history.opening?.amount == Amount("100.00"))
        #expect(history.closing?.amount == Amount("74.00"))
    }

    @Test("of a report give way to the statement of their day, and follow the last statement")
    func reports() throws {
        let report = """
            :20:B
            :25:1/2
            :34F:EUR0,
            :13D:2503041200+0100
            :61:2503030303D3,50NMSCNONREF
            :86:COFFEE (preliminary)
            :61:2503040304D1,NMSCNONREF
            -

            """
        let both = try history(message("100,", 1, "96,5"), report)
        try checks(both, 2)
        #expect(both.closing?.amount == Amount("95.5"))
        #expect(both.notes.count == 2, "\(both.notes)")
    }
}

@Suite("The order of statements")
struct StatementOrderTests {
    private func message(_ opening: String, _ bookings: [String], _ closing: String) -> String {
        let lines = bookings.map { ":61:\($0)NMSCNONREF\n" }.joined()
        return ":20:A\n:25:1/2\n:60F:C\(opening)\n\(lines):62F:C\(closing)\n-\n"
    }

    private func history(_ text: String) throws -> AccountHistory {
        try #require(AccountHistory.of(try TransactionFile.read(Array(text.utf8))).first)
    }

    @Test("is that of their balances, not of a back-dated value")
    func backDated() throws {
        let first = message("250402EUR100,", ["250403D10,"], "250403EUR90,")
        let second = message("250403EUR90,", ["250401D5,", "250404D1,"], "250404EUR84,")
        for text in [first + second, second + first] {
            let history = try history(text)
            #expect(history.opening?.amount == Amount("100"))
            #expect(history.closing?.amount == Amount("84"))
            #expect(history.gaps.isEmpty)
        }
    }

    @Test("is that of the chain of balances within a day, whatever the file's order")
    func chain() throws {
        let parts = [
            message("250403EUR100,", ["250403D10,"], "250403EUR90,"),
            message("250403EUR90,", ["250403D20,"], "250403EUR70,"),
            message("250403EUR70,", ["250403C5,"], "250403EUR75,"),
        ]
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
            let history = try history(order.map { parts[$0] }.joined())
            #expect(history.opening?.amount == Amount("100"))
            #expect(history.closing?.amount == Amount("75"))
            #expect(history.gaps.isEmpty, "\(order)")
        }
    }
}

@Suite("Statements of one day")
struct StatementChainTests {
    @Test(
        "are a chain in whatever order the file has them, also with a quiet one and with a balance that comes back",
        arguments: [
            [("100", "90"), ("100", "100")], [("100", "80"), ("90", "100"), ("100", "90")],
            [("5", "5"), ("7", "5"), ("100", "7")], [("90", "100"), ("100", "90"), ("80", "90"), ("100", "80")],
        ])
    func chains(balances: [(String, String)]) throws {
        let text = try balances.map { opening, closing in
            let amount = try #require(Amount(closing)) - #require(Amount(opening))
            let mark = amount.isNegative ? "D" : "C"
            let digits = amount.description.replacing("-", with: "").replacing(".", with: ",")
            return
                ":20:A\n:25:1/2\n:60F:C250403EUR\(opening),\n:61:250403\(mark)\(digits)NMSCNONREF\n:62F:C250403EUR\(closing),\n-\n"
        }
        let statements = try TransactionFile.read(Array(text.joined().utf8))
        #expect(try #require(AccountHistory.of(statements).first).gaps.isEmpty)
    }
}

@Suite("The check of the result")
struct ResultCheckTests {
    @Test("takes the opening balance of OFX from the closing balance, and says so")
    func computed() throws {
        let history = try #require(
            AccountHistory.of(try TransactionFile.read(Array(PlainFormatTests.ofx.utf8))).first)
        #expect(history.opening?.amount == Amount("100"))
        #expect(history.isOpeningComputed)
        #expect(try TransactionExport.json.text([history]).contains("\"computed\":true"))
        #expect(try TransactionExport.beancount.text([history]).contains("The closing balance less the transactions"))
        #expect(!(try TransactionExport.ofx.text([history]).contains("Opening balance")))
    }

    @Test("asserts the balance of an account without bookings")
    func noBookings() throws {
        let start = try #require(PlainFormatTests.ofx.range(of: "<BANKTRANLIST>")?.lowerBound)
        let end = try #require(PlainFormatTests.ofx.range(of: "<LEDGERBAL>")?.lowerBound)
        let text = PlainFormatTests.ofx[..<start] + PlainFormatTests.ofx[end...]
        let histories = AccountHistory.of(try TransactionFile.read(Array(text.utf8)))
        #expect(histories.first?.opening?.amount == Amount("87.5"))
        #expect(try TransactionExport.ledger.text(histories).contains("0.00 EUR = 87.50 EUR"))
    }

    @Test("asserts no balance of a day before the last booking")
    func early() throws {
        let text = PlainFormatTests.ofx.replacing("<DTASOF>20250331", with: "<DTASOF>20250301")
        let history = try #require(AccountHistory.of(try TransactionFile.read(Array(text.utf8))).first)
        #expect(history.opening == nil)
        let journal = try TransactionExport.beancount.text([history])
        #expect(!journal.contains(" balance Assets") && journal.contains("; 87.50 EUR"))
        #expect(!(try TransactionExport.ledger.text([history]).contains("= 87.50")))
    }

    /// An OFX file of one month, which has no opening balance.
    private func month(_ number: Int, _ bookings: [(Int, String)], _ balance: String, on last: Int = 28) throws
        -> [Statement]
    {
        let month = "20250\(number)"
        let lines = bookings.map { day, amount in
            "<STMTTRN><TRNTYPE>OTHER<DTPOSTED>\(month)\(day)<TRNAMT>\(amount)<FITID>\(number)\(day)\(amount)</STMTTRN>"
        }
        let text = PlainFormatTests.ofx.replacing(
            "<DTSTART>20250301<DTEND>20250331", with: "<DTSTART>\(month)01<DTEND>\(month)\(last)")
        let start = try #require(text.range(of: "<STMTTRN>")?.lowerBound)
        let end = try #require(text.range(of: "</BANKTRANLIST>")?.lowerBound)
        return try TransactionFile.read(
            Array(
                (text[..<start] + lines.joined() + text[end...]).replacing(
                    "87.50<DTASOF>20250331", with: "\(balance)<DTASOF>\(month)\(last)"
                )
                .utf8))
    }

    @Test(
        "compares the closing balances of OFX files with one another, since they have no opening balances",
        arguments: [("150.00", nil), ("170.00", "20.00"), ("140.00", "-10.00")] as [(String, String?)])
    func closings(balance: String, difference: String?) throws {
        let statements = try month(1, [(10, "10.00")], "100.00") + month(2, [(10, "50.00")], balance)
        let history = try #require(AccountHistory.of(statements).first)
        #expect(history.gaps.map(\.difference) == (difference.map { [Amount($0)] } ?? []))
        #expect(history.opening?.amount == Amount("90") && !history.isContradictory)
        #expect(history.balances.map(\.amount) == [try #require(Amount("100"))])
        #expect(
            try TransactionExport.beancount.text([history]).contains(
                "2025-03-01 balance Assets:Bank:12345678  \(balance) EUR"))
        #expect(
            try TransactionExport.beancount.text([history]).contains(
                "2025-01-29 balance Assets:Bank:12345678  100.00 EUR"))
    }

    @Test(
        "takes no month for missing whose balances leave nothing open, and no balance of the middle of a day for wrong")
    func closingsWithoutGaps() throws {
        let quiet = try month(1, [(10, "10.00")], "100.00") + month(4, [(10, "50.00")], "150.00")
        #expect(AccountHistory.of(quiet).first?.gaps.isEmpty == true)
        // The first file was downloaded before the second booking of its last day.
        let early = try month(1, [(28, "10.00")], "100.00")
        let whole = try month(1, [(28, "10.00"), (28, "-4.00")], "96.00") + month(2, [(10, "50.00")], "146.00")
        let history = try #require(AccountHistory.of(early + whole).first)
        #expect(history.gaps.isEmpty && history.opening?.amount == Amount("90"), "\(history.gaps)")
    }

    @Test("forgives no missing booking as a balance of the middle of a day, which is one for both sides")
    func middleOfDay() throws {
        let first = try month(1, [(10, "10.00")], "100.00")
        let second = try month(2, [(10, "50.00"), (28, "-4.00")], "150.00")
        let third = try month(3, [(10, "5.00")], "155.00")
        for statements in [first + second, first + second + third] {
            let history = try #require(AccountHistory.of(statements).first)
            #expect(history.gaps.map(\.difference) == [Amount("4")], "\(history.gaps)")
            #expect(history.gaps.first?.day.description == "2025-02-28")
            #expect(history.opening?.amount == Amount("90") && history.unreached.isEmpty)
        }
        let gap = try #require(AccountHistory.of(first + second).first?.gaps.first)
        #expect(gap.message.hasSuffix("is 150.00, if it counts all bookings of that day"))
    }

    @Test("names each balance to which the bookings do not lead, with both figures")
    func unreached() throws {
        // The balance counts only the first booking of its day.
        let statements =
            try month(1, [(10, "1.00")], "100.00") + month(2, [(28, "10.00"), (28, "-4.00")], "110.00")
            + month(3, [(10, "5.00")], "111.00")
        let history = try #require(AccountHistory.of(statements).first)
        #expect(history.gaps.isEmpty && history.opening?.amount == Amount("99"))
        let sentence =
            "the balance of 2025-02-28 is not asserted: the file has 110.00, and the transactions lead to 106.00 EUR"
        #expect(history.notes == [sentence])
        for format in [TransactionExport.beancount, .ledger] {
            #expect(try format.text([history]).contains("; \(sentence)\n"))
        }
    }

    @Test("takes no transactions for missing where some are in another currency")
    func closingsWithOtherCurrency() throws {
        var statements = try month(1, [(10, "10.00")], "100.00") + month(2, [(10, "50.00"), (12, "20.00")], "168.00")
        statements[1].transactions[1].currency = "USD"
        let history = try #require(AccountHistory.of(statements).first)
        #expect(history.gaps.map(\.difference) == [Amount("18")])
        #expect(history.gaps[0].message.hasPrefix("transactions in USD are not counted in the balance between"))
    }

    @Test("says it when a computed opening balance depends on days that no file has")
    func laterBalance() throws {
        let text = PlainFormatTests.ofx.replacing("<DTASOF>20250331", with: "<DTASOF>20250515")
        let history = try #require(AccountHistory.of(try TransactionFile.read(Array(text.utf8))).first)
        #expect(history.notes.count == 1 && history.notes[0].contains("2025-05-15"), "\(history.notes)")
    }

    @Test("says it when bookings are in another currency, and what they leave unexplained")
    func otherCurrency() throws {
        let text = CAMTReaderTests.statement.replacing("<Amt Ccy=\"EUR\">12.50", with: "<Amt Ccy=\"USD\">13.50")
        let history = try #require(AccountHistory.of(try TransactionFile.read(Array(text.utf8))).first)
        #expect(history.gaps.map(\.difference) == [Amount("-12.5")])
        #expect(history.gaps[0].message.contains("USD") && !history.isContradictory)
    }

    @Test("finds statements that add up one by one and not together")
    func contradiction() throws {
        // Two versions of one month.
        func message(_ amount: String, _ closing: String) -> [UInt8] {
            Array(
                ":20:A\n:25:1/2\n:60F:C250301EUR100,\n:61:2503030303D\(amount)NMSCNONREF\n:62F:C250331EUR\(closing)\n-\n"
                    .utf8)
        }
        let statements = try TransactionFile.read(message("3,", "97,")) + TransactionFile.read(message("4,", "96,"))
        let history = try #require(AccountHistory.of(statements).first)
        #expect(history.isContradictory)
        #expect(history.gaps.map(\.difference) == [Amount("3")])
        #expect(history.gaps[0].message.contains("93.00") && history.gaps[0].message.contains("96.00"))
    }
}
