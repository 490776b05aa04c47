/// A format in which the bank offers a month's transactions.
enum DocumentFormat: String, CaseIterable {
    case pdf, csv, ofx, camt, mt940, qif, xlsx, html, zip

    /// The text of its link.
    var label: String {
        switch self {
        case .camt: "CAMT.053"
        case .html: "Page"
        case .zip: "Everything"
        default: rawValue.uppercased()
        }
    }

    var mediaType: String {
        switch self {
        case .pdf: "application/pdf"
        // Banks often give a wrong or a vague type.
        case .csv: "application/octet-stream"
        case .ofx: "application/x-ofx"
        case .camt: "application/xml"
        case .mt940, .qif: "text/plain"
        case .xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
        case .html: "text/html; charset=utf-8"
        case .zip: "application/zip"
        }
    }

    var fileEnding: String {
        switch self {
        case .camt: "xml"
        case .mt940: "sta"
        default: rawValue
        }
    }
}

extension Statement {
    /// Returns the file in a format.
    func file(_ format: DocumentFormat) -> [UInt8] {
        switch format {
        case .pdf: pdf()
        case .csv: Array(csv.utf8)
        case .ofx: Array(ofx.utf8)
        case .camt: Array(camt.utf8)
        case .mt940: Array(mt940.utf8)
        case .qif: Array(qif.utf8)
        case .html: Array(html.utf8)
        case .xlsx: workbook
        case .zip:
            ZIPArchive.bytes(
                [DocumentFormat.pdf, .camt, .csv].map { (fileStem + "." + $0.fileEnding, file($0)) })
        }
    }

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

    private var csv: String {
        "Date;Text;Amount;Balance\r\n"
            + transactions.map { entry in
                "\(day(entry.day));\"\(entry.text)\";\(plain(entry.amount));\(plain(entry.balance))\r\n"
            }.joined()
    }

    private var ofx: String {
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

    private var camt: String {
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

    private var mt940: String {
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

    private var qif: String {
        "!Type:Bank\n"
            + transactions.map { "D\(day($0.day))\nT\(plain($0.amount))\nP\($0.text)\n^\n" }.joined()
    }

    private var html: String {
        """
        <!DOCTYPE html><html lang="en"><head><title>\(month.name)</title><script>track()</script></head><body>
        <h1>\(account.name), \(month.name)</h1><table>\(
            transactions.map { "<tr><td>\(day($0.day))</td><td>\(marked($0.text))</td><td>\(money($0.amount))</td></tr>" }
                .joined(separator: "\n"))</table></body></html>

        """
    }

    private var workbook: [UInt8] {
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
