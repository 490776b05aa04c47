import Clocks
import TestCases
import Testing

@testable import FileKinds

@Suite("Documents in archives")
struct PackedDocumentsTests {
    private static let archive = ZIPBuilder([
        ("2025/Statement 2025-01.pdf", GoodFile.pdf), ("2025/Statement 2025-11.pdf", GoodFile.pdf),
        ("2025/", ""), ("März.csv", GoodFile.csv), ("notes.txt", "read me"),
    ])

    @Test(
        "names are found by a part of them; digits that go on do not count",
        arguments: [
            ("2025-01", ["2025/Statement 2025-01.pdf"]), ("statement 2025-11", ["2025/Statement 2025-11.pdf"]),
            ("2025-1", []), ("025-01", []), ("01", ["2025/Statement 2025-01.pdf"]), ("MÄRZ", ["März.csv"]), ("", []),
            ("2025/", ["2025/Statement 2025-01.pdf", "2025/Statement 2025-11.pdf"]),
        ])
    func names(text: String, found: [String]) throws {
        #expect(try PackedDocuments(Self.archive.bytes).names(containing: text) == found)
    }

    @Test("a document is unpacked by its name, and a file that is not a document is refused alone")
    func documents() throws {
        let archive = try PackedDocuments(Self.archive.bytes)
        #expect(archive.names.count == 4)
        #expect(try archive.document(named: "2025/Statement 2025-01.pdf").bytes == Array(GoodFile.pdf.utf8))
        #expect(throws: FileRefusal.self) { try archive.document(named: "notes.txt") }
        #expect(throws: FileRefusal.self) { try archive.document(named: "not there") }
    }

    @Test("an archive inside an archive is refused, and so is a PDF that should be an archive")
    func nested() throws {
        let inner = ZIPBuilder([("a.csv", GoodFile.csv)]).bytes
        let outer = try PackedDocuments(ZIPBuilder([ZIPBuilder.Entry("a.zip", inner)]).bytes)
        let refusal = #expect(throws: FileRefusal.self) { try outer.document(named: "a.zip") }
        #expect(refusal?.message == "the archive holds another archive, a.zip; get its files one by one")
        #expect(throws: FileRefusal.self) { try PackedDocuments(Array(GoodFile.pdf.utf8)) }
    }

    @Test(
        "a file is of the month in which it has bookings",
        arguments: [
            (FileKind.camt, GoodFile.camt, "2025-03", true), (.camt, GoodFile.camt, "2025-02", false),
            (.ofx, GoodFile.ofx1, "2025-03", true), (.mt940, GoodFile.mt940, "2025-03", false),
            (.mt940, GoodFile.mt940, "2025-02", true), (.pdf, GoodFile.pdf, "2025-03", nil),
            (.csv, GoodFile.csv, "2025-03", nil), (.qif, GoodFile.qif, "2025-03", nil),
        ] as [(FileKind, String, String, Bool?)])
    func month(kind: FileKind, text: String, month: String, isOf: Bool?) throws {
        let file = try FileCheck.check(Array(text.utf8), as: kind)
        #expect(file.hasBookings(in: try #require(MonthYear(month))) == isOf)
    }
}
