import Testing

@testable import FileKinds

@Suite("CSV by declared columns")
struct CSVReaderTests {
    private func read(
        _ text: String, _ columns: String = "booked=Date,amount=Amount,purpose=Text", skipping: Bool = false
    ) throws -> Statement {
        var options = ReadingOptions()
        (options.currency, options.skipsUnreadable) = ("EUR", skipping)
        options.columns = try CSVColumns(columns)
        return try #require(try TransactionFile.read(Array(text.utf8), options: options).first)
    }

    static let signed = """
        "Datum","Naam","Af Bij","Bedrag (EUR)"
        "20250303","SHOP","Af","12,50"
        "20250304","WORK","Bij","1000,00"
        """

    @Test("each role of a column has the number of its place among all")
    func roleNumbers() {
        #expect(CSVColumns.Role.allCases.map(\.number) == Array(CSVColumns.Role.allCases.indices))
    }

    @Test("asks for the currency where neither a column nor an amount has one")
    func missingCurrency() throws {
        var options = ReadingOptions()
        options.columns = try CSVColumns("booked=Date,amount=Amount")
        func code(_ amount: String) -> ReadingError? {
            do throws(ReadingError) {
                _ = try TransactionFile.read(Array("Date;Amount\n2025-03-03;\(amount)\n".utf8), options: options)
                return nil
            } catch {
                return error
            }
        }
        let asked = code("1.00")
        #expect(asked?.code == .ambiguous && asked?.line == nil && "\(asked!)".contains("--currency EUR"))
        #expect(code("1.00 EUR") == nil)
    }

    @Test("names the columns that the header lacks, and its line")
    func missingColumns() {
        #expect {
            try read("Giro\n\nDate;Amount;Text\n2025-03-03;1.00;x\n", "booked=Day,amount=Amount,purpose=Why")
        } throws: {
            ($0 as? ReadingError)?.line == 3 && "\($0)".contains("has no column “Day”, “Why”;")
        }
        #expect {
            try read("Date;Amount;Text\n2025-03-03;1.00;x\n", "booked=Day,amount=Sum")
        } throws: {
            "\($0)".contains("none of the first 50 lines has the columns “Day”, “Sum”")
        }
    }

    @Test("has the sign of another column, in the words of banks or in declared ones")
    func sign() throws {
        let columns = "booked=Datum,amount=Bedrag (EUR),sign=Af Bij"
        #expect(try read(Self.signed, columns).transactions.map(\.amount) == [Amount("-12.5"), Amount("1000")])
        let other = Self.signed.replacing("\"Af\"", with: "\"Weg\"").replacing("\"Bij\"", with: "\"Erbij\"")
        #expect { try read(other, columns) } throws: { "\($0)".contains("minus=Weg") }
        #expect(
            try read(other, columns + ",minus=Weg,plus=Erbij").transactions.map(\.amount)
                == [Amount("-12.5"), Amount("1000")])
    }

    @Test("takes no word beside an amount for a currency, unless the person says that it is one")
    func words() throws {
        let text = "Date;Amount;Text\n2025-03-03;1,5 TSD;A\n2025-03-04;-2,50;B\n"
        #expect { try read(text) } throws: { "\($0)".contains("“TSD” stands beside the amount") }
        var options = ReadingOptions()
        (options.currency, options.columns) = ("BTC", try CSVColumns("booked=Date,amount=Amount"))
        #expect {
            try TransactionFile.read(Array(text.utf8), options: options)
        } throws: {
            "\($0)".contains("declare it as currency=") && !"\($0)".contains("--currency")
        }
        let coins = try TransactionFile.read(Array(text.replacing("TSD", with: "BTC").utf8), options: options)
        #expect(coins.flatMap(\.transactions).map(\.currency) == ["BTC", "BTC"])
    }

    @Test(
        "says it when a title names hundredths or thousands",
        arguments: [
            ("Amount (cents)", true), ("Amount in 000", true), ("Betrag T€", true), ("Amount EUR", false),
            ("Center", false),
        ])
    func scales(title: String, isSaid: Bool) throws {
        let text = "Date;\(title);Text\n2025-03-03;1250;A\n2025-03-04;-250;B\n"
        let notes = try read(text, "booked=Date,amount=\(title)").notes
        #expect(notes.contains { $0.contains("another unit") } == isSaid, "\(notes)")
    }

    @Test(
        "is refused when a column with the sign is not declared",
        arguments: [
            ("Af", "Bij"), ("D", "C"), ("S", "H"), ("DBIT", "CRDT"), ("Debit", "Credit"), ("Wypłata", "Wpłata"),
            ("Withdrawal", "Deposit"), ("Ausgang", "Eingang"), ("Debe", "Haber"),
        ])
    func undeclaredSign(paid: String, received: String) {
        let text = Self.signed.replacing("\"Af\"", with: "\"\(paid)\"").replacing("\"Bij\"", with: "\"\(received)\"")
        #expect { try read(text, "booked=Datum,amount=Bedrag (EUR)") } throws: { "\($0)".contains("sign=Af Bij") }
    }

    @Test(
        "is read as banks write it",
        arguments: [
            ("Date;Amount;Text;\n03.03.2025;-12,50;SHOP;;\n", ["-12.50"]),
            ("Date;Amount;Text;More\n03.03.2025;-12,50;SHOP\n", ["-12.50"]),
            ("Date;Amount;Text\n03.03.2025;-12,50 EUR;SHOP\n04.03.2025;1.000,00 EUR;WORK\n", ["-12.50", "1000.00"]),
            ("Date,Amount,Text\n\"Mar 03, 2025\",-12.50,SHOP\n", ["-12.50"]),
            ("Date,Amount,Text\n03/15/2025,(12.50),SHOP\n", ["-12.50"]),
            ("Date;Amount;Text\r03.03.2025;-12,50;SHOP\r", ["-12.50"]),
            ("Date;Amount;Text\n03.03.2025;-12,50;\"A \"B\" C\"\n", ["-12.50"]),
            (
                "\"Account Giro, as of 31.03.2025\"\n\"Date\",\"Amount\",\"Text\"\n\"Posted\"\n\"03/15/2025\",\"-12.50\",\"\"\n",
                ["-12.50"]
            ),
            ("Date;Amount;Text\n03.03.2025;-12,50;SHOP\nEnd of list\n", ["-12.50"]),
            ("Date;Amount;Text\n03.03.2025;-12,50;SHOP\n;#Final balance;87,50 EUR\n", ["-12.50"]),
            ("\"Date\"; \"Amount\"; \"Text\"\n\"03.03.2025\"; -12,50; \"a; b\"\n", ["-12.50"]),
            ("Date;Amount;Text\n03.03.2025;-12,50;SHOP\nTotal;-12,50;\n", ["-12.50"]),
            ("Date;Amount;Text\n03.03.2025;-12,50;SHOP\nBalance of 31.03.2025;87,50;\n", ["-12.50"]),
        ])
    func forms(text: String, expected: [String]) throws {
        #expect(try read(text).transactions.map(\.amount.description) == expected)
    }

    @Test("says it where no amount has a sign, whatever the words of other columns are")
    func noSign() throws {
        let other = Self.signed.replacing("\"Af\"", with: "\"Weg\"").replacing("\"Bij\"", with: "\"Erbij\"")
        let notes = try read(other, "booked=Datum,amount=Bedrag (EUR)").notes
        #expect(notes.count == 1 && notes[0].contains("sign="), "\(notes)")
    }

    @Test("refuses a line whose date is in a language that is not known, and does not take it for a total")
    func foreignMonth() {
        #expect { try read("Date;Amount;Text\n3 siječnja 2025;-12,50;SHOP\n31.03.2025;1,00;B\n") } throws: {
            ($0 as? ReadingError)?.line == 2
        }
    }

    @Test("leaves out and counts the lines that a column says are not booked")
    func pending() throws {
        let text =
            "Date;Amount;Text;Info\n03.03.2025;-12,50;SHOP;Umsatz gebucht\n04.03.2025;-1,00;SHOP;Umsatz vorgemerkt\n"
        let statement = try read(text, "booked=Date,amount=Amount,purpose=Text,status=Info")
        #expect(statement.transactions.map(\.amount) == [Amount("-12.5")])
        #expect(statement.notes == ["entries that are not booked yet are left out: 1"])
        #expect(try ProposedColumns(for: Array(text.utf8)).declaration.hasSuffix("status=Info"))
    }

    @Test("names the lines that it leaves out")
    func leftOut() throws {
        let statement = try read("Date;Amount;Text\n03.03.2025;-12,50;SHOP\nTotal;-12,50;\n")
        #expect(statement.notes.count == 1 && statement.notes[0].hasPrefix("line 3: "), "\(statement.notes)")
        #expect(statement.unreadable == 0)
    }

    @Test("has zero in the other of two columns")
    func zeros() throws {
        let dashes = "Date;Debit;Credit\n2025-03-03;12,50;-\n2025-03-04;–;1000,00\n"
        #expect(
            try read(dashes, "booked=Date,debit=Debit,credit=Credit").transactions.map(\.amount)
                == [Amount("-12.5"), Amount("1000")])
        let text = "Date;Debit;Credit\n2025-03-03;12,50;0,00\n2025-03-04;0,00;1000,00\n2025-03-05;0,00;0,00\n"
        let statement = try read(text, "booked=Date,debit=Debit,credit=Credit")
        #expect(statement.transactions.map(\.amount) == [Amount("-12.5"), Amount("1000"), .zero])
        #expect(throws: ReadingError.self) {
            try read(text.replacing("12,50;0,00", with: "12,50;1,00"), "booked=Date,debit=Debit,credit=Credit")
        }
    }

    @Test("has columns by number without a header, and passes over one that is there")
    func numbers() throws {
        let text = "2025-03-03,-12.50,SHOP\n2025-03-04,1000.00,WORK\n"
        for header in ["", "Date,Amount,Text\n"] {
            let statement = try read(header + text, "booked=1,amount=2,purpose=3")
            #expect(statement.transactions.map(\.amount) == [Amount("-12.5"), Amount("1000")])
            #expect(statement.transactions.map(\.purpose) == ["SHOP", "WORK"])
        }
    }

    @Test("has one column of debits for a credit card, where a minus sign is a receipt")
    func card() throws {
        let text = "Date;Amount\n2025-03-03;12,50\n2025-03-04;20,00\n2025-03-05;-100,00\n"
        let statement = try read(text, "booked=Date,debit=Amount")
        #expect(statement.transactions.map(\.amount.description) == ["-12.50", "-20.00", "100.00"])
        #expect(statement.notes.isEmpty, "\(statement.notes)")
        // Here the minus sign says what was paid.
        #expect {
            try read(
                "Date;Amount\n2025-03-03;-12,50\n2025-03-04;-20,00\n2025-03-05;100,00\n", "booked=Date,debit=Amount")
        } throws: {
            ($0 as? ReadingError)?.code == .ambiguous && "\($0)".contains("amount=Amount")
        }
    }

    @Test("has what it is in a word beside the amount of a credit card")
    func markedCard() throws {
        let text = "Date;Amount\n2025-03-03;5,50\n2025-03-04;40,25 DR\n2025-03-05;100,00 CR\n"
        let statement = try read(text, "booked=Date,debit=Amount")
        #expect(statement.transactions.map(\.amount.description) == ["-5.50", "-40.25", "100.00"])
    }

    @Test(
        "is refused with debits alone where another column has what was received",
        arguments: [
            ("Date;Debit;Credit\n2025-03-03;12,50;\n2025-03-04;;20,00\n", "add credit=Credit"),
            ("Date;Debit;Haben\n2025-03-03;12,50;0,00\n2025-03-04;0,00;20,00\n", "add credit=Haben"),
            ("Date;Debit;Got\n2025-03-03;12,50;0,00\n2025-03-04;0,00;20,00\n", "add credit=Got"),
            ("Date;Debit;Got\n2025-03-03;12,50;x\n2025-03-04;;y\n", "add credit=NAME"),
        ])
    func undeclaredCredits(text: String, words: String) {
        #expect {
            try read(text, "booked=Date,debit=Debit")
        } throws: {
            "\($0)".contains(words)
        }
    }

    @Test("has the currency that stands beside the amount")
    func currency() throws {
        let sides = try read("Date;Out;In\n03.03.2025;£12,50;\n04.03.2025;;£1,00\n", "booked=Date,debit=Out,credit=In")
        #expect(sides.currency == "GBP")
        #expect(try read("Date;Amount;Text\n03.03.2025;-12,50 USD;SHOP\n").currency == "USD")
    }

    @Test("refuses a booking that cannot be read with its line, or leaves it out when asked to")
    func unreadable() throws {
        let text = "Date;Amount;Text\n03.03.2025;-12,50;SHOP\n31.02.2025;1,00;X\n05.03.2025;x;Y\n06.03.2025;1,00;Z;W\n"
        #expect { try read(text) } throws: { ($0 as? ReadingError)?.line == 3 }
        let statement = try read(text, skipping: true)
        #expect(statement.transactions.map(\.amount) == [Amount("-12.5")])
        #expect(statement.unreadable == 3)
    }

    @Test(
        "refuses a field that has other bookings in it, because of a quotation mark",
        arguments: [
            "Date;Text;Amount\n2025-03-01;\"A;-1.25\n2025-03-02;B;3.00\n2025-03-03;C\";4.00\n",
            "Date;Text;Amount\n2025-03-01;\"A;-1.25\n2025-03-02;B\";4.00\n",
        ])
    func swallowedLines(text: String) throws {
        #expect { try read(text) } throws: { ($0 as? ReadingError)?.line == 2 && "\($0)".contains("quotation mark") }
        for text in [
            "Date;Text;Amount\n2025-03-01;\"Shop; 2025\n2025-03-01\nBonn\";-1.25\n",
            "Date,Text,Amount\n2025-03-01,\"Card payment\n2025-03-01, 14:22 Bonn\",-1.25\n",
        ] {
            #expect(try read(text).transactions.map(\.amount) == [Amount("-1.25")])
        }
    }

    @Test("says it where the last amount may be cut off")
    func cutOff() throws {
        let text = "Date;Text;Amount\n2025-03-01;A;-1.25\n2025-03-02;B;3.50\n2025-03-03;C;30"
        let notes = try read(text).notes
        #expect(notes.count == 1 && notes[0].hasPrefix("line 4: the file ends inside this line"), "\(notes)")
        for whole in [text + ".50", text + "\n", text.replacing("-1.25", with: "-1")] {
            #expect(try read(whole).notes.isEmpty)
        }
        let alone = "Date;Text;Debit;Credit\n2025-03-01;A;1.25;\n2025-03-02;B;2.50;\n2025-03-03;C;;30"
        let ofAlone = try read(alone, "booked=Date,debit=Debit,credit=Credit").notes
        #expect(!ofAlone.contains { $0.contains("ends inside") }, "the others of its column are empty: \(ofAlone)")
    }
}
