import Encodings
import Foundation
import TestSupport
import Testing

@testable import FileKinds

@Suite("CAMT")
struct CAMTReaderTests {
    static let statement = """
        <?xml version="1.0" encoding="UTF-8"?>
        <Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Id>1</Id>
        <Acct><Id><IBAN>DE89370400440532013000</IBAN></Id><Ccy>EUR</Ccy></Acct>
        <Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">100</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2025-03-01</Dt></Dt></Bal>
        <Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">87.5</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2025-03-31</Dt></Dt></Bal>
        <Ntry><Amt Ccy="EUR">12.50</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2025-03-14</Dt></BookgDt>
        <NtryDtls><TxDtls><Refs><EndToEndId>R-1</EndToEndId></Refs><RltdPties><Cdtr><Pty><Nm>Bäckerei &amp; Söhne</Nm></Pty></Cdtr></RltdPties>
        <RmtInf><Ustrd>Bread</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>
        <Ntry><Amt Ccy="EUR">1</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>PDNG</Cd></Sts><BookgDt><Dt>2025-03-31</Dt></BookgDt></Ntry>
        </Stmt></BkToCstmrStmt></Document>
        """

    @Test("gives balances and booked entries with their party and purpose")
    func statement() throws {
        let statement = try #require(try TransactionFile.read(Array(Self.statement.utf8)).first)
        #expect(statement.account == "DE89370400440532013000")
        #expect(statement.opening?.amount == Amount("100"))
        #expect(statement.closing?.day.description == "2025-03-31")
        #expect(statement.transactions.count == 1)
        let transaction = try #require(statement.transactions.first)
        #expect(transaction.amount == Amount("-12.50"))
        #expect(transaction.counterparty == "Bäckerei & Söhne")
        #expect(transaction.purpose == "Bread")
        #expect(transaction.payerReference == "R-1")
        #expect(transaction.id.count == 43)
    }

    @Test("has entries without a date on the day of its closing balance, also when that has no sign")
    func undated() throws {
        let text = Self.statement.replacing("<BookgDt><Dt>2025-03-14</Dt></BookgDt>", with: "")
            .replacing("</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt>", with: "</Amt><Dt>")
        let statement = try #require(try TransactionFile.read(Array(text.utf8)).first)
        #expect(statement.closing == nil)
        #expect(statement.transactions.map(\.booked.description) == ["2025-03-31"])
        #expect(
            statement.notes.contains { $0.contains("without a date are booked on 2025-03-31") }, "\(statement.notes)")
    }

    @Test("has an entry once where one envelope holds a statement and a notification of it", arguments: [true, false])
    func envelope(isStatementFirst: Bool) throws {
        let statement = String(Self.statement.drop { $0 != "\n" })
        let notification = statement.replacing("camt.053", with: "camt.054")
            .replacing("BkToCstmrStmt", with: "BkToCstmrDbtCdtNtfctn").replacing("Stmt>", with: "Ntfctn>")
            .replacing("OPBD", with: "ITAV").replacing("CLBD", with: "ITAV")
        let documents = isStatementFirst ? statement + notification : notification + statement
        let history = try #require(
            AccountHistory.of(try TransactionFile.read(Array("<Envelope>\(documents)</Envelope>".utf8))).first)
        #expect(history.transactions.map(\.amount) == [Amount("-12.50")])
        #expect(history.gaps.isEmpty && history.closing?.amount == Amount("87.5"))
    }

    @Test("has balances whose code is called the bank's own, and leaves out entries whose booking is pending")
    func own() throws {
        let text = Self.statement.replacing("<Cd>OPBD</Cd>", with: "<Prtry>OPBD</Prtry>")
            .replacing("<Cd>PDNG</Cd>", with: "<Prtry>Booking pending</Prtry>")
        let statement = try #require(try TransactionFile.read(Array(text.utf8)).first)
        #expect(statement.opening?.amount == Amount("100"))
        #expect(statement.transactions.count == 1)
    }

    @Test(
        "is refused with a sentence, a line and no account number",
        arguments: [
            ("camt.053.001.08", "pain.001.001.09", ReadingError.Code.wrongKind),
            (">12.50<", ">12,50<", .amount), ("Ccy=\"EUR\">12", "Ccy=\"euro\">12", .currency),
            ("2025-03-14", "2025-02-30", .date),
            ("<Amt Ccy=\"EUR\">12.50</Amt>", "<Amt Ccy=\"EUR\">12.50</Amt><Amt Ccy=\"EUR\">13.50</Amt>", .amount),
            (
                "<Amt Ccy=\"EUR\">12.50</Amt><CdtDbtInd>DBIT</CdtDbtInd>",
                "<Amt Ccy=\"EUR\">0</Amt><Amt Ccy=\"EUR\">12.50</Amt>", .amount
            ),
            (
                "<CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK",
                "<CdtDbtInd>DBIT</CdtDbtInd><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK", .amount
            ),
            (">12.50<", ">1<Old>1</Old>2.50<", .amount),
            (">DBIT</CdtDbtInd><Sts><Cd>BOOK", ">DE89370400440532013000</CdtDbtInd><Sts><Cd>BOOK", .amount),
            ("</Document>", "", .syntax), ("<Document", "<!DOCTYPE a><Document", .forbidden),
        ])
    func refused(part: String, other: String, code: ReadingError.Code) {
        let text = Self.statement.replacingOccurrences(of: part, with: other)
        #expect { try TransactionFile.read(Array(text.utf8), as: .camt) } throws: { error in
            guard let error = error as? ReadingError else { return false }
            return error.code == code && !error.description.contains("0532013000")
                && (error.line ?? 0) > 0
        }
    }

    @Test(
        "has what is odd in it without a loss",
        arguments: [
            ("<Sts><Cd>BOOK</Cd></Sts>", "", false),
            ("<Sts><Cd>BOOK</Cd></Sts>", "<Sts><Prtry>BOOK</Prtry></Sts>", false),
            ("<Dt>2025-03-14</Dt>", "<Dt>2025-03-14-05:00</Dt>", false),
            ("<BookgDt><Dt>2025-03-14</Dt></BookgDt>", "<ValDt><Dt>2025-03-14</Dt></ValDt>", false),
            (" xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.053.001.08\"", "", false), ("<?xml", "\n<?xml", false),
            ("\"UTF-8\"", "\"utf-16\"", false), ("</Document>", "</Document>\0", false),
            ("87.5</Amt><CdtDbtInd>CRDT</CdtDbtInd>", "87.5</Amt>", true),
        ])
    func odd(part: String, other: String, costsBalance: Bool) throws {
        let statement = try #require(
            try TransactionFile.read(Array(Self.statement.replacing(part, with: other).utf8)).first)
        #expect(statement.transactions.map(\.amount) == [Amount("-12.5")])
        #expect(statement.transactions.map(\.booked.description) == ["2025-03-14"])
        #expect((statement.closing == nil) == costsBalance)
    }

    @Test("may be in an envelope")
    func envelope() throws {
        let text =
            Self.statement.replacing("<Document", with: "<Envelope xmlns=\"urn:x\"><AppHdr/><Document") + "</Envelope>"
        #expect(try TransactionFile.read(Array(text.utf8))[0].transactions.count == 1)
        let foreign = text.replacing("camt.053.001.08", with: "pain.001.001.09")
        #expect { try TransactionFile.read(Array(foreign.utf8), as: .camt) } throws: {
            ($0 as? ReadingError)?.code == .wrongKind && "\($0)".contains("pain.001.001.09")
        }
    }

    @Test("says how many entries are not booked yet, and books one without a date on the statement's last day")
    func notes() throws {
        let statement = try TransactionFile.read(
            Array(Self.statement.replacing("<BookgDt><Dt>2025-03-14</Dt></BookgDt>", with: "").utf8))[0]
        #expect(statement.transactions.map(\.booked.description) == ["2025-03-31"])
        #expect(statement.notes.count == 2, "\(statement.notes)")
    }

    @Test("keeps names, texts and references of a batch")
    func batch() throws {
        let one = "<TxDtls><Refs><EndToEndId>R-1</EndToEndId></Refs>"
        let text = Self.statement.replacing(
            one,
            with:
                "<TxDtls><Refs><EndToEndId>R-2</EndToEndId></Refs><RltdPties><Cdtr><Nm>Miller</Nm></Cdtr></RltdPties></TxDtls>\(one)"
        )
        let transaction = try TransactionFile.read(Array(text.utf8))[0].transactions[0]
        #expect(transaction.purpose == "Miller: R-2; Bäckerei & Söhne: Bread R-1")
        #expect(transaction.counterparty.isEmpty)
    }

    /// A batch of two payments, whose second one is 4.50.
    private static let twoPayments = statement.replacing(
        "<NtryDtls><TxDtls>",
        with:
            "<NtryDtls><TxDtls><AmtDtls><TxAmt><Amt Ccy=\"EUR\">8.00</Amt></TxAmt></AmtDtls><RltdPties><Cdtr><Nm>Miller</Nm></Cdtr></RltdPties></TxDtls><TxDtls><Amt Ccy=\"EUR\">4.50</Amt>"
    )

    @Test("makes a booking of each payment of a batch when asked to, if they add up")
    func splitBatch() throws {
        var options = ReadingOptions()
        options.splitsBatches = true
        let statement = try TransactionFile.read(Array(Self.twoPayments.utf8), options: options)[0]
        #expect(statement.transactions.map(\.amount) == [Amount("-8"), Amount("-4.5")])
        #expect(statement.transactions.map(\.counterparty) == ["Miller", "Bäckerei & Söhne"])
        #expect(AccountHistory.of([statement])[0].gaps.isEmpty)
        let wrong = Self.twoPayments.replacing(">8.00<", with: ">8.01<")
        let whole = try TransactionFile.read(Array(wrong.utf8), options: options)[0]
        #expect(whole.transactions.map(\.amount) == [Amount("-12.5")])
        #expect(whole.notes.contains { $0.contains("batch") }, "\(whole.notes)")
        #expect(try TransactionFile.read(Array(Self.twoPayments.utf8))[0].transactions.count == 1)
    }

    @Test("is read as a notification, too, which gives way to the statement of its day")
    func notification() throws {
        let notification = Self.statement.replacing("camt.053.001.08", with: "camt.054.001.08")
            .replacing("BkToCstmrStmt", with: "BkToCstmrDbtCdtNtfctn").replacing("Stmt>", with: "Ntfctn>")
            .replacing(/<Bal>.*<\/Bal>/, with: "")
        let noted = try TransactionFile.read(Array(notification.utf8))
        #expect(noted[0].isInterim && noted[0].transactions.map(\.amount) == [Amount("-12.5")])
        let history = AccountHistory.of(noted + (try TransactionFile.read(Array(Self.statement.utf8))))[0]
        #expect(history.transactions.count == 1 && history.gaps.isEmpty, "\(history.gaps)")
    }

    @Test("opens with the first and closes with the last balance of several days")
    func severalDays() throws {
        let second = Self.statement.split(separator: "\n").filter { $0.hasPrefix("<Bal>") }.joined()
            .replacing("2025-03-01", with: "2025-03-20").replacing("2025-03-31", with: "2025-03-10")
            .replacing("100<", with: "90<")
        let statement = try TransactionFile.read(
            Array(Self.statement.replacing("<Bal>", with: second + "<Bal>", maxReplacements: 1).utf8))[0]
        #expect(statement.opening?.amount == Amount("100") && statement.closing?.amount == Amount("87.5"))
        #expect(statement.closing?.day.description == "2025-03-31")
    }

    @Test("names a bank that is the other party")
    func bank() throws {
        let text = Self.statement.replacing(
            "<Cdtr><Pty><Nm>Bäckerei &amp; Söhne</Nm></Pty></Cdtr>",
            with: "<Cdtr><Agt><FinInstnId><Nm>Bank</Nm></FinInstnId></Agt></Cdtr>")
        #expect(try TransactionFile.read(Array(text.utf8))[0].transactions[0].counterparty == "Bank")
    }

    @Test("names the other party of a returned payment, not the account's owner")
    func returned() throws {
        let parties =
            "<RltdPties><Dbtr><Nm>Owner</Nm></Dbtr><DbtrAcct><Id><IBAN>DE89370400440532013000</IBAN></Id></DbtrAcct><Cdtr>"
        for reversal in ["<RvslInd>true</RvslInd>", ""] {
            let text = Self.statement.replacing("<RltdPties><Cdtr>", with: parties).replacing(
                "<CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK", with: "<CdtDbtInd>CRDT</CdtDbtInd>\(reversal)<Sts><Cd>BOOK")
            #expect(try TransactionFile.read(Array(text.utf8))[0].transactions[0].counterparty == "Bäckerei & Söhne")
        }
    }

    @Test("keeps the number of an invoice")
    func invoices() throws {
        let text = Self.statement.replacing(
            "<Ustrd>Bread</Ustrd>", with: "<Strd><RfrdDocInf><Nb>INV-77</Nb></RfrdDocInf></Strd>")
        #expect(try TransactionFile.read(Array(text.utf8))[0].transactions[0].purpose == "INV-77")
    }

    /// It has an entry without any date.
    static let refusedFiles = ["camt052.v2.with-account-name.xml"]
    static let files = ((try? Vectors.names(in: "camt")) ?? []).filter {
        $0.hasSuffix(".xml") && !$0.contains("wrong") && !refusedFiles.contains($0)
    }

    @Test("by others without a date in an entry is refused", .needsVectors, arguments: refusedFiles)
    func undated(file: String) throws {
        let bytes = Array(try Vectors.data("camt/\(file)"))
        #expect { try TransactionFile.read(bytes) } throws: { ($0 as? ReadingError)?.code == .date }
    }

    @Test("by others has the entries that their library reads", .needsVectors, arguments: files)
    func vectors(file: String) throws {
        let statements = try TransactionFile.read(Array(try Vectors.data("camt/\(file)")), as: .camt)
        let json = try JSONReader.read(
            Array(try Vectors.data("camt/\(file.replacingOccurrences(of: ".xml", with: ".json"))")))
        let entries = json.objectValue?["getEntries"]?.arrayValue ?? []
        // Their sample is of the first statement.
        let transactions = statements[0].transactions
        #expect(transactions.count <= entries.count)
        let dates = Set(
            entries.compactMap { $0.objectValue?["getBookingDate"]?.objectValue?["0"]?.stringValue?.prefix(10) })
        for transaction in transactions where !dates.isEmpty {
            #expect(dates.contains(transaction.booked.description[...]), "\(file)")
        }
        #expect(statements.allSatisfy { !$0.account.isEmpty })
    }
}
