import Testing

@testable import FileKinds

@Suite("The column of balances of a CSV file")
struct CSVBalancesTests {
    /// Reads lines of `day;amount;balance`, where the day is one of March 2026.
    private func read(
        _ lines: [String], header: String = "Date;Amount;Balance", columns: String = "booked=Date,amount=Amount"
    ) throws -> [AccountHistory] {
        var options = ReadingOptions()
        options.columns = try CSVColumns(columns)
        options.currency = "EUR"
        let text = ([header] + lines.map { "2026-03-\($0)" }).joined(separator: "\n") + "\n"
        return AccountHistory.of(try TransactionFile.read(Array(text.utf8), options: options))
    }

    @Test(
        "gives the account its balances, in whichever order the lines stand",
        arguments: [
            ["01;-10.00;90.00", "02;-20.00;70.00", "03;5.00;75.00"],
            ["03;5.00;75.00", "02;-20.00;70.00", "01;-10.00;90.00"],
            // The order of the lines of one day is open.
            ["03;5.00;75.00", "02;-12.00;78.00", "02;-8.00;70.00", "01;-10.00;90.00"],
            // The day's last balance beside each of its lines, or once.
            ["01;-10.00;90.00", "02;-12.00;70.00", "02;-8.00;70.00", "03;5.00;75.00"],
            ["01;-10.00;90.00", "02;-12.00;", "02;-8.00;70.00", "03;5.00;75.00"],
        ])
    func agrees(lines: [String]) throws {
        let account = try #require(try read(lines).first)
        #expect(account.opening?.amount == Amount("100.00") && account.closing?.amount == Amount("75.00"))
        #expect(!account.isContradictory && account.gaps.isEmpty && account.notes.isEmpty, "\(account.notes)")
    }

    @Test(
        "shows a line that is missing, and a wrong sign or amount, with the line where it is seen",
        arguments: [
            (["01;-10.00;90.00", "03;5.00;75.00", "04;1.00;76.00"], "line 3"),
            (["01;-10.00;90.00", "02;20.00;70.00", "03;5.00;75.00"], "line 3"),
            (["03;5.00;75.00", "02;20.00;70.00", "01;-10.00;90.00"], "line 3"),
            (["03;5.00;75.00", "02;-2.00;70.00", "01;-10.00;90.00"], "line 3"),
            (["01;-10.00;90.00", "02;-20.00;75.00", "03;1.00;76.00"], "line 3"),
            // The other lines make a circle, beside which one is left.
            (["01;100.00;200.00", "02;50.00;250.00", "05;-150.00;100.00", "06;20.00;170.00"], "line 5"),
            (["01;100.00;200.00", "01;-100.00;100.00", "01;20.00;170.00"], "line 4"),
            // Two faults that make up for one another.
            (["01;-10.00;90.00", "02;-21.00;70.00", "03;6.00;75.00", "04;0.00;75.00", "05;1.00;76.00"], "line 3"),
        ])
    func contradicts(lines: [String], place: String) throws {
        let account = try #require(try read(lines).first)
        #expect(account.isContradictory)
        #expect(account.notes.contains { $0.contains(place) }, "\(account.notes)")
    }

    @Test("has the ends that the days tell, where lines against their days fit as well")
    func againstTheDays() throws {
        let columns = "booked=Date,amount=Amount,balance=Balance"
        let account = try read(["01;100.00;100.00", "31;-50.00;0.00"], columns: columns)[0]
        #expect(account.opening?.amount == .zero && account.closing?.amount == .zero)
        #expect(account.isContradictory)
        let missing = try read(["01;100.00;200.00", "02;50.00;250.00", "05;-150.00;100.00", "06;20.00;170.00"])[0]
        #expect(missing.opening?.amount == Amount("100.00") && missing.closing?.amount == Amount("170.00"))
    }

    @Test("gives no balances where the lines fit in several orders with other ends, and says it")
    func unsure() throws {
        let day = ["02;10.00;10.00", "02;30.00;60.00", "02;20.00;30.00", "02;-60.00;0.00"]
        for lines in [["01;-100.00;0.00", "01;100.00;100.00"], day] {
            let account = try read(lines)[0]
            #expect(account.opening == nil && account.closing == nil && !account.isContradictory)
            #expect(account.notes.count == 1 && account.notes[0].contains("more than one order"), "\(account.notes)")
        }
        // The days tell which line was first.
        let days = ["01;10.00;10.00", "02;30.00;60.00", "02;20.00;30.00", "03;-60.00;0.00"]
        let account = try read(days)[0]
        #expect(account.opening?.amount == .zero && account.closing?.amount == .zero)
        #expect(!account.isContradictory && account.notes.isEmpty, "\(account.notes)")
    }

    @Test(
        "is an alarm only where it is declared, if it agrees nowhere",
        arguments: [
            ["01;-5.00;152.30", "02;-3.00;152.30"], ["01;-10.00;110.00", "02;-5.00;115.00"],
        ])
    func agreesNowhere(lines: [String]) throws {
        let titled = try read(lines)[0]
        #expect(!titled.isContradictory && titled.opening == nil && titled.closing == nil)
        #expect(titled.notes.count == 1 && titled.notes[0].contains("balance=Balance"), "\(titled.notes)")
        #expect(try read(lines, columns: "booked=Date,amount=Amount,balance=Balance")[0].isContradictory)
    }

    @Test("is found by its title, and by its declaration; a column of other amounts is left alone")
    func titles() throws {
        let wrong = ["01;-10.00;90.00", "02;-10.00;70.00", "03;-10.00;50.00", "04;-10.00;30.00"]
        #expect(try read(wrong, header: "Date;Amount;Saldo")[0].notes.contains { $0.contains("balance=Saldo") })
        #expect(try !read(wrong, header: "Date;Amount;Saldo")[0].isContradictory)
        let columns = "booked=Date,amount=Amount,balance=Saldo"
        #expect(try read(wrong, header: "Date;Amount;Saldo", columns: columns)[0].isContradictory)
        let miles = try read(wrong, header: "Date;Amount;Miles")[0]
        #expect(miles.notes.isEmpty && miles.opening == nil)
    }

    @Test("is compared for each account and each currency")
    func accounts() throws {
        let accounts = try read(
            [
                "01;-10.00;90.00;A;EUR", "01;1.00;501.00;B;EUR", "02;-20.00;70.00;A;EUR", "02;5.00;15.00;A;USD",
                "03;9.00;510.00;B;EUR",
            ], header: "Date;Amount;Balance;Account;Currency",
            columns: "booked=Date,amount=Amount,account=Account,currency=Currency")
        #expect(accounts.map { $0.opening?.amount } == ["100.00", "500.00", "10.00"].map { Amount($0) })
        #expect(accounts.allSatisfy { !$0.isContradictory })
    }

    @Test("says it where lines that may not be booked yet have no balance")
    func pending() throws {
        let inside = try read(["01;-10.00;90.00", "02;-7.00;", "03;-20.00;70.00"])[0]
        #expect(inside.isContradictory && inside.notes.contains { $0.contains("status=NAME") })
        let last = try read(["03;-7.00;", "02;-20.00;70.00", "01;-10.00;90.00"])[0]
        #expect(!last.isContradictory && last.closing == nil && last.notes.contains { $0.contains("status=NAME") })
        let declared = try read(
            ["03;-7.00;;pending", "02;-20.00;70.00;booked", "01;-10.00;90.00;booked"],
            header: "Date;Amount;Balance;State", columns: "booked=Date,amount=Amount,status=State")[0]
        #expect(declared.closing?.amount == Amount("70.00") && !declared.isContradictory)
        let unknown = try read(
            ["03;-7.00;;soon", "02;-20.00;70.00;booked", "01;-10.00;90.00;booked"],
            header: "Date;Amount;Balance;State", columns: "booked=Date,amount=Amount,status=State")[0]
        #expect(
            unknown.notes.count { $0.contains("no word in the column of the status") } == 1
                && !unknown.notes.contains { $0.contains("status=NAME") }, "\(unknown.notes)")
    }

    @Test("a line with a balance and no amount is not a transaction")
    func mark() throws {
        let account = try read(["01;;100.00", "01;-10.00;90.00", "02;-20.00;70.00"])[0]
        #expect(account.transactions.count == 2 && account.opening?.amount == Amount("100.00"))
        #expect(account.notes.contains { $0.contains("line 2") })
    }

    @Test("shows the decimal mark where the amounts leave it open")
    func decimalMark() throws {
        #expect(try read(["01;1.234;1.334,00"])[0].transactions[0].amount == Amount("1234.00"))
        #expect(throws: ReadingError.self) { try read(["01;1.234;1.334"]) }
        // Amounts without a mark leave it open for the balances.
        #expect { try read(["05;-500;152.300"]) } throws: { ($0 as? ReadingError)?.code == .ambiguous }
        #expect(try read(["05;-500;1.152,30"])[0].closing?.amount == Amount("1152.30"))
    }

    @Test("has no balance that may be a thousand times another, and says it")
    func group() throws {
        let account = try read(["05;-5.00;152.300"])[0]
        #expect(account.transactions.count == 1 && account.opening == nil && account.closing == nil)
        #expect(account.notes.count == 1 && account.notes[0].contains("--decimal-mark"), "\(account.notes)")
    }

    @Test("a file of a header alone is an account without transactions, if the currency is given")
    func header() throws {
        let accounts = try read([])
        #expect(accounts.count == 1 && accounts[0].transactions.isEmpty && accounts[0].currency == "EUR")
    }
}
