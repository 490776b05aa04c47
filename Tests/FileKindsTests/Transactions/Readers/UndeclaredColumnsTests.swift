import Testing

@testable import FileKinds

@Suite("Columns and marks of CSV that change the transactions")
struct UndeclaredColumnsTests {
    private func read(_ text: String, _ columns: String = "booked=Date,amount=Amount") throws -> Statement {
        var options = ReadingOptions()
        (options.currency, options.columns) = ("EUR", try CSVColumns(columns))
        return try #require(try TransactionFile.read(Array(text.utf8), options: options).first)
    }

    @Test(
        "are said",
        arguments: [
            (
                "Date;Amount;State\n25.03.2025;-1,50;COMPLETED\n26.03.2025;2,00;PENDING\n27.03.2025;3,00;DECLINED\n",
                "booked=Date,amount=Amount", "are counted: 2; add status=State"
            ),
            (
                "Date;Amount;Fee\n25.03.2025;-10,00;0,50\n26.03.2025;20,00;0,00\n", "booked=Date,amount=Amount",
                "not added to those of the transactions: 1"
            ),
            (
                "Date;Amount;Konto\n25.03.2025;-10,00;1,23457E+13\n26.03.2025;20,00;1,23457E+13\n",
                "booked=Date,amount=Amount,account=Konto", "has shortened it"
            ),
            (
                "Date;Amount;Text\n25.03.2025;12,50;SHOP\n26.03.2025;-100,00;PAYMENT RECEIVED - THANK YOU\n",
                "booked=Date,amount=Amount,purpose=Text", "may be a credit card"
            ),
            (
                "Date;Amount;Text\n25.03.2025;12,50;SHOP\n26.03.2025;-100,00;PAYMENT\n",
                "booked=Date,amount=Amount,purpose=Text", "write debit=Amount instead of amount="
            ),
            (
                "Date;Amount;Text\n25.03.2025;12,50;SHOP\n26.03.2025;-100,00;PAYMENT FROM CHK 1234\n",
                "booked=Date,amount=Amount,purpose=Text", "may be a credit card"
            ),
            (
                "Date;Amount;Text\n25.03.2025;12,50;SHOP\n26.03.2025;-100,00;AUTOMATIC PAYMENT\n",
                "booked=Date,amount=Amount,purpose=Text", "may be a credit card"
            ),
            (
                "Date;Amount;Text\n25.03.2025;12,50;SHOP\n26.03.2025;-100,00;Einzahlung per Lastschrift\n",
                "booked=Date,amount=Amount,purpose=Text", "may be a credit card"
            ),
            (
                "Date;Amount\n25.03.2025;-000000001250\n26.03.2025;000000030000\n", "booked=Date,amount=Amount",
                "their last digits may be cents"
            ),
            (
                "Date;Amount\n2 listopada 2025;-12.50\n3 listopada 2025;30.00\n", "booked=Date,amount=Amount",
                "in Croatian it is October"
            ),
            // The kind alone is called so.
            (
                "Date;Amount;Text;Kind\n25.03.2025;12,50;SHOP;Purchase\n26.03.2025;-100,00;BANK;Payment\n",
                "booked=Date,amount=Amount,purpose=Text,code=Kind", "may be a credit card"
            ),
            (
                "Date;Amount;Fee\n25.03.2025;100,00;-3,00\n26.03.2025;-50,00;1,60\n",
                "booked=Date,amount=Amount,fee=Fee", "read as given back: 1"
            ),
            (
                "Date;Debit;Credit\n25.03.2025;1,50;\n26.03.2025;;-2,50\n27.03.2025;;3,00\n",
                "booked=Date,debit=Debit,credit=Credit", "credits that have a minus sign are read as paid: 1"
            ),
            // A minus sign before each credit.
            (
                "Date;Debit;Credit\n25.03.2025;1,50;\n26.03.2025;;-2,50\n27.03.2025;;-3,00\n",
                "booked=Date,debit=Debit,credit=Credit", "and are read as received: 2"
            ),
            (
                "Date;Amount;State\n25.03.2025;-1,50;Booked\n26.03.2025;-2,50;Frozen\n",
                "booked=Date,amount=Amount,status=State", "status “Frozen”, which is not known, are counted: 1"
            ),
            (
                "Date;Amount;State\n25.03.2025;-1,50;Geaccepteerd\n26.03.2025;-2,50;Geweigerd\n",
                "booked=Date,amount=Amount,status=State", "not booked yet are left out: 1"
            ),
            (
                "Date;Amount;Currency\n25.03.2025;-1,50;EUR\n26.03.2025;2,00;USD\n", "booked=Date,amount=Amount",
                "but in USD, are counted in EUR: 1; add currency=Currency"
            ),
            (
                "Date;Amount;Account\n25.03.2025;-1,50;DE1\n26.03.2025;2,00;DE2\n", "booked=Date,amount=Amount",
                "has 2 different values, so the lines may be those of several accounts"
            ),
            (
                "Date;Amount;Product\n25.03.2025;-1,50;Current\n26.03.2025;2,00;Savings\n",
                "booked=Date,amount=Amount", "add account=Product to --columns"
            ),
            // Without a header, and with a title that is not known.
            (
                "123456789;20250325;-1,50;a\n123456789;20250326;-2,50;b\n987654321;20250325;2,00;c\n987654321;20250326;3,00;d\n",
                "booked=2,amount=3,purpose=4", "add account=1 to --columns"
            ),
            (
                "Whose;Date;Amount\nNL91ABNA0417164300;25.03.2025;-1,50\nNL91ABNA0417164300;26.03.2025;-2,50\nNL20INGB0001234567;25.03.2025;2,00\nNL20INGB0001234567;26.03.2025;3,00\n",
                "booked=Date,amount=Amount", "add account=Whose to --columns"
            ),
            (
                "25.03.2025;-1,50;booked\n26.03.2025;-2,50;Venter\n", "booked=1,amount=2",
                "are counted: 1; add status=3"
            ),
        ])
    func said(text: String, columns: String, note: String) throws {
        let notes = try read(text, columns).notes
        #expect(notes.count { $0.contains(note) } == 1, "\(notes)")
    }

    @Test("have credits that came, also where each has a minus sign")
    func credits() throws {
        let all = "Date;Debit;Credit\n25.03.2025;1,50;\n26.03.2025;;-2,50\n27.03.2025;;-3,00\n"
        let columns = "booked=Date,debit=Debit,credit=Credit"
        #expect(try read(all, columns).transactions.map(\.amount.description) == ["-1.50", "2.50", "3.00"])
        let one = all.replacing(";-3,00", with: ";3,00")
        #expect(try read(one, columns).transactions.map(\.amount.description) == ["-1.50", "-2.50", "3.00"])
    }

    @Test("have credits that were taken back, where one is alone or the balances show it")
    func reversals() throws {
        let columns = "booked=Date,debit=Debit,credit=Credit"
        let single = try read("Date;Debit;Credit\n25.03.2025;1,50;\n26.03.2025;;-100,00\n", columns)
        #expect(single.transactions.map(\.amount.description) == ["-1.50", "-100.00"])
        #expect(single.notes.contains { $0.contains("are read as paid: 1") }, "\(single.notes)")
        func balanced(_ first: String, _ second: String) -> String {
            "Date;Debit;Credit;Balance\n25.03.2025;1,50;;98,50\n26.03.2025;;-2,50;\(first)\n27.03.2025;;-3,00;\(second)\n"
        }
        for columns in [columns, columns + ",balance=Balance"] {
            let paid = try read(balanced("96,00", "93,00"), columns)
            #expect(paid.transactions.map(\.amount.description) == ["-1.50", "-2.50", "-3.00"])
            #expect(!paid.isContradictory, "\(paid.notes)")
            let received = try read(balanced("101,00", "104,00"), columns)
            #expect(received.transactions.map(\.amount.description) == ["-1.50", "2.50", "3.00"])
            #expect(!received.isContradictory, "\(received.notes)")
            // One is enough where the balances show it.
            let proved = "Date;Debit;Credit;Balance\n25.03.2025;1,50;;98,50\n26.03.2025;;-100,00;198,50\n"
            #expect(try read(proved, columns).transactions.map(\.amount.description) == ["-1.50", "100.00"])
            // A column that is empty, or the same on every line, shows nothing.
            let constant = try read(balanced("98,50", "98,50"), columns)
            #expect(constant.transactions.map(\.amount.description) == ["-1.50", "2.50", "3.00"])
            let empty = try read(balanced("", "").replacing("98,50", with: ""), columns)
            #expect(empty.transactions.map(\.amount.description) == ["-1.50", "2.50", "3.00"])
        }
    }

    @Test(
        "are said where a status has a word for booked lines that is denied",
        arguments: [
            "unsuccessful", "Unconfirmed", "uncleared", "unsettled", "incomplete", "nicht gebucht", "ikke bokført",
            "not posted", "NOT_POSTED", "non-posted", "wird gebucht", "wordt verwerkt", "en cours d'exécution",
            "niezaksięgowana", "nezúčtováno", "не проведен", "to be processed", "partially completed",
        ])
    func denied(status: String) throws {
        let text = "Date;Amount;State\n25.03.2025;-1,50;completed\n26.03.2025;-2,50;\(status)\n"
        let statement = try read(text, "booked=Date,amount=Amount,status=State")
        #expect(statement.transactions.count == 2)
        #expect(
            statement.notes.contains { $0.contains("“\(status)”, which is not known, are counted: 1") },
            "\(statement.notes)")
    }

    @Test(
        "are not said of words for booked lines",
        arguments: [
            "Completed", "SUCCESSFUL", "Umsatz gebucht", "Abgebucht", "bokført", "Bokförd", "Exécuté", "Payment posted",
            "Zaksięgowana", "OK",
        ])
    func booked(status: String) throws {
        let text = "Date;Amount;State\n25.03.2025;-1,50;settled\n26.03.2025;-2,50;\(status)\n"
        #expect(try read(text, "booked=Date,amount=Amount,status=State").notes.isEmpty)
    }

    @Test("are not said of columns that change nothing")
    func quiet() throws {
        let text = "Date;Amount;State;Fee\n25.03.2025;-1,50;COMPLETED;0,00\n26.03.2025;2,00;COMPLETED;\n"
        #expect(try read(text).notes.isEmpty)
        let net = "Date;Netto;Fee\n25.03.2025;-1,50;0,50\n26.03.2025;2,00;\n"
        #expect(try read(net, "booked=Date,amount=Netto").notes.isEmpty)
        let one = "Date;Amount;Currency;Account\n25.03.2025;-1,50;EUR;DE1\n26.03.2025;2,00;EUR;DE1\n"
        #expect(try read(one).notes.isEmpty)
        // Days, numbers of one line each, and a single account.
        let numbers =
            "20250325;-1,50;1234567;123456789\n20250325;-2,50;1234568;123456789\n20250326;2,00;1234569;123456789\n20250326;3,00;1234570;123456789\n"
        #expect(try read(numbers.replacing("2025032", with: "20250325;2025032"), "booked=2,amount=3").notes.isEmpty)
        // What was paid abroad is in the account's currency, too.
        let abroad = "Date;Amount;Local currency\n25.03.2025;-1,50;USD\n26.03.2025;2,00;EUR\n"
        #expect(try read(abroad).notes.isEmpty)
    }

    @Test(
        "are taken from the amounts where they are declared as fees, or added with their sign where one has a minus sign",
        arguments: [
            ("-10,00;0,50;89,50", "20,00;1,00;108,50", ["-10.50", "19.00"]),
            ("100,00;-3,20;96,80", "-50,00;1,60;48,40", ["96.80", "-48.40"]),
            ("-10,00;-;90,00", "20,00;;110,00", ["-10.00", "20.00"]),
            ("-20;0,500;79,50", "100;0,00 USD;179,50", ["-20.50", "100.00"]),
        ])
    func fees(first: String, second: String, amounts: [String]) throws {
        let text = "Date;Amount;Fee;Balance\n25.03.2025;\(first)\n26.03.2025;\(second)\n"
        let statement = try read(text, "booked=Date,amount=Amount,fee=Fee")
        #expect(statement.transactions.map(\.amount.description) == amounts)
        #expect(!statement.isContradictory, "\(statement.notes)")
    }

    @Test(
        "are refused as fees whose decimal mark, currency or place is open",
        arguments: [
            ("Date;Amount;Fee\n25.03.2025;-20;1,250\n26.03.2025;100;\n", "Amount", "--decimal-mark"),
            ("Date;Amount;Fee\n25.03.2025;-20;0,500\n26.03.2025;100;2,500\n", "Amount", "--decimal-mark"),
            ("Date;Amount;Fee\n25.03.2025;-20,00;1,00 USD\n", "Amount", "the currency is EUR"),
            ("Date;Amount;Fee\n25.03.2025;-20,00;$1,00\n", "Amount", "the currency is EUR"),
            (
                "Date;Amount;Fee\n25.03.2025;-20,00;1,00\n26.03.2025;-5,00;1,00\n27.03.2025;9,00;-1,00\n", "Amount",
                "most fees have no minus sign"
            ),
            ("Date;Net Amount;Fee\n25.03.2025;-20,00;1,00\n", "Net Amount", "leave fee=Fee out"),
        ])
    func refusedFees(text: String, amount: String, words: String) {
        #expect {
            try read(text, "booked=Date,amount=\(amount),fee=Fee")
        } throws: {
            "\($0)".contains(words)
        }
    }

    @Test("are asked for where the sign is in a column that is declared as a text")
    func declaredSign() {
        #expect {
            try read(
                "Date;Amount;Type\n25.03.2025;12.50;debit\n26.03.2025;3.00;credit\n",
                "booked=Date,amount=Amount,code=Type")
        } throws: {
            "\($0)".contains("sign=Type")
        }
    }

    @Test("make those without a mark payments where only receipts have one")
    func marks() throws {
        let statement = try read("Date;Amount\n25.03.2025;12.50\n26.03.2025;3.00 CR\n27.03.2025;9.50\n")
        #expect(statement.transactions.map(\.amount.description) == ["-12.50", "3.00", "-9.50"])
        #expect(statement.notes.contains { $0.contains("read as paid: 2") }, "\(statement.notes)")
    }

    @Test("are refused where a second header has them in another order")
    func secondHeader() throws {
        #expect {
            try read("Date;Amount;Fee\n25.03.2025;-1,50;9,00\nDate;Fee;Amount\n26.03.2025;9,00;2,00\n")
        } throws: {
            ($0 as? ReadingError)?.line == 3
        }
        #expect(try read("Date;Amount\n25.03.2025;-1,50\nDate;Amount\n26.03.2025;2,00\n").transactions.count == 2)
    }

    @Test("may be formulas that are texts")
    func formula() throws {
        let statement = try read("Date;Amount\n25.03.2025;=\"-12,50\"\n")
        #expect(statement.transactions.map(\.amount.description) == ["-12.50"])
    }
}
