import TestCases
import Testing

@testable import FileKinds

@Suite("Tables of spreadsheets")
struct SpreadsheetTextTests {
    /// A workbook whose sheet has dates as numbers, shared and inline texts, a gap in a row, and numbers of three decimals.
    static func workbook(_ rows: String, sheets: Int = 1, is1904: Bool = false) -> [UInt8] {
        let names = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
        var files: [(String, String)] = [
            ("[Content_Types].xml", "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"/>"),
            ("xl/workbook.xml", "<workbook xmlns=\"\(names)\"><workbookPr date1904=\"\(is1904 ? 1 : 0)\"/></workbook>"),
            (
                "xl/sharedStrings.xml",
                "<sst xmlns=\"\(names)\"><si><t>Date</t></si><si><t>Amount</t></si><si><r><t>Te</t></r><r><t>xt</t></r></si><si><t>SHOP; \"A\"</t></si></sst>"
            ),
            (
                "xl/styles.xml",
                "<styleSheet xmlns=\"\(names)\"><numFmts><numFmt numFmtId=\"164\" formatCode=\"[Red]dd.mm.yyyy\"/></numFmts><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/><xf numFmtId=\"164\"/></cellXfs></styleSheet>"
            ),
        ]
        for number in 1...sheets {
            files.append(
                (
                    "xl/worksheets/sheet\(number).xml",
                    "<worksheet xmlns=\"\(names)\"><sheetData>\(number == 1 ? rows : "")</sheetData></worksheet>"
                ))
        }
        return ZIPBuilder(files).bytes
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
        #expect(statement.notes.count { $0.contains("first of 2") } == 1, "\(statement.notes)")
    }

    @Test("are refused without columns, without a sheet, and with damage")
    func refused() throws {
        #expect { try TransactionFile.read(Self.workbook(Self.rows)) } throws: { "\($0)".contains("--columns") }
        #expect(throws: ReadingError.self) { try read(Self.workbook("<row>")) }
    }
}
