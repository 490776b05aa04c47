import TestCases
import Testing

@testable import FileKinds

@Suite("The text of a file for an index")
struct FileTextTests {
    @Test(
        "keeps to its limit, and ends with a whole character",
        arguments: [
            (.csv, "Date;Text\n1;ééé\n2;é\n"), (.qif, "!Type:Bank\nD2025-03-01\nT-1.00\nPCafé 🍰\n^\n"),
            (.mt940, ":20:é\n"), (.camt, "<Document><Ustrd>Café 🍰 &amp; é</Ustrd></Document>"),
            (.html, "<html><meta charset=utf-8><body>Café 🍰 é</body></html>"),
        ] as [(FileKind, String)])
    func limits(kind: FileKind, content: String) throws {
        let whole = try FileText.text(of: Array(content.utf8), kind)
        for limit in 0...whole.utf8.count {
            let text = try FileText.text(of: Array(content.utf8), kind, atMost: limit)
            #expect(text.utf8.count <= limit)
            // CAMT is decoded in part, so an entity at the limit may be cut.
            if kind != .camt { #expect(whole.utf8.starts(with: text.utf8)) }
            #expect(!text.unicodeScalars.contains("\u{FFFD}"))
        }
        #expect(whole.contains("é"))
    }

    @Test("of an archive and of a spreadsheet keeps to its limit")
    func packed() throws {
        #expect(try FileText.text(of: ZIPBuilder([("2025/märz.pdf", "x")]).bytes, .zip, atMost: 7) == "2025/m")
        #expect(try FileText.text(of: ZIPBuilder.workbook().bytes, .xlsx, atMost: 7) == "Premium")
    }
}
