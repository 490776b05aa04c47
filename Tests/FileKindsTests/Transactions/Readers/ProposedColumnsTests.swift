import Testing

@testable import FileKinds

@Suite("Columns that are found out")
struct ProposedColumnsTests {
    @Test(
        "are those that the header names, and that hold what the name says",
        arguments: [
            (
                "Date;Amount;Text\n31.03.2025;-12,50;SHOP\n", "booked=Date,amount=Amount,purpose=Text"
            ),
            (
                "Konto;DE12\nZeitraum;01.03.2025 - 31.03.2025\n\nBuchungstag;Wertstellung;Verwendungszweck;Betrag;Währung\n31.03.2025;31.03.2025;SHOP;-12,50;EUR\n",
                "booked=Buchungstag,valued=Wertstellung,amount=Betrag,currency=Währung,purpose=Verwendungszweck"
            ),
            (
                "Date,Details,Debit,Credit,Balance\n13/09/2017,A,,428.03,100\n14/09/2017,B,29.50,,70.50\n",
                "booked=Date,debit=Debit,credit=Credit,purpose=Details,balance=Balance"
            ),
            (
                "\"Datum\",\"Naam / Omschrijving\",\"Rekening\",\"Tegenrekening\",\"Code\",\"Af Bij\",\"Bedrag (EUR)\",\"Mededelingen\"\n\"20250303\",\"SHOP\",\"NL1\",\"\",\"BA\",\"Af\",\"12,50\",\"Rent\"\n",
                "account=Rekening,booked=Datum,amount=Bedrag (EUR),sign=Af Bij,counterparty=Naam / Omschrijving,counterparty_account=Tegenrekening,purpose=Mededelingen,code=Code"
            ),
            ("31.03.2025;SHOP;30.03.2025;-12,50;EUR\n", "booked=1,amount=4,currency=5,purpose=2"),
            (
                "When;Paid or got;What;Number\n2025-03-31;12,50;D;7\n",
                "booked=When,amount=Paid or got,sign=What"
            ),
            (
                "Date,Description,Amount,Transaction Type\n3/13/2025,SHOP,12.50,debit\n3/14/2025,BOSS,100.00,credit\n",
                "booked=Date,amount=Amount,sign=Transaction Type,purpose=Description"
            ),
            (
                "Datum;Avisierungstext;Gutschrift in CHF;Lastschrift in CHF;Saldo in CHF\n2025-03-13;SHOP;;-12.50;87.50\n2025-03-14;BOSS;100.00;;187.50\n",
                "booked=Datum,debit=Lastschrift in CHF,credit=Gutschrift in CHF,purpose=Avisierungstext,balance=Saldo in CHF"
            ),
            (
                "Date,Type,Note,Amount\n2025-03-13,Payment,x,-12.50\n2025-03-14,Payment,y,5.00\n",
                "booked=Date,amount=Amount,purpose=Note,code=Type"
            ),
            (
                "Naam;Datum;Bedrag;Naam tegenpartij\nME;31/03/2025;-1,00;SHOP\n",
                "booked=Datum,amount=Bedrag,counterparty=Naam tegenpartij,purpose=Naam"
            ),
            (
                "Transaction Date,Type,Description,Debit Amount,Credit Amount,Balance\n14/03/2025,FPI,FIRM,,250.00,1237.50\n13/03/2025,DEB,SHOP,12.50,,987.50\n",
                "booked=Transaction Date,debit=Debit Amount,credit=Credit Amount,purpose=Description,code=Type,balance=Balance"
            ),
            (
                "Data;Entrate;Altre;Descrizione\n14/03/2025;250,00;;Bonifico\n13/03/2025;;-12,50;POS\n",
                "booked=Data,debit=Altre,credit=Entrate,purpose=Descrizione"
            ),
            (
                "Kuupäev;Selgitus;Summa;Valuuta\n2025-03-13;a;-1,00;EUR\n",
                "booked=Kuupäev,amount=Summa,currency=Valuuta,purpose=Selgitus"
            ),
            (
                "Date;Amount;What;Stage\n2025-03-13;-1,00;a;done\n2025-03-14;-2,00;b;pending\n",
                "booked=Date,amount=Amount,purpose=What,status=Stage"
            ),
            // What is left after a fee, and what is left without a tax.
            (
                "Date,Text,Amount,Fee,Net Amount\n2025-03-14,a,-12.50,0.00,-12.50\n2025-03-15,b,100.00,-3.00,97.00\n",
                "booked=Date,amount=Net Amount,purpose=Text"
            ),
            (
                "Datum;Text;Netto;MwSt;Betrag\n14.03.2025;a;-10,00;-1,90;-11,90\n",
                "booked=Datum,amount=Betrag,purpose=Text"
            ),
            (
                "Date,TimeZone,Gross,VAT,Net,Who\n2025-03-14,CEST,-12.00,-2.00,-10.00,a\n",
                "booked=Date,amount=Gross,purpose=Who"
            ),
            // Nordic banks: the account is the owner's, where no other party has a column.
            (
                "Radnummer;Kontonummer;Valuta;Bokföringsdag;Beskrivning;Belopp\n1;222222222;SEK;2025-09-30;PRIS;-39.00\n2;222222222;SEK;2025-09-29;Swish;1300.00\n",
                "account=Kontonummer,booked=Bokföringsdag,amount=Belopp,currency=Valuta,purpose=Beskrivning"
            ),
            (
                "Dato;Belopp;Kontonummer;Name\n2025-09-30;-39.00;111;A\n2025-09-29;1300.00;111;A\n",
                "booked=Dato,amount=Belopp,counterparty=Name,counterparty_account=Kontonummer"
            ),
            (
                "Dato;Forklaring;Rentedato;Ut fra konto;Inn på konto\n03.03.2025;REMA;03.03.2025;125,50;\n15.03.2025;Lønn;15.03.2025;;21000,00\n",
                "booked=Dato,debit=Ut fra konto,credit=Inn på konto,purpose=Forklaring"
            ),
            // The number of an account is not a text.
            (
                "30-03-2025,NL91ABNA0417164300,\"12,50\",Debet,SHOP\n31-03-2025,NL91ABNA0417164300,\"9,00\",Credit,BOSS\n",
                "booked=1,amount=3,sign=4,purpose=5"
            ),
            // A text of several lines.
            (
                "Date;Libellé;Débit euros;Crédit euros;\n13/03/2025;\"CARTE\nSHOP\n\";12,50;;\n14/03/2025;\"VIREMENT\nBOSS\";;1 250,00;\n",
                "booked=Date,debit=Débit euros,credit=Crédit euros,purpose=Libellé"
            ),
            // The column of the sign has no title.
            (
                "Buchungstag;Text;Umsatz; \n13.03.2025;SHOP;12,50;S\n14.03.2025;BOSS;250,00;H\n",
                "booked=1,amount=3,sign=4,purpose=2"
            ),
            // A balance below the table has a date and an amount, too.
            (
                "Buchungstag;Wert;Text;Betrag;Währung\n13.03.2025;13.03.2025;SHOP;-12,50;EUR\n14.03.2025;14.03.2025;BOSS;250,00;EUR\nKontostand;31.03.2025;;1.237,50\n",
                "booked=Buchungstag,valued=Wert,amount=Betrag,currency=Währung,purpose=Text"
            ),
        ])
    func proposals(text: String, declaration: String) throws {
        let proposed = try ProposedColumns(for: Array(text.utf8))
        #expect(proposed.declaration == declaration)
        var options = ReadingOptions()
        (options.columns, options.currency) = (try CSVColumns(proposed.declaration), "EUR")
        #expect(try !TransactionFile.read(Array(text.utf8), options: options)[0].transactions.isEmpty)
    }

    @Test(
        "have an account that may be either party's as the owner's where it stands beside almost every line",
        arguments: [(4, 1, "counterparty_account"), (28, 2, "counterparty_account"), (1, 19, "account")])
    func eitherAccount(without: Int, with: Int, role: String) throws {
        let text =
            "Dato;Belopp;Kontonummer;Beskrivning\n" + String(repeating: "2025-09-30;-39.00;;SHOP\n", count: without)
            + String(repeating: "2025-09-29;1300.00;111;BOSS\n", count: with)
        let proposed = try ProposedColumns(for: Array(text.utf8))
        #expect(try CSVColumns(proposed.declaration).names.first { $0.value == "Kontonummer" }?.key.rawValue == role)
    }

    @Test(
        "are refused where no line has a date and an amount",
        arguments: ["", "a;b\nc;d\n", "Date;Text\n31.03.2025;x\n"])
    func refused(text: String) {
        #expect(throws: ReadingError.self) { try ProposedColumns(for: Array(text.utf8)) }
    }

    @Test("are asked for where two have the amounts in turn, and no title says which one has what was paid")
    func sides() {
        #expect {
            try ProposedColumns(for: Array("13/03/2025,SHOP,12.50,,987.50\n14/03/2025,BOSS,,250.00,1237.50\n".utf8))
        } throws: {
            ($0 as? ReadingError)?.code == .ambiguous && "\($0)".contains("3 and 4")
        }
    }

    @Test("have the amount where its title is, also when some lines have none")
    func titled() throws {
        let text = "Date,Amount,Notes,Price\n2025-03-13,-1.50,a,9.00\n2025-03-13,,fee,9.00\n"
        #expect(try ProposedColumns(for: Array(text.utf8)).declaration == "booked=Date,amount=Amount,purpose=Notes")
    }

    @Test("are named where they have no role")
    func others() throws {
        let proposed = try ProposedColumns(for: Array("Date;Amount;Text;Fee\n31.03.2025;-12,50;SHOP;1,00\n".utf8))
        #expect(proposed.others == ["Fee"])
        #expect(!proposed.hasCurrency)
    }

    @Test(
        "of each bank that is known are a declaration, with a currency or a column for it",
        arguments: BankProfile.all.map(\.name))
    func profiles(name: String) throws {
        let profile = try #require(BankProfile(named: name.uppercased()))
        let columns = try CSVColumns(profile.columns)
        #expect((columns.names[.currency] == nil) == Statement.isCurrency(profile.currency))
        #expect(!profile.source.isEmpty && BankProfile.all.count { $0.name == name } == 1)
    }

    @Test(
        "are not those of a file without columns, which is named with the way to its bookings",
        arguments: [
            (Array("PK\u{3}\u{4}\0\0a.csv".utf8), "a ZIP archive; unpack it"),
            (Array("%PDF-1.7\n\0".utf8), "a PDF; it has no columns"),
            ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "a picture; it has no columns"),
            ([0xFF, 0xD8, 0xFF, 0xE0, 0, 0x10], "a picture; it has no columns"),
            ([0, 0, 0, 0x18] + Array("ftypheic".utf8), "a picture; it has no columns"),
            (Array("<!doctype html><table>".utf8), "an HTML page; it has no columns"),
            (Array("{\"a\":1}".utf8), "JSON; name a CSV file"), ([], "empty; name a CSV file"),
            (Array(CAMTReaderTests.statement.utf8), "CAMT, which needs no columns"),
            (Array(":20:A\n:25:1\n".utf8), "MT940, which needs no columns"),
        ] as [([UInt8], String)])
    func foreign(bytes: [UInt8], words: String) {
        #expect {
            try ProposedColumns(for: bytes)
        } throws: {
            ($0 as? ReadingError)?.code == .wrongKind && "\($0)".contains(words)
        }
    }

    @Test("are not read from a picture, also where they are declared")
    func picture() throws {
        var options = ReadingOptions()
        (options.currency, options.columns) = ("EUR", try CSVColumns("booked=1,amount=2"))
        #expect {
            try TransactionFile.read([0xFF, 0xD8, 0xFF, 0xE0, 0x4A, 0x46], options: options)
        } throws: {
            "\($0)".contains("a picture")
        }
    }
}
