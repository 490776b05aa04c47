import Testing

@testable import FileKinds

/// Figures that a file states twice, and marks that change what a booking means.
@Suite("Figures that contradict one another")
struct StatedFiguresTests {
    struct File: CustomTestStringConvertible {
        let name: String
        let text: String
        var columns: String?
        /// Parts of the note; empty for a file with nothing to say.
        let note: String
        var isContradictory = false
        let amounts: [String]
        var opening: String?

        var testDescription: String { name }
    }

    private static func mt942(_ sums: String, _ bookings: String = ":61:2503030303D1,00NTRFNONREF\n") -> String {
        ":20:X\n:25:A1\n:28C:1\n:34F:EURD0,\n:13D:2503031200+0100\n\(bookings)\(sums)-\n"
    }

    private static func page(_ number: Int, _ opening: String, _ booking: String, _ closing: String) -> String {
        ":20:X\n:25:1/2\n:28C:1/\(number)\n\(opening)\n:61:2503010301\(booking)NTRFNONREF\n\(closing)\n-\n"
    }

    private static func camt(_ entries: String, balances: String = "", summary: String = "", isReport: Bool = false)
        -> String
    {
        let (message, element, number) =
            isReport ? ("BkToCstmrAcctRpt", "Rpt", "052") : ("BkToCstmrStmt", "Stmt", "053")
        return
            "<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.\(number).001.08\"><\(message)><\(element)><Id>1</Id><Acct><Id><IBAN>DE89370400440532013000</IBAN></Id><Ccy>EUR</Ccy></Acct>\(balances)\(summary)\(entries)</\(element)></\(message)></Document>"
    }

    /// A page of a statement, whose number is that of a statement.
    private static func camtPage(_ number: Int, _ isLast: Bool, _ opening: String, _ closing: String) -> String {
        "<ElctrncSeqNb>\(number)</ElctrncSeqNb><StmtPgntn><PgNb>\(number)</PgNb><LastPgInd>\(isLast)</LastPgInd></StmtPgntn>\(balance("OPBD", opening, "2025-03-03"))\(balance("CLBD", closing, "2025-03-03"))\(entry)"
    }

    private static let nextStatement =
        "</Stmt><Stmt><Acct><Id><IBAN>DE89370400440532013000</IBAN></Id><Ccy>EUR</Ccy></Acct>"

    private static func balance(_ kind: String, _ amount: String, _ day: String) -> String {
        "<Bal><Tp><CdOrPrtry><Cd>\(kind)</Cd></CdOrPrtry></Tp><Amt Ccy=\"EUR\">\(amount)</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>\(day)</Dt></Dt></Bal>"
    }

    private static let entry =
        "<Ntry><Amt Ccy=\"EUR\">3.50</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2025-03-03</Dt></BookgDt></Ntry>"

    private static func summary(_ count: Int, _ sum: String) -> String {
        "<TxsSummry><TtlNtries><NbOfNtries>\(count)</NbOfNtries></TtlNtries><TtlDbtNtries><NbOfNtries>\(count)</NbOfNtries><Sum>\(sum)</Sum></TtlDbtNtries></TxsSummry>"
    }

    private static func ofx(_ bookings: String, severity: String = "INFO") -> String {
        "OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nENCODING:USASCII\nCHARSET:1252\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><TRNUID>1<STATUS><CODE>2000<SEVERITY>\(severity)</STATUS><STMTRS><CURDEF>EUR<BANKACCTFROM><BANKID>1<ACCTID>22<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST><DTSTART>20250301<DTEND>20250331\(bookings)</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>"
    }

    private static func booking(_ type: String, _ amount: String, _ id: String, _ more: String = "") -> String {
        "<STMTTRN><TRNTYPE>\(type)<DTPOSTED>20250303<TRNAMT>\(amount)<FITID>\(id)<NAME>N\(more)</STMTTRN>"
    }

    private static let files: [File] = [
        File(
            name: "MT942, the sums agree", text: mt942(":90D:1EUR1,00\n:90C:0EUR0,00\n"), note: "",
            amounts: ["-1.00"]),
        File(
            name: "MT942, a booking is missing", text: mt942(":90D:2EUR3,00\n:90C:0EUR0,00\n"),
            note: "states 2 bookings",
            isContradictory: true, amounts: ["-1.00"]),
        File(
            name: "MT942, another sum", text: mt942(":90D:1EUR3,00\n"), note: "payments of 3.00",
            isContradictory: true, amounts: ["-1.00"]),
        File(
            name: "MT942, a reversal on either side",
            text: mt942(":90D:2EUR1,00\n", ":61:2503030303D3,00NTRFNONREF\n:61:2503030303RD2,00NTRFNONREF\n"),
            note: "", amounts: ["-3.00", "2.00"]),
        File(
            name: "MT942, the sums of all pages on the second",
            text: mt942("") + mt942(":90D:2EUR2,00\n").replacing(":28C:1", with: ":28C:1/2"), note: "",
            amounts: ["-1.00", "-1.00"]),
        File(
            name: "MT942, expected bookings",
            text: mt942("", ":61:2503030303D1,00NTRFNONREF\n:61:2503030303ED9,00NTRFNONREF\n"), note: "expected",
            amounts: ["-1.00"]),
        File(
            name: "MT940, all pages",
            text: page(1, ":60F:C250301EUR10,00", "D1,00", ":62M:C250301EUR9,00")
                + page(2, ":60M:C250301EUR9,00", "D2,00", ":62F:C250301EUR7,00"), note: "",
            amounts: ["-1.00", "-2.00"], opening: "10.00"),
        File(
            name: "MT940, a page is missing",
            text: page(1, ":60F:C250301EUR10,00", "D1,00", ":62M:C250301EUR9,00")
                + page(3, ":60M:C250301EUR5,00", "D2,00", ":62F:C250301EUR3,00"), note: "a page is missing",
            isContradictory: true, amounts: ["-1.00", "-2.00"]),
        File(
            name: "MT940, a page that opens as a statement does",
            text: page(1, ":60F:C250301EUR10,00", "D1,00", ":62M:C250301EUR9,00")
                + page(2, ":60F:C250301EUR9,00", "D2,00", ":62F:C250301EUR7,00"), note: "",
            amounts: ["-1.00", "-2.00"], opening: "10.00"),
        File(
            name: "MT940, the last page is missing",
            text: page(1, ":60F:C250301EUR10,00", "D1,00", ":62M:C250301EUR9,00"), note: "has more pages",
            amounts: ["-1.00"], opening: "10.00"),
        File(
            name: "MT940, a fraction that the currency does not have",
            text: ":20:X\n:25:A\n:60F:C250301EUR10,00\n:61:250301D1,005NTRFNONREF\n:62F:C250301EUR8,995\n-\n",
            note: "more decimals than EUR has", amounts: ["-1.005"]),
        File(
            name: "CAMT, the summary agrees", text: camt(entry, summary: summary(1, "3.50")), note: "",
            amounts: ["-3.50"]),
        File(
            name: "CAMT, the summary has one more", text: camt(entry, summary: summary(2, "7.00")),
            note: "states 2 bookings", isContradictory: true, amounts: ["-3.50"]),
        File(
            name: "CAMT, the summary has one more, and the balances agree",
            text: camt(
                entry, balances: balance("OPBD", "100.00", "2025-03-01") + balance("CLBD", "96.50", "2025-03-31"),
                summary: summary(2, "7.00")), note: "states 2 bookings, and 1 was read, although the balances agree",
            amounts: ["-3.50"], opening: "100.00"),
        File(
            name: "CAMT, the summary has another sum", text: camt(entry, summary: summary(1, "7.00")),
            note: "payments of 7.00", isContradictory: true, amounts: ["-3.50"]),
        File(
            name: "CAMT, the summary has a reversal among the payments",
            text: camt(
                entry + entry.replacing("3.50", with: "2.00").replacing("DBIT", with: "CRDT"),
                summary:
                    "<TxsSummry><TtlDbtNtries><NbOfNtries>2</NbOfNtries><Sum>1.50</Sum></TtlDbtNtries></TxsSummry>"),
            note: "", amounts: ["-3.50", "2.00"]),
        File(
            name: "CAMT, the summary counts what is not booked",
            text: camt(entry + entry.replacing("BOOK<", with: "PDNG<"), summary: summary(2, "7.00")),
            note: "not booked yet", amounts: ["-3.50"]),
        File(
            name: "CAMT.052, the balances contradict",
            text: camt(
                entry, balances: balance("OPBD", "100.00", "2025-03-01") + balance("CLBD", "50.00", "2025-03-31"),
                isReport: true), note: "the report does not add up", isContradictory: true, amounts: ["-3.50"]),
        File(
            name: "CAMT, two opening balances",
            text: camt(
                entry,
                balances: balance("OPBD", "100.00", "2025-03-01") + balance("OPBD", "40.00", "2025-03-01")
                    + balance("CLBD", "96.50", "2025-03-31")), note: "a second balance OPBD", amounts: ["-3.50"]),
        File(
            name: "CAMT, not the last page",
            text: camt("<StmtPgntn><PgNb>1</PgNb><LastPgInd>false</LastPgInd></StmtPgntn>" + entry),
            note: "more pages", amounts: ["-3.50"]),
        File(
            name: "CAMT, pages with numbers of their own",
            text: camt(
                camtPage(7, false, "100.00", "96.50") + nextStatement + camtPage(8, true, "96.50", "93.00")), note: "",
            amounts: ["-3.50", "-3.50"], opening: "100.00"),
        File(
            name: "CAMT, a page between others is missing",
            text: camt(
                camtPage(7, false, "100.00", "96.50") + nextStatement + camtPage(9, true, "90.00", "86.50")),
            note: "more pages", amounts: ["-3.50", "-3.50"], opening: "100.00"),
        File(
            name: "OFX, a debit without a minus sign", text: ofx(booking("DEBIT", "3.50", "1")),
            note: "read by their sign: 1", amounts: ["3.50"]),
        File(
            name: "OFX, a booking is replaced",
            text: ofx(
                booking("DEBIT", "-3.50", "1")
                    + booking("DEBIT", "-4.50", "2", "<CORRECTFITID>1<CORRECTACTION>REPLACE")),
            note: "corrected are left out: 1", amounts: ["-4.50"]),
        File(
            name: "OFX, a booking is deleted",
            text: ofx(
                booking("DEBIT", "-3.50", "1") + booking("DEBIT", "-1.00", "3")
                    + booking("DEBIT", "0", "2", "<CORRECTFITID>1<CORRECTACTION>DELETE")),
            note: "corrected are left out: 1", amounts: ["-1.00"]),
        File(
            name: "OFX, a correction of another file",
            text: ofx(booking("DEBIT", "-4.50", "2", "<CORRECTFITID>9<CORRECTACTION>REPLACE")),
            note: "not in this file", amounts: ["-4.50"]),
        File(
            name: "OFX, the server says that something went wrong",
            text: ofx(booking("DEBIT", "-3.50", "1"), severity: "ERROR"), note: "error “2000”", amounts: ["-3.50"]),
        File(
            name: "OFX, three decimals", text: ofx(booking("DEBIT", "-0.505", "1")), note: "more decimals than EUR has",
            amounts: ["-0.505"]),
        File(
            name: "QIF, a split that adds up",
            text: "!Type:Bank\nD31/12/2025\nT-30.00\nSA\n$-10.00\nSB\n$-20.00\n^\n", note: "", amounts: ["-30.00"]),
        File(
            name: "QIF, a split that does not",
            text: "!Type:Bank\nD31/12/2025\nT-30.00\nSA\n$-10.00\nSB\n$-10.00\n^\n", note: "add up to -20.00",
            amounts: ["-30.00"]),
        File(
            name: "QIF, two amounts", text: "!Type:Bank\nD31/12/2025\nU-12.00\nT-13.00\n^\n", note: "two amounts",
            amounts: ["-13.00"]),
        File(
            name: "QIF, void", text: "!Type:Bank\nD31/12/2025\nT-5.00\nP**VOID** X\n^\n", note: "marked as void",
            amounts: ["-5.00"]),
        File(
            name: "QIF, the opening balance is not a booking",
            text:
                "!Type:Bank\nD30/12/2025\nT100.00\nPOpening Balance\nL[Giro]\n^\nD31/12/2025\nT-5.00\nPX\nLFood\n^\n",
            note: "", amounts: ["-5.00"], opening: "100.00"),
        File(
            name: "CSV, the last line is the total",
            text: "Date;Amount;Text\n2025-03-01;-1.00;a\n2025-03-02;-2.00;b\n2025-03-31;-3.00;Summe\n",
            columns: "booked=Date,amount=Amount,purpose=Text", note: "line 4: the line is the total",
            amounts: ["-1.00", "-2.00"]),
        File(
            name: "CSV, a total without a date",
            text: "Date;Amount;Text\n2025-03-01;-1.00;a\n2025-03-02;-2.00;b\n;-3.00;Total:\n",
            columns: "booked=Date,amount=Amount,purpose=Text", note: "line 4: the line is the total",
            amounts: ["-1.00", "-2.00"]),
        File(
            name: "CSV, a payment for something called total",
            text: "Date;Amount;Text\n2025-03-01;-1.00;a\n2025-03-02;-2.00;Total\n",
            columns: "booked=Date,amount=Amount,purpose=Text", note: "", amounts: ["-1.00", "-2.00"]),
        File(
            name: "CSV, a reversed debit",
            text: "Date;Debit;Credit\n2025-03-01;1.00;\n2025-03-02;-3.00;\n2025-03-03;2.00;\n",
            columns: "booked=Date,debit=Debit,credit=Credit", note: "line 3: the debit has a minus sign",
            amounts: ["-1.00", "3.00", "-2.00"]),
        File(
            name: "CSV, currencies in small letters",
            text: "Date;Amount;Currency\n2025-03-01;-1.00;eur\n",
            columns: "booked=Date,amount=Amount,currency=Currency", note: "", amounts: ["-1.00"]),
    ]

    @Test("are said, and counted where bookings may be missing", arguments: files)
    func notes(_ file: File) throws {
        var options = ReadingOptions()
        options.currency = "EUR"
        options.columns = try file.columns.map { try CSVColumns($0) }
        let accounts = AccountHistory.of(try TransactionFile.read(Array(file.text.utf8), options: options))
        #expect(accounts.count == 1)
        let account = try #require(accounts.first)
        #expect(account.transactions.map(\.amount) == file.amounts.map { Amount($0) })
        #expect(account.isContradictory == file.isContradictory, "\(account.notes) \(account.gaps)")
        if file.note.isEmpty {
            #expect(account.notes.isEmpty)
        } else {
            #expect(account.notes.contains { $0.contains(file.note) }, "\(account.notes)")
        }
        if let opening = file.opening { #expect(account.opening?.amount == Amount(opening)) }
    }

    @Test("half of the debits with a minus sign are not guessed")
    func halfReversed() throws {
        var options = ReadingOptions()
        options.currency = "EUR"
        options.columns = try CSVColumns("booked=Date,debit=Debit,credit=Credit")
        let text = "Date;Debit;Credit\n2025-03-01;1.00;\n2025-03-02;-3.00;\n"
        #expect { try TransactionFile.read(Array(text.utf8), options: options) } throws: {
            ($0 as? ReadingError)?.code == .ambiguous
        }
    }

    @Test("two kinds of account in a QIF file without names are two accounts")
    func kinds() throws {
        var options = ReadingOptions()
        options.currency = "EUR"
        let text = "!Type:CCard\nD31/12/2025\nT-5.00\n^\n!Type:Bank\nD31/12/2025\nT-6.00\n^\n"
        let statements = try TransactionFile.read(Array(text.utf8), options: options)
        #expect(statements.map(\.account) == ["ccard", "bank"])
        #expect(statements.flatMap(\.transactions).map(\.amount) == ["-5.00", "-6.00"].map { Amount($0) })
    }
}
