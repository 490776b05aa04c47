/// A format in which the bank offers a month's transactions. The bank need not offer each kind of document that there is.
struct DocumentFormat: Sendable {
    /// The name in the address of a file.
    let name: String
    /// The text of its link.
    let label: String
    let mediaType: String
    let fileEnding: String
    /// Returns the file of a month.
    let make: @Sendable (Statement) -> [UInt8]

    /// - Parameters:
    ///   - label: the name in capital letters without it.
    ///   - ending: the name without it.
    private init(
        _ name: String, _ mediaType: String, label: String? = nil, ending: String? = nil,
        make: @escaping @Sendable (Statement) -> [UInt8]
    ) {
        (self.name, self.mediaType, self.make) = (name, mediaType, make)
        (self.label, fileEnding) = (label ?? name.uppercased(), ending ?? name)
    }

    static let pdf = DocumentFormat("pdf", "application/pdf") { $0.pdf() }
    // Banks often give a wrong or a vague type.
    static let csv = DocumentFormat("csv", "application/octet-stream") { Array($0.csv.utf8) }
    static let camt = DocumentFormat("camt", "application/xml", label: "CAMT.053", ending: "xml") {
        Array($0.camt.utf8)
    }
    static let mt940 = DocumentFormat("mt940", "text/plain", ending: "sta") { Array($0.mt940.utf8) }
    static let zip = DocumentFormat("zip", "application/zip", label: "Everything") { statement in
        ZIPArchive.bytes(
            [pdf, camt, csv].map { (statement.fileStem + "." + $0.fileEnding, statement.file($0)) })
    }

    /// The formats in the order of their links.
    static let all: [DocumentFormat] = [
        pdf, csv,
        DocumentFormat("ofx", "application/x-ofx") { Array($0.ofx.utf8) },
        camt, mt940,
        DocumentFormat("qif", "text/plain") { Array($0.qif.utf8) },
        DocumentFormat("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet") { $0.workbook },
        DocumentFormat("html", "text/html; charset=utf-8", label: "Page") { Array($0.html.utf8) },
        zip,
    ]

    /// Returns nil for a format that the bank does not offer.
    static func named(_ name: String) -> DocumentFormat? { all.first { $0.name == name } }
}

extension Statement {
    /// Returns the file in a format.
    func file(_ format: DocumentFormat) -> [UInt8] { format.make(self) }

    /// Returns a ZIP archive with the PDF and the CAMT file of several months, and a note.
    static func archive(of statements: [Statement], year: Int) -> [UInt8] {
        let note = ("Statements \(year)/About these files.txt", Array("Keep these files for ten years.\n".utf8))
        return ZIPArchive.bytes(
            [note]
                + statements.flatMap { statement in
                    [DocumentFormat.pdf, .camt].map {
                        ("Statements \(year)/\(statement.fileStem).\($0.fileEnding)", statement.file($0))
                    }
                })
    }

    var fileStem: String { "meridian-\(account.id)-\(month)" }

    private var iban: String { account.iban }

    private func day(_ day: Int) -> String { "\(month)-\(day < 10 ? "0" : "")\(day)" }

    private func compactDay(_ number: Int) -> String { day(number).filter(\.isNumber) }

    fileprivate var csv: String {
        "Date;Text;Amount;Balance\r\n"
            + transactions.map { entry in
                "\(day(entry.day));\"\(entry.text)\";\(plain(entry.amount));\(plain(entry.balance))\r\n"
            }.joined()
    }

    fileprivate var ofx: String {
        let entries = transactions.enumerated().map { index, entry in
            """
            <STMTTRN><TRNTYPE>\(entry.amount < 0 ? "DEBIT" : "CREDIT")</TRNTYPE><DTPOSTED>\(compactDay(entry.day))</DTPOSTED>\
            <TRNAMT>\(plain(entry.amount))</TRNAMT><FITID>\(month)-\(index)</FITID><NAME>\(marked(entry.text))</NAME></STMTTRN>

            """
        }.joined()
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <?OFX OFXHEADER="200" VERSION="220" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>
            <OFX><SIGNONMSGSRSV1><SONRS><STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>\
            <DTSERVER>\(compactDay(month.days))</DTSERVER><LANGUAGE>ENG</LANGUAGE></SONRS></SIGNONMSGSRSV1>
            <BANKMSGSRSV1><STMTTRNRS><TRNUID>1</TRNUID><STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>
            <STMTRS><CURDEF>GBP</CURDEF><BANKACCTFROM><BANKID>402071</BANKID><ACCTID>\(iban)</ACCTID>\
            <ACCTTYPE>CHECKING</ACCTTYPE></BANKACCTFROM>
            <BANKTRANLIST><DTSTART>\(compactDay(1))</DTSTART><DTEND>\(compactDay(month.days))</DTEND>
            \(entries)</BANKTRANLIST>
            <LEDGERBAL><BALAMT>\(plain(closing))</BALAMT><DTASOF>\(compactDay(month.days))</DTASOF></LEDGERBAL>
            </STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>

            """
    }

    fileprivate var camt: String {
        func balance(_ code: String, _ cents: Int, _ date: String) -> String {
            """
            <Bal><Tp><CdOrPrtry><Cd>\(code)</Cd></CdOrPrtry></Tp><Amt Ccy="GBP">\(plain(cents.magnitude))</Amt>\
            <CdtDbtInd>\(cents < 0 ? "DBIT" : "CRDT")</CdtDbtInd><Dt><Dt>\(date)</Dt></Dt></Bal>
            """
        }
        let entries = transactions.enumerated().map { index, entry in
            """
            <Ntry><Amt Ccy="GBP">\(plain(entry.amount.magnitude))</Amt>\
            <CdtDbtInd>\(entry.amount < 0 ? "DBIT" : "CRDT")</CdtDbtInd><Sts>BOOK</Sts>\
            <BookgDt><Dt>\(day(entry.day))</Dt></BookgDt><ValDt><Dt>\(day(entry.day))</Dt></ValDt>\
            <AcctSvcrRef>\(account.id)-\(month)-\(index)</AcctSvcrRef>\
            <NtryDtls><TxDtls><RmtInf><Ustrd>\(marked(entry.text))</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>

            """
        }.joined()
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt>
            <GrpHdr><MsgId>\(month)</MsgId><CreDtTm>\(day(month.days))T23:00:00</CreDtTm></GrpHdr>
            <Stmt><Id>\(account.id)-\(month)</Id><ElctrncSeqNb>\(month.month)</ElctrncSeqNb>\
            <CreDtTm>\(day(month.days))T23:00:00</CreDtTm>
            <Acct><Id><IBAN>\(iban)</IBAN></Id><Ccy>GBP</Ccy></Acct>
            \(balance("OPBD", opening, day(1)))
            \(balance("CLBD", closing, day(month.days)))
            \(entries)</Stmt></BkToCstmrStmt></Document>

            """
    }

    fileprivate var mt940: String {
        func balance(_ cents: Int, _ day: Int) -> String {
            "\(cents < 0 ? "D" : "C")\(compactDay(day).dropFirst(2))GBP\(comma(cents.magnitude))"
        }
        var lines = [
            ":20:MERIDIAN", ":25:402071/\(account.number.filter(\.isNumber))", ":28C:\(month.month)/1",
            ":60F:\(balance(opening, 1))",
        ]
        for entry in transactions {
            let date = compactDay(entry.day).dropFirst(2)
            lines.append(
                ":61:\(date)\(date.suffix(4))\(entry.amount < 0 ? "D" : "C")\(comma(entry.amount.magnitude))NTRFNONREF")
            lines.append(":86:\(entry.text.replacing("&", with: "and"))")
        }
        lines.append(":62F:\(balance(closing, month.days))")
        return lines.joined(separator: "\r\n") + "\r\n-\r\n"
    }

    fileprivate var qif: String {
        "!Type:Bank\n"
            + transactions.map { "D\(day($0.day))\nT\(plain($0.amount))\nP\($0.text)\n^\n" }.joined()
    }

    fileprivate var html: String {
        """
        <!DOCTYPE html><html lang="en"><head><title>\(month.name)</title><script>track()</script></head><body>
        <h1>\(account.name), \(month.name)</h1><table>\(
            transactions.map { "<tr><td>\(day($0.day))</td><td>\(marked($0.text))</td><td>\(money($0.amount))</td></tr>" }
                .joined(separator: "\n"))</table></body></html>

        """
    }

    fileprivate var workbook: [UInt8] {
        let rows = transactions.enumerated().map { index, entry in
            """
            <row r="\(index + 1)"><c r="A\(index + 1)" t="inlineStr"><is><t>\(marked(entry.text))</t></is></c>\
            <c r="B\(index + 1)"><v>\(plain(entry.amount))</v></c></row>
            """
        }.joined()
        let head = #"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"# + "\n"
        let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
        let relations = "http://schemas.openxmlformats.org/package/2006/relationships"
        let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
        let types = "application/vnd.openxmlformats-officedocument.spreadsheetml"
        let parts = [
            (
                "[Content_Types].xml",
                """
                <Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" \
                ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override \
                PartName="/xl/workbook.xml" ContentType="\(types).sheet.main+xml"/><Override \
                PartName="/xl/worksheets/sheet1.xml" ContentType="\(types).worksheet+xml"/></Types>
                """
            ),
            (
                "_rels/.rels",
                """
                <Relationships xmlns="\(relations)"><Relationship Id="rId1" Type="\(office)/officeDocument" \
                Target="xl/workbook.xml"/></Relationships>
                """
            ),
            (
                "xl/workbook.xml",
                """
                <workbook xmlns="\(main)" xmlns:r="\(office)"><sheets><sheet name="Statement" sheetId="1" r:id="rId1"/>\
                </sheets></workbook>
                """
            ),
            (
                "xl/_rels/workbook.xml.rels",
                """
                <Relationships xmlns="\(relations)"><Relationship Id="rId1" Type="\(office)/worksheet" \
                Target="worksheets/sheet1.xml"/></Relationships>
                """
            ),
            ("xl/worksheets/sheet1.xml", #"<worksheet xmlns="\#(main)"><sheetData>\#(rows)</sheetData></worksheet>"#),
        ]
        return ZIPArchive.bytes(parts.map { ($0.0, Array((head + $0.1).utf8)) })
    }

    /// Formats cents as `-1234.56`.
    private func plain(_ cents: some BinaryInteger) -> String { money(Int(cents)).filter { $0 != "," } }

    private func comma(_ cents: UInt) -> String { plain(cents).replacing(".", with: ",") }

    private func marked(_ text: String) -> String { text.replacing("&", with: "&amp;") }
}
