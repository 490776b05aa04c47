import Messages
import TestCases
import Testing

@testable import FileKinds

/// Small whole files of each kind.
enum GoodFile {
    static let pdf = "%PDF-1.4\n1 0 obj<<>>endobj\nxref\n0 1\ntrailer<<>>\nstartxref\n9\n%%EOF\n"
    static let csv = "Konto;DE00\n\nBuchung;Betrag;Text\n2025-03-01;1,00;a\n2025-03-02;2,00;\"b;c\"\n"
    static let mt940 = """
        :20:A
        :25:37040044/0532013000
        :60F:C250201EUR100,
        :61:2502100210D2,NMSCNONREF
        :62F:C250228EUR98,
        -

        """
    static let qif = "!Type:Bank\nD2025-03-01\nT-1.00\nPShop\n^\n"
    static let ofx1 = """
        OFXHEADER:100
        DATA:OFXSGML
        VERSION:102

        <OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><BANKID>1<ACCTID>2<ACCTTYPE>CHECKING</BANKACCTFROM>
        <BANKTRANLIST><DTSTART>20250301<DTEND>20250331
        <STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20250301<TRNAMT>-1.00<FITID>1<NAME>Shop</STMTTRN>
        </BANKTRANLIST><LEDGERBAL><BALAMT>1.00<DTASOF>20250331</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>
        """
    static let ofx2 = """
        <?xml version="1.0" encoding="UTF-8"?>
        <?OFX OFXHEADER="200" VERSION="211"?>
        <OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR</CURDEF><BANKACCTFROM><BANKID>1</BANKID><ACCTID>2</ACCTID></BANKACCTFROM>
        <BANKTRANLIST><STMTTRN><TRNTYPE>DEBIT</TRNTYPE><DTPOSTED>20250301</DTPOSTED><TRNAMT>-1.00</TRNAMT><FITID>1</FITID></STMTTRN>
        </BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>
        """
    static let camt = """
        <?xml version="1.0" encoding="UTF-8"?>
        <Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt><Id>1</Id>
        <Acct><Id><IBAN>DE89370400440532013000</IBAN></Id><Ccy>EUR</Ccy></Acct>
        <Ntry><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2025-03-01</Dt></BookgDt></Ntry>
        </Stmt></BkToCstmrStmt></Document>
        """
    static let html = "<!DOCTYPE html><html><head><title>Advice</title></head><body><p>Your premium</p></body></html>"

    static let texts: [(FileKind, String)] = [
        (.pdf, pdf), (.csv, csv), (.mt940, mt940), (.qif, qif), (.ofx, ofx1), (.ofx, ofx2), (.camt, camt),
        (.html, html),
    ]
}

/// Returns the sentence with which a file is refused; nil when it is accepted.
func refusal(_ bytes: [UInt8], as kind: FileKind? = nil, limits: FileLimits = FileLimits()) -> FileRefusal? {
    do throws(FileRefusal) {
        _ = try FileCheck.check(bytes, as: kind, limits: limits)
        return nil
    } catch {
        return error
    }
}

func refusal(_ text: String, as kind: FileKind? = nil) -> FileRefusal? { refusal(Array(text.utf8), as: kind) }

@Suite("Files that are what they say")
struct FileCheckTests {
    @Test("each kind is known by its content, and stays as it is", arguments: GoodFile.texts)
    func known(_ kind: FileKind, _ text: String) throws {
        let checked = try FileCheck.check(Array(text.utf8))
        #expect(checked.kind == kind)
        #expect(checked.bytes == Array(text.utf8) || kind == .html)
        #expect(refusal(text, as: kind) == nil)
    }

    @Test("each kind has a name of its own, a place in the order of marks, and its document")
    func lists() {
        #expect(FileKind.byMark.sorted() == FileKind.allCases.sorted())
        #expect(Set(FileKind.allCases).count == FileKind.allCases.count)
        #expect(FileKind.allCases.map { FileKind(rawValue: $0.rawValue) } == FileKind.allCases)
        #expect(FileKind(rawValue: "exe") == nil)
        #expect(DocumentKind.allCases.map { FileKind($0).document } == DocumentKind.allCases)
        #expect(Set(FileKind.allCases.map(\.words)).count == FileKind.allCases.count)
    }

    @Test("a kind without bookings is not read for them", arguments: [FileKind.pdf, .xlsx, .zip, .html, .json])
    func withoutBookings(_ kind: FileKind) {
        #expect(
            throws: ReadingError(.wrongKind, "\(kind.words) has no transactions that can be read; name another kind")
        ) {
            try TransactionFile.read(Array("a;b\n1;2\n".utf8), as: kind)
        }
    }

    @Test("packages are known by their entries")
    func packages() throws {
        #expect(try FileCheck.check(ZIPBuilder.workbook().bytes).kind == .xlsx)
        #expect(try FileCheck.check(ZIPBuilder([("2025/a.pdf", "x"), ("2025/b.pdf", "y")]).bytes).kind == .zip)
    }

    @Test("a file of another kind is refused with what it is", arguments: GoodFile.texts)
    func wrongKind(_ kind: FileKind, _ text: String) throws {
        for expected in FileKind.allCases where expected != kind {
            let refused = try #require(refusal(text, as: expected), "\(kind) as \(expected)")
            #expect(refused.code == .wrongKind)
            #expect(refused.message.contains("the file is \(kind.words), not \(expected.words)") || kind == .csv)
        }
    }

    @Test(
        "an interface's answer is strict JSON, kept byte by byte",
        arguments: ["{ \"a\": [1.50] }\n", "[]", " [ {} ]", "{}"])
    func json(text: String) throws {
        let checked = try FileCheck.check(Array(text.utf8))
        #expect(checked.kind == .json && checked.bytes == Array(text.utf8) && !checked.isChanged)
    }

    @Test(
        "JSON that readers would take differently is refused",
        arguments: ["{\"a\": 1, \"a\": 2}", "{\"a\": 1", "[[1],]", "{\"a\": 1} x", String(repeating: "[", count: 80)])
    func brokenJSON(text: String) throws {
        #expect(try #require(refusal(text)).code == .damaged)
    }

    @Test(
        "what no bank's document is has a name in the refusal",
        arguments: [
            ("\u{89}PNG", "binary"), ("{notes}", "text of no kind"), ("GIF89a", "a GIF picture"),
            ("MZ\u{90}", "a Windows program"),
            ("{\\rtf1}", "an RTF document"), ("<note><to/></note>", "a file of markup"), ("", "empty"),
            (" \n", "empty"),
            ("Dear customer, your session has ended.\nSign in, please, again.", "text of no kind"),
        ])
    func foreign(_ text: String, _ words: String) throws {
        let refused = try #require(refusal(text))
        #expect(refused.code == .wrongKind)
        #expect(refused.message.contains(words) || words == "binary")
    }

    @Test("a Word document and an old Excel file are named")
    func office() throws {
        #expect(try #require(refusal(ZIPBuilder([("word/document.xml", "<a/>")]).bytes)).message.contains("DOCX"))
        #expect(try #require(refusal([0xD0, 0xCF, 0x11, 0xE0, 0, 0])).message.contains("XLS or DOC"))
    }

    @Test(
        "a file that is cut off is refused as damaged",
        arguments: [
            (FileKind.pdf, GoodFile.pdf, 30), (.ofx, GoodFile.ofx1, 60), (.ofx, GoodFile.ofx2, 20),
            (.camt, GoodFile.camt, 20), (.mt940, GoodFile.mt940, 30), (.csv, GoodFile.csv, 8),
        ])
    func cutOff(_ kind: FileKind, _ text: String, _ missing: Int) throws {
        let refused = try #require(refusal(String(text.dropLast(missing)), as: kind))
        #expect(refused.code == .damaged, "\(refused)")
    }

    @Test(
        "a whole file is accepted whatever is odd in its bookings, with a note",
        arguments: [
            (FileKind.ofx, GoodFile.ofx1.replacing("<BALAMT>1.00", with: "<BALAMT>")),
            (.ofx, GoodFile.ofx1.replacing("<TRNAMT>-1.00", with: "<TRNAMT>x")),
            (.ofx, "OFXHEADER:100\n\n<OFX><INVSTMTRS><CURDEF>EUR</INVSTMTRS></OFX>"),
            (.camt, GoodFile.camt.replacing("1.00", with: "x")),
            (.camt, GoodFile.camt.replacing("2025-03-01", with: "")),
            (.mt940, GoodFile.mt940.replacing("D2,", with: "X2,")),
            (.qif, GoodFile.qif.replacing("2025-03-01", with: "x")),
            (.qif, "!Type:Invst\nD2025-03-01\n^\n"),
            (.csv, "Date;Amount;Text\n03.03.2025;-12,50;SHOP\nEnd of list\n"), (.csv, "A;B;C;\n1;2;3;;\n4;5;6;;\n"),
            (.csv, "Date;Amount;Text;More\n03.03.2025;-12,50;SHOP\n"),
            (.csv, "A;B;C\n1;2;UAB \"Test\"\n\"1\";\"2\";\"UAB \"Test\"\"\n"),
        ])
    func odd(_ kind: FileKind, _ text: String) throws {
        let checked = try FileCheck.check(Array(text.utf8), as: kind)
        #expect(checked.bytes == Array(text.utf8))
        #expect(checked.notes.count == 1 || kind == .csv, "\(checked.notes)")
    }

    @Test("a PDF may have padding behind its end, and a message's head before it, but no half of an update")
    func padded() {
        let bytes = Array(GoodFile.pdf.utf8)
        #expect(refusal(bytes + [UInt8](repeating: 0, count: 5_000)) == nil)
        #expect(refusal(Array("HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n".utf8) + bytes) == nil)
        #expect(refusal(bytes + Array("2 0 obj<<>>endobj".utf8) + [UInt8](repeating: 0x20, count: 2_000)) != nil)
        #expect(refusal(Array("<html>%PDF-1.4</html>".utf8), as: .pdf) != nil)
    }

    @Test("a file beyond the size limit is refused by its size")
    func size() throws {
        let refused = try #require(refusal(Array(GoodFile.pdf.utf8), limits: FileLimits(size: 20)))
        #expect(refused.code == .tooLarge)
    }

    @Test("entities and document types are refused in data files")
    func entities() throws {
        let bomb = """
            <?xml version="1.0"?>
            <!DOCTYPE Document [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
            <Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">&b;</Document>
            """
        #expect(try #require(refusal(bomb, as: .camt)).code == .forbidden)
        let foreign = GoodFile.ofx2.replacing(
            "<OFX>", with: "<!DOCTYPE OFX SYSTEM \"file:///etc/passwd\"><OFX>")
        #expect(try #require(refusal(foreign, as: .ofx)).code == .forbidden)
        let other = GoodFile.camt.replacing("camt.053.001.02", with: "camt.05.pain")
        #expect(refusal(other, as: .camt) != nil)
    }
}

@Suite("CSV files")
struct CSVTableTests {
    @Test(
        "a table may follow some narrower lines, and have any of four delimiters, with a byte order mark or without",
        arguments: [
            "a;b;c\n1;2;3\n", "x\ny,z\na,b,c\n1,2,3\n4,5,6\n", "a\tb\n1\t2", "a|b\n1|\"2\n3\"\n", "only;a;header\n",
        ])
    func tables(_ text: String) {
        #expect(refusal(text, as: .csv) == nil)
        #expect(refusal([0xEF, 0xBB, 0xBF] + Array(text.utf8), as: .csv) == nil)
    }

    @Test(
        "a table that is cut off is refused with the line",
        arguments: ["a;b;c\n1;2;3\n4;5", "a;b;c\n1;2;3\n4;5;6\n7;8", "a;b\n1;2\n\"3;4\n"])
    func unequal(_ text: String) throws {
        let refused = try #require(refusal(text, as: .csv))
        #expect(refused.code == .damaged)
        #expect(refused.message.contains("line ") || refused.message.contains("quotation mark"), "\(refused)")
    }

    @Test("text without columns, and bytes that are not text, are not CSV")
    func others() throws {
        #expect(try #require(refusal("one\ntwo\nthree\n", as: .csv)).message.contains("one column"))
        #expect(refusal([0x61, 0x3B, 0x62, 0x0A, 0x00, 0x3B, 0x01], as: .csv) != nil)
    }
}
