import Testing

@testable import FileKinds

@Suite("Lines of CSV that are totals and balances")
struct SummaryLinesTests {
    private func read(_ lines: String, _ columns: String = "booked=Date,amount=Amount") throws -> Statement {
        var options = ReadingOptions()
        (options.currency, options.columns) = ("EUR", try CSVColumns(columns))
        return try #require(try TransactionFile.read(Array(lines.utf8), options: options).first)
    }

    @Test(
        "are left out where the other lines lead to their amount, also in the middle of the file",
        arguments: [
            (
                "25.03.2025;-1,50;a\n26.03.2025;2,00;b\n31.03.2025;0,50;Summe\n02.04.2025;3,00;c\n30.04.2025;3,00;Summe:\n",
                ["-1.50", "2.00", "3.00"], 2
            ),
            (
                "25.03.2025;-1,50;a\n26.03.2025;2,00;b\n26.03.2025;0,50;Zwischensumme\n02.04.2025;3,00;c\n30.04.2025;3,50;Summe\n",
                ["-1.50", "2.00", "3.00"], 2
            ),
            ("25.03.2025;-1,50;a\n26.03.2025;2,00;b\n31.03.2025;0,50;Total\n", ["-1.50", "2.00"], 1),
            ("25.03.2025;-1,50;a\n26.03.2025;2,00;b\n31.03.2025;0,50;Closing balance\n", ["-1.50", "2.00"], 1),
            (
                "01.03.2025;100,00;Saldovortrag\n26.03.2025;-2,00;b\n31.03.2025;98,00;Endsaldo\n", ["-2.00"], 2
            ),
            (
                "01.03.2025;100,00;Anfangssaldo per 01.03.2025\n26.03.2025;-2,00;b\n31.03.2025;98,00;Saldo am 31. März\n",
                ["-2.00"], 2
            ),
            (
                "01.03.2025;100,00;Algsaldo\n26.03.2025;-2,00;b\n27.03.2025;3,00;c\n31.03.2025;3,00;Käive\n31.03.2025;-2,00;Käive\n31.03.2025;101,00;Lõppsaldo\n",
                ["-2.00", "3.00"], 4
            ),
            (
                "01.03.2025;100,00;Opening balance\n26.03.2025;-2,00;b\n27.03.2025;3,00;c\n31.03.2025;-2,00;Turnover\n31.03.2025;3,00;Turnover\n31.03.2025;101,00;closing balance\n",
                ["-2.00", "3.00"], 4
            ),
            // No line of the other side.
            (
                "01.03.2025;100,00;Opening balance\n26.03.2025;-2,00;b\n31.03.2025;-2,00;Turnover\n31.03.2025;98,00;closing balance\n",
                ["-2.00"], 3
            ),
            // Of several bookings of one side, without balances.
            (
                "25.03.2025;1,50;a\n26.03.2025;2,00;b\n27.03.2025;-1,00;c\n31.03.2025;3,50;Turnover\n",
                ["1.50", "2.00", "-1.00"], 1
            ),
            // Of two parts.
            (
                "25.03.2025;1,50;a\n26.03.2025;2,00;b\n31.03.2025;3,50;Turnover\n02.04.2025;4,00;c\n03.04.2025;5,00;d\n30.04.2025;9,00;Turnover\n",
                ["1.50", "2.00", "4.00", "5.00"], 2
            ),
            // A category.
            ("25.03.2025;100,00;Turnover\n26.03.2025;100,00;Turnover\n", ["100.00", "100.00"], 1),
            (
                "25.03.2025;100,00;Turnover\n26.03.2025;100,00;Turnover\n27.03.2025;-9,00;x\n",
                ["100.00", "100.00", "-9.00"], 1
            ),
            ("25.03.2025;100,00;x\n26.03.2025;100,00;Turnover\n", ["100.00", "100.00"], 1),
            (
                "25.03.2025;50,00;Turnover\n26.03.2025;50,00;Turnover\n27.03.2025;100,00;Turnover\n28.03.2025;-9,00;x\n",
                ["50.00", "50.00", "100.00", "-9.00"], 1
            ),
            (
                "24.03.2025;100,00;Turnover\n25.03.2025;-20,00;Turnover\n26.03.2025;100,00;Turnover\n27.03.2025;-20,00;Turnover\n",
                ["100.00", "-20.00", "100.00", "-20.00"], 1
            ),
            (
                "25.03.2025;-20,00;Total\n26.03.2025;-30,00;Total\n27.03.2025;-50,00;Total\n",
                ["-20.00", "-30.00", "-50.00"], 1
            ),
            ("24.03.2025;9,00;x\n25.03.2025;-2,00;Total\n31.03.2025;7,00;Total\n", ["9.00", "-2.00"], 1),
            ("25.03.2025;-1,50;a\n26.03.2025;2,00;b\n31.03.2025;0,50;Gesamtbetrag:\n", ["-1.50", "2.00"], 1),
            // The petrol company.
            (
                "25.03.2025;-50,00;Total\n26.03.2025;-50,00;Total\n27.03.2025;-9,00;x\n",
                ["-50.00", "-50.00", "-9.00"], 0
            ),
            (
                "01.03.2025;1000,00;x\n05.03.2025;-50,00;Total\n19.03.2025;-50,00;Total\n20.03.2025;-7,10;y\n",
                ["1000.00", "-50.00", "-50.00", "-7.10"], 0
            ),
            ("05.03.2025;-50,00;x\n19.03.2025;-50,00;Total 2451\n", ["-50.00", "-50.00"], 0),
            ("01.03.2025;9,00;x\n05.03.2025;-50,00;y\n19.03.2025;-50,00;Total\n", ["9.00", "-50.00", "-50.00"], 0),
            // It may be a sum or a purchase.
            ("05.03.2025;-50,00;x\n19.03.2025;-50,00;Total\n", ["-50.00", "-50.00"], 1),
            (
                "25.03.2025;-1,00;a\n26.03.2025;2,00;b\n31.03.2025;2,00;Total\n31.03.2025;1,00;Total\n",
                ["-1.00", "2.00"], 2
            ),
            (
                "25.03.2025;-1,00;a\n26.03.2025;-5,00;Zwischensumme\n27.03.2025;-9,00;x\n",
                ["-1.00", "-5.00", "-9.00"], 1
            ),
        ])
    func lines(lines: String, amounts: [String], notes: Int) throws {
        let statement = try read("Date;Amount;Text\n" + lines)
        #expect(statement.transactions.map(\.amount.description) == amounts)
        #expect(statement.notes.count { $0.contains("total") || $0.contains("balance") } == notes, "\(statement.notes)")
    }

    @Test("give the statement its balances")
    func balances() throws {
        let statement = try read(
            "Date;Amount;Text\n01.03.2025;100,00;Opening balance\n26.03.2025;-2,00;b\n31.03.2025;98,00;Closing balance\n"
        )
        #expect(statement.opening?.amount == Amount("100"))
        #expect(statement.closing?.amount == Amount("98"))
    }

    @Test("are those of each account, and named by their word alone")
    func accounts() throws {
        func lines(_ account: String, _ amount: String, _ closing: String) -> String {
            """
            \(account);01.03.2025;1000,00;K;Opening balance
            \(account);05.03.2025;\(amount);D;SHOP
            \(account);31.03.2025;\(amount);D;Turnover
            \(account);31.03.2025;\(closing);K;closing balance

            """
        }
        let text =
            "Account;Date;Amount;D/C;Text\n" + lines("SE0000000000000000000001", "125,50", "874,50")
            + lines("SE0000000000000000000002", "300,00", "700,00")
        var options = ReadingOptions()
        (options.currency, options.columns) = (
            "SEK", try CSVColumns("account=Account,booked=Date,amount=Amount,sign=D/C,purpose=Text")
        )
        let statements = try TransactionFile.read(Array(text.utf8), options: options)
        #expect(statements.map { $0.transactions.map(\.amount.description) } == [["-125.50"], ["-300.00"]])
        #expect(statements.map { $0.opening?.amount } == [Amount("1000"), Amount("1000")])
        #expect(statements.map { $0.closing?.amount } == [Amount("874.5"), Amount("700")])
        let notes = statements.flatMap(\.notes)
        #expect(notes.count == 6 && notes.count { $0.hasSuffix(": “Turnover”") } == 2, "\(notes)")
    }

    @Test("count, and are named, where the other lines do not lead to their amount")
    func counted() throws {
        let statement = try read(
            "Date;Amount;Text\n01.03.2025;100,00;Anfangssaldo\n26.03.2025;-2,00;b\n31.03.2025;97,00;Kontostand\n")
        #expect(statement.transactions.count == 3)
        #expect(
            statement.notes.contains { $0.hasPrefix("line 2: ") && $0.contains("(2 such lines)") }, "\(statement.notes)"
        )
    }

    @Test("count where the balances beside the lines count them")
    func besides() throws {
        let text =
            "Date;Amount;Text;Balance\n01.03.2025;-30,00;a;70,00\n02.03.2025;-20,00;b;50,00\n03.03.2025;-50,00;Total;0,00\n"
        let statement = try read(text)
        #expect(statement.transactions.map(\.amount.description) == ["-30.00", "-20.00", "-50.00"])
        #expect(statement.notes.isEmpty, "\(statement.notes)")
        let opening =
            "Date;Amount;Text;Balance\n01.03.2025;100,00;Opening balance;100,00\n02.03.2025;-100,00;b;0,00\n03.03.2025;0,00;Closing balance;0,00\n"
        #expect(try read(opening).transactions.map(\.amount.description) == ["-100.00"])
    }

    @Test("have the sign of their own column, too")
    func signs() throws {
        let text =
            "Date;Amount;Kind;Text\n01.03.2025;100,00;H;Anfangssaldo\n25.03.2025;1,50;S;a\n31.03.2025;98,50;H;Endsaldo\n"
        let statement = try read(text, "booked=Date,amount=Amount,sign=Kind")
        #expect(statement.transactions.map(\.amount.description) == ["-1.50"])
        #expect(statement.closing?.amount == Amount("98.50"))
    }

    @Test("are left out of files with a column for each side")
    func sides() throws {
        let text =
            "Date;Debit;Credit;Text\n25.03.2025;1,50;;a\n26.03.2025;;2,00;b\n27.03.2025;1,00;;c\n31.03.2025;2,50;2,00;Total\n"
        let statement = try read(text, "booked=Date,debit=Debit,credit=Credit")
        #expect(statement.transactions.map(\.amount.description) == ["-1.50", "2.00", "-1.00"])
    }
}
