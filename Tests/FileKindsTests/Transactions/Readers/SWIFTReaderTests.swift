import Foundation
import TestSupport
import Testing

@testable import FileKinds

@Suite("MT940")
struct SWIFTReaderTests {
    static let message = """
        :20:STARTUMSE
        :25:37040044/0532013000
        :28C:00003/001
        :60F:C250301EUR100,00
        :61:2503140314D12,50NMSCNONREF//B-1
        :86:105?00KARTE?20EREF+R-1?21SVWZ+Bread?30COBADEFFXXX?31DE44500105175407324931?32Baker
        :61:2503150315CR5,NTRFNONREF
        :86:plain text
        :62F:C250331EUR92,50
        -
        """

    private func read(_ text: String) throws -> [Statement] { try TransactionFile.read(Array(text.utf8)) }

    @Test("gives balances and transactions, whose field 86 may be structured or plain")
    func message() throws {
        let statement = try #require(try read(Self.message).first)
        #expect(statement.opening?.amount == Amount("100"))
        #expect(statement.closing?.amount == Amount("92.5"))
        #expect(statement.transactions.map(\.amount) == [Amount("-12.5"), Amount("5")])
        #expect(statement.transactions[0].counterparty == "Baker")
        #expect(statement.transactions[0].purpose == "Bread")
        #expect(statement.transactions[0].bankReference == "B-1")
        #expect(statement.transactions[0].payerReference == "R-1")
        #expect(statement.transactions[1].purpose == "plain text")
    }

    @Test(
        "is refused with a sentence, a line and no account number",
        arguments: [
            (":62F:C250331EUR92,50\n-", ":86:half a li", ReadingError.Code.syntax),
            ("D12,50", "X12,50", .amount),
            ("2503140314", "2513140314", .date),
            (":25:37040044/0532013000\n", "", .syntax),
            (":62F:C250331EUR", ":62F:C250331USD", .currency),
            ("D12,50", "D1'012,50", .amount), ("D12,50", "D1 012,50", .amount),
        ])
    func refused(part: String, other: String, code: ReadingError.Code) {
        #expect { try read(Self.message.replacingOccurrences(of: part, with: other)) } throws: { error in
            guard let error = error as? ReadingError else { return false }
            return error.code == code && error.line != nil && !error.description.contains("0532013000")
        }
    }

    @Test("has entries of the year that its balances enclose, also where the value is dated back by a year")
    func years() throws {
        for (value, entry) in [("240301", "0314"), ("231120", "0314"), ("250310", "0314")] {
            let statement = try #require(
                try read(Self.message.replacing("2503140314D", with: "\(value)\(entry)D")).first)
            #expect(statement.transactions[0].booked.description == "2025-03-14")
        }
    }

    @Test("says it where the file begins with a later page")
    func laterPage() throws {
        let page = Self.message.replacing(":60F:", with: ":60M:")
        #expect(try read(page.replacing("/001", with: "/002"))[0].notes.contains { $0.contains("begins with page 2") })
        #expect(try read(page)[0].notes.isEmpty)
    }

    @Test(
        "has what is odd in it without a loss",
        arguments: [
            ("2503140314D12,50", "2502300314D12,50", true), ("2503140314D12,50", "2503140314d12,50", false),
            ("D12,50NMSC", "D\n12,50NMSC", false), ("D12,50", "D12.50", false), ("EUR92,50", "EUR\n92,50", false),
            ("EUR100,00", "EUR000000000100.00", false), ("D12,50", "D 12,50", false),
            (":86:plain text", ":86:plain\n-\ntext", false),
        ])
    func odd(part: String, other: String, hasNote: Bool) throws {
        let statement = try #require(try read(Self.message.replacingOccurrences(of: part, with: other)).first)
        #expect(statement.transactions.map(\.amount) == [Amount("-12.5"), Amount("5")])
        #expect(statement.opening?.amount == Amount("100") && statement.closing?.amount == Amount("92.5"))
        #expect(statement.transactions[0].booked.description == "2025-03-14")
        #expect(statement.notes.isEmpty != hasNote, "\(statement.notes)")
    }

    @Test("may have “@@” for the end of a line, and a currency that the person gives")
    func variants() throws {
        let flat = "@@" + Self.message.replacing("\n", with: "@@")
        #expect(try read(flat)[0].transactions.map(\.amount) == [Amount("-12.5"), Amount("5")])
        let bare =
            Self.message.replacing(":60F:C250301EUR100,00\n", with: "").replacing(":62F:C250331EUR92,50\n", with: "")
            + "\n"
        #expect { try read(bare) } throws: { "\($0)".contains("--currency") }
        var options = ReadingOptions()
        options.currency = "USD"
        #expect(
            try TransactionFile.read(Array(bare.utf8), options: options)[0].transactions.map(\.currency) == [
                "USD", "USD",
            ])
    }

    @Test("without a closing balance is read with a note, if it ends with a line")
    func open() throws {
        for end in ["", "-\n"] {
            let text = Self.message.replacingOccurrences(of: ":62F:C250331EUR92,50\n-", with: end)
            let statement = try #require(try read(text + "\n").first)
            #expect(statement.transactions.count == 2 && statement.closing == nil)
            #expect(statement.notes.count == 1 && statement.notes[0].contains(":62F:"), "\(statement.notes)")
        }
    }

    @Test(
        "has the other party and the purpose in the dialects of banks",
        arguments: [
            (">20Rent>32A. Tester>3111112222333344445555666677", "11112222333344445555666677"),
            ("020~00VB01~20Rent~32A. Tester~38PL11112222333344445555666677", "PL11112222333344445555666677"),
            ("073<00PRZELEW<20Rent<32A.<33Tester", ""),
            ("/EREF/E-1//CNTP/NL91ABNA0417164300/ABNANL2A/A. Tester///REMI/USTD//Rent/", "NL91ABNA0417164300"),
            ("/BENM//NAME/A. Tester/REMI/Rent/ISDT/2025-03-03", ""),
            ("/ORDP//NAME/A. Tester/ID/9/ADDR/Street 1/REMI/Rent", ""),
            (
                "/TRTP/SEPA OVERBOEKING/IBAN/NL91ABNA0417164300/BIC/ABNANL2A/NAME/\nA. Tester/REMI/Rent/EREF/NOTPROVIDED",
                "NL91ABNA0417164300"
            ),
            (
                "SEPA OVERBOEKING                 IBAN: NL91ABNA0417164300\nBIC: ABNANL2A                    NAAM: A. Tester\nOMSCHRIJVING: Rent",
                "NL91ABNA0417164300"
            ),
            ("Rent REK: NL91ABNA0417164300/NAAM: A. Tester", "NL91ABNA0417164300"),
            ("/RTYP/SEPA/IBAN/NL91ABNA0417164300/NAME/A. Tester/REMI/Rent", "NL91ABNA0417164300"),
            ("Naam: A. Tester Omschrijving: Rent IBAN: NL91ABNA0417164300", "NL91ABNA0417164300"),
            ("GUTSCHRIFT\nAUFTRAGGEBER: A. Tester MITTEILUNGEN: Rent", ""),
            (
                "Auftraggeber: A. Tester Verwendungszweck: Rent IBAN Auftraggeber: AT611904300234573201",
                "AT611904300234573201"
            ),
            ("CRÉDIT DONNEUR D'ORDRE: A. Tester COMMUNICATIONS: Rent", ""),
            ("166?00GUTSCHRIFT?20EREF: E-1 SVWZ: Rent?32A. Tester", ""),
            (
                "166?00UEBERWEISUNG?20SVWZ+Rent?30COBADEFF?31DE44500105175407324931?32A. Tester",
                "DE44500105175407324931"
            ),
        ])
    func dialects(information: String, account: String) throws {
        let transaction = try #require(
            try read(Self.message.replacingOccurrences(of: "plain text", with: information)).first?.transactions.last)
        #expect(transaction.counterparty == "A. Tester")
        #expect(transaction.purpose == "Rent")
        #expect(transaction.counterpartyAccount == account)
        #expect(transaction.payerReference != "NOTPROVIDED")
    }

    @Test(
        "keeps the text of a subfield that has the mark in it, and joins parts as the bank meant",
        arguments: [
            ("166?20SVWZ+Was ist los? Die Miete?21 fuer Maerz?32A", "Was ist los? Die Miete fuer Maerz"),
            ("106?00KARTE?20KAUF?2112.03?22WIEN?23KD 4711", "KAUF 12.03 WIEN KD 4711"),
            ("166?20SVWZ+Miete fuer die neue Wo?21hnung", "Miete fuer die neue Wohnung"),
            ("Ist das > 20 Euro?", "Ist das > 20 Euro?"), ("one\n:86:two\n:86:three", "one two three"),
        ])
    func parts(information: String, purpose: String) throws {
        let statement = try read(Self.message.replacingOccurrences(of: "plain text", with: information)).first
        #expect(statement?.transactions.last?.purpose == purpose)
    }

    @Test(
        "keeps what has no field of its own",
        arguments: [
            ("/MARF/M-1/CSID/NL98ZZZ/NAME/A/REMI/Rent/CHGS/EUR1,00", "MARF M-1; CSID NL98ZZZ; CHGS EUR1,00"),
            ("/CNTP/NL91ABNA0417164300/ABNANL2A/A///REMI/USTD//Rent/", "CNTP ABNANL2A"),
            (
                "166?00CREDIT?109310?20KREF+K1?21SVWZ+Rent?30COBADEFF?32A?34011",
                "166; CREDIT; 9310; COBADEFF; 011; KREF K1"
            ),
            ("SEPA NAAM: A BIC: ABNANL2A OMSCHRIJVING: Rent", "SEPA; BIC ABNANL2A"),
        ])
    func details(information: String, details: String) throws {
        let text = Self.message.replacingOccurrences(of: "plain text", with: information)
        let history = AccountHistory.of(try read(text))
        #expect(history[0].transactions.last?.details == details)
        #expect(try TransactionExport.json.text(history).contains("\"details\":\"\(details)\""))
        let again = AccountHistory.of(try read(try TransactionExport.csv.text(history)))
        #expect(again[0].transactions.last?.details == details)
    }

    @Test("books around the turn of the year")
    func turnOfYear() throws {
        let text = Self.message.replacingOccurrences(of: "2503140314", with: "2412310102")
        let transaction = try #require(try read(text).first?.transactions.first)
        #expect(transaction.valued?.description == "2024-12-31")
        #expect(transaction.booked.description == "2025-01-02")
    }

    @Test(
        "as banks write it", .needsVectors,
        arguments: [
            ("betterplace/sepa_mt9401.sta", true), ("cmxl/mt940.sta", true), ("mBank/mt940.sta", true),
            ("ASNB/mt940.txt", true),
        ])
    func vectors(file: String, adds: Bool) throws {
        let statements = try TransactionFile.read(Array(try Vectors.data("mt940/\(file)")), as: .mt940)
        #expect(!statements.flatMap(\.transactions).isEmpty)
        for statement in statements where adds {
            let opening = try #require(statement.opening)
            let closing = try #require(statement.closing)
            #expect(statement.transactions.reduce(opening.amount) { $0 + $1.amount } == closing.amount, "\(file)")
        }
    }
}
