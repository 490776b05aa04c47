import TestCases
import Testing

@testable import FileKinds

@Suite("Tables of spreadsheets")
struct SpreadsheetTextTests {
    /// A workbook whose sheet has dates as numbers, shared and inline texts, a gap in a row, and numbers of three decimals.
    ///
    /// - Parameter listed: the rows of further sheets as the workbook lists them, before the first one: with name and state.
    static func workbook(
        _ rows: String, sheets: Int = 1, is1904: Bool = false,
        listed: [(name: String, state: String, rows: String)] = []
    ) -> [UInt8] {
        let names = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
        var files: [(String, String)] = [
            ("[Content_Types].xml", "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"/>"),
            (
                "xl/workbook.xml",
                "<workbook xmlns=\"\(names)\"><workbookPr date1904=\"\(is1904 ? 1 : 0)\"/>\(list(listed))</workbook>"
            ),
            (
                "xl/sharedStrings.xml",
                "<sst xmlns=\"\(names)\"><si><t>Date</t></si><si><t>Amount</t></si><si><r><t>Te</t></r><r><t>xt</t></r></si><si><t>SHOP; \"A\"</t></si></sst>"
            ),
            (
                "xl/styles.xml",
                "<styleSheet xmlns=\"\(names)\"><numFmts><numFmt numFmtId=\"164\" formatCode=\"[Red]dd.mm.yyyy\"/><numFmt numFmtId=\"165\" formatCode=\"#,##0.00 &quot;USD&quot;\"/></numFmts><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/><xf numFmtId=\"164\"/><xf numFmtId=\"165\"/></cellXfs></styleSheet>"
            ),
        ]
        for number in 1...sheets {
            files.append(
                (
                    "xl/worksheets/sheet\(number).xml",
                    "<worksheet xmlns=\"\(names)\"><sheetData>\(number == 1 ? rows : "")</sheetData></worksheet>"
                ))
        }
        if !listed.isEmpty {
            let targets = listed.indices.map { "<Relationship Id=\"r\($0)\" Target=\"worksheets/other\($0).xml\"/>" }
            files.append(
                (
                    "xl/_rels/workbook.xml.rels",
                    "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\(targets.joined())<Relationship Id=\"last\" Target=\"/xl/worksheets/sheet1.xml\"/></Relationships>"
                ))
            for (number, sheet) in listed.enumerated() {
                files.append(
                    (
                        "xl/worksheets/other\(number).xml",
                        "<worksheet xmlns=\"\(names)\"><sheetData>\(sheet.rows)</sheetData></worksheet>"
                    ))
            }
        }
        return ZIPBuilder(files).bytes
    }

    private static func list(_ sheets: [(name: String, state: String, rows: String)]) -> String {
        guard !sheets.isEmpty else { return "" }
        let others = sheets.enumerated().map { number, sheet in
            "<sheet name=\"\(sheet.name)\" state=\"\(sheet.state)\" r:id=\"r\(number)\"/>"
        }
        return
            "<sheets xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\">\(others.joined())<sheet name=\"Data\" r:id=\"last\"/></sheets>"
    }

    @Test("are those of the first sheet that is shown and has the columns, whatever the parts are called")
    func sheets() throws {
        let hidden = Self.rows.replacing("-12.5", with: "-99")
        let summary = "<row r=\"1\"><c t=\"inlineStr\"><is><t>March</t></is></c><c><v>7</v></c></row>"
        let statement = try read(
            Self.workbook(
                Self.rows,
                listed: [("Old", "hidden", hidden), ("Sums", "visible", summary), ("Old 2", "veryHidden", hidden)]
            ))
        #expect(statement.transactions.map(\.amount) == [Amount("-12.5"), Amount("1.234")])
        #expect(statement.notes.contains { $0.contains("of 4 sheets only “Data” is read") }, "\(statement.notes)")
    }

    @Test("have each cell in its column, whatever the order of the cells, and hidden rows with a note")
    func orderOfCells() throws {
        let rows = """
            <row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c></row>
            <row r="2"><c r="C2" t="s"><v>3</v></c><c r="B2"><v>-12.5</v></c><c r="A2" s="1"><v>45717</v></c></row>
            <row r="3" hidden="1"><c r="A3" s="1"><v>45718</v></c><c r="C3" t="s"><v>3</v></c><c r="B3"><v>-7</v></c></row>
            """
        let statement = try read(Self.workbook(rows))
        #expect(statement.transactions.map(\.amount) == [Amount("-12.5"), Amount("-7")])
        #expect(statement.transactions.map(\.purpose) == ["SHOP; \"A\"", "SHOP; \"A\""])
        #expect(statement.notes.contains { $0.contains("hides") && $0.hasSuffix(": 1") }, "\(statement.notes)")
    }

    @Test("keep a quotation mark before a combining mark inside its cell")
    func combining() throws {
        let rows = Self.rows.replacing("<is><t>WORK</t></is>", with: "<is><t>x\"\u{301};-999.00;\"y</t></is>")
        let statement = try read(Self.workbook(rows))
        #expect(statement.transactions.map(\.amount) == [Amount("-12.5"), Amount("1.234")])
        #expect(statement.transactions.last?.purpose == "x\"\u{301};-999.00;\"y")
    }

    @Test("are refused where a cell is there twice")
    func repeated() {
        let rows = Self.rows.replacing(
            "<c r=\"B2\"><v>-12.5</v></c>", with: "<c r=\"B2\"><v>-12.5</v></c><c r=\"B2\"><v>-77</v></c>")
        #expect { try read(Self.workbook(rows)) } throws: { "\($0)".contains("“B2” twice") }
    }

    @Test("have the currency that a format writes beside the number, and numbers with an exponent")
    func formats() throws {
        let rows = Self.rows.replacing("<c r=\"B2\">", with: "<c r=\"B2\" s=\"3\">")
            .replacing("<v>1.234</v>", with: "<v>-1.2345E3</v>")
        var options = ReadingOptions()
        (options.columns, options.currency) = (try CSVColumns("booked=Date,amount=Amount"), "EUR")
        let statements = try TransactionFile.read(Self.workbook(rows), options: options)
        #expect(statements.map(\.currency) == ["USD", "EUR"])
        #expect(statements.flatMap { $0.transactions.map(\.amount.description) } == ["-12.50", "-1234.50"])
    }

    @Test("have no amount of 1 where a cell is true")
    func truth() {
        let rows = Self.rows.replacing("<c r=\"B2\"><v>-12.5</v>", with: "<c r=\"B2\" t=\"b\"><v>1</v>")
        #expect { try read(Self.workbook(rows)) } throws: { "\($0)".contains("TRUE") }
    }

    static let rows = """
        <row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="D1" t="s"><v>2</v></c></row>
        <row r="2"><c r="A2" s="1"><v>45747</v></c><c r="B2"><v>-12.5</v></c><c r="D2" t="s"><v>3</v></c></row>
        <row r="3"><c r="A3" s="2"><v>45748.5</v></c><c r="B3"><v>1.234</v></c><c r="D3" t="inlineStr"><is><t>WORK</t></is></c></row>
        """

    private func read(_ bytes: [UInt8]) throws -> Statement {
        var options = ReadingOptions()
        (options.columns, options.currency) = (try CSVColumns("booked=Date,amount=Amount,purpose=Text"), "EUR")
        return try #require(try TransactionFile.read(bytes, options: options).first)
    }

    @Test("are read by declared columns, and their columns are proposed")
    func table() throws {
        let bytes = Self.workbook(Self.rows)
        let statement = try read(bytes)
        #expect(statement.transactions.map(\.booked.description) == ["2025-03-31", "2025-04-01"])
        #expect(statement.transactions.map(\.amount) == [Amount("-12.5"), Amount("1.234")])
        #expect(statement.transactions.map(\.purpose) == ["SHOP; \"A\"", "WORK"])
        // The cell is a number, so its mark is known; the fraction is said.
        #expect(statement.notes.count == 1 && statement.notes[0].contains("such as 1.234"), "\(statement.notes)")
        #expect(try ProposedColumns(for: bytes).declaration == "booked=Date,amount=Amount,purpose=Text")
    }

    @Test("count days from 1904 where the workbook says so, and say which sheet is read")
    func variants() throws {
        let rows = Self.rows.replacing("45747", with: "44285").replacing("45748.5", with: "44286")
        let statement = try read(Self.workbook(rows, sheets: 2, is1904: true))
        #expect(statement.transactions.map(\.booked.description) == ["2025-03-31", "2025-04-01"])
        #expect(statement.notes.count { $0.contains("of 2 sheets only “sheet1” is read") } == 1, "\(statement.notes)")
    }

    @Test("are refused without columns, without a sheet, and with damage")
    func refused() throws {
        #expect { try TransactionFile.read(Self.workbook(Self.rows)) } throws: { "\($0)".contains("--columns") }
        #expect(throws: ReadingError.self) { try read(Self.workbook("<row>")) }
    }
}
