import Archive
import BankScript
import Clocks
import Encodings
import FileKinds
import Foundation
import Machine
import Messages
import TestSupport
import Testing

@testable import QuaysideExport

/// A kind that is plugged in counts in the whole process, so the tests that plug it in run in a process of their own.
@Suite("The example of a kind of files", .timeLimit(.minutes(3)))
struct QuaysideExportTests {
    static let export = """
        QUAYSIDE EXPORT 1
        A 40021907    GBP 2025-01-01 2025-01-31
        O       125000
        B 2025-01-05        -1299 COFFEE HOUSE
        B 2025-01-28       210000 MERIDIAN WORKS LTD
        C       333701      2

        """

    static let yaml = """
        bank: quayside
        name: Quayside Bank
        origins: [https://bank.example]
        steps:
          - open: /login
        for each period:
          - download: { open: "/{{ year }}-{{ month | pad }}", as: quayside }
        """

    @Test("reads an export to the cent")
    func reads() throws {
        let statements = try QuaysideExport.transactions(of: Array(Self.export.utf8))
        let statement = try #require(statements.first)
        #expect(statements.count == 1 && statement.account == "40021907" && statement.currency == "GBP")
        #expect(statement.from?.description == "2025-01-01" && statement.to?.description == "2025-01-31")
        #expect(statement.opening?.amount.description == "1250.00")
        #expect(statement.closing?.amount.description == "3337.01")
        let lines = statement.transactions.map { "\($0.booked) \($0.amount) \($0.counterparty)" }
        #expect(lines == ["2025-01-05 -12.99 COFFEE HOUSE", "2025-01-28 2100.00 MERIDIAN WORKS LTD"])
    }

    @Test(
        "refuses what is cut off or damaged, with the place",
        arguments: [
            ("C       333701      2\n", "", "does not end with all of its bookings"),
            ("      2\n", "      3\n", "does not end with all of its bookings"),
            ("B 2025-01-28       210000 MERIDIAN WORKS LTD\n", "", "does not end with all of its bookings"),
            ("O       125000\n", "", "begins without its account and balance"),
            ("-1299", "-12.9", "line 4: an amount is not a whole number"),
            ("2025-01-28", "2025-02-30", "line 5: a day is not of the form"), ("B 2025-01-05", "B", "line 4: a day"),
            ("EXPORT 1", "EXPORT 2", "not a Quayside export of version 1"),
        ])
    func damaged(_ part: String, _ other: String, _ words: String) {
        let error = #expect(throws: FileRefusal.self) {
            try QuaysideExport.check(Array(Self.export.replacing(part, with: other).utf8))
        }
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }

    @Test("keeps an export whose balances do not add up, with a note")
    func contradictory() throws {
        let export = Array(Self.export.replacing("333701", with: "333702").utf8)
        #expect(try QuaysideExport.check(export) == ["the bookings do not add up to the closing balance"])
        #expect(throws: FileRefusal.self) { try QuaysideExport.check(export + [0xFF]) }
    }

    @Test("is refused where it is not plugged in, with the kinds there are")
    func missing() throws {
        let error = #expect(throws: ScriptSyntaxError.self) {
            try BankScript(yaml: Self.yaml, file: "bank.yaml")
        }
        #expect(error?.message == "“quayside” is not a kind of document")
        #expect(error?.hint?.contains("the kinds are: pdf, csv") == true, "\(error?.hint ?? "")")
        let script = BankScript("quayside", named: "Quayside Bank", at: "https://bank.example") {
            Download("Export", as: .quayside)
        }
        let finding = ScriptLint.findings(in: script).first { ScriptLint.pluginRules.contains($0.rule) }
        #expect(finding?.severity == .error)
        #expect(
            finding?.message.contains("no kind of document “quayside” is plugged in; the kinds are: pdf, csv") == true)
        let plugged = PluggedNames(kinds: DocumentKind.standard + [.quayside])
        #expect(!ScriptLint.findings(in: script, plugged: plugged).contains { $0.rule == "unknown-kind" })
    }

    @Test("is known by its content, its name and its months where it is plugged in, and the others stay what they are")
    func plugged() async {
        await #expect(processExitsWith: .success) {
            FileKind.plug([QuaysideExport.kind])
            let bytes = Array(QuaysideExportTests.export.utf8)
            let kind = try #require(FileKind(rawValue: "quayside"))
            let checked = try FileCheck.check(bytes)
            #expect(checked.kind == kind && kind.mediaType == "application/vnd.quayside.export")
            #expect(try FileCheck.check(bytes, as: kind).notes.isEmpty)
            #expect(throws: FileRefusal.self) { try FileCheck.check(bytes, as: .pdf) }
            #expect(throws: FileRefusal.self) { try FileCheck.check(Array("%PDF-1.4".utf8), as: kind) }
            #expect(try FileText.text(of: bytes, kind).contains("COFFEE HOUSE"))
            let (january, february) = (try #require(MonthYear("2025-01")), try #require(MonthYear("2025-02")))
            #expect(checked.hasBookings(in: january) == true && checked.hasBookings(in: february) == false)
            let statements = try TransactionFile.read(bytes)
            #expect(statements.flatMap(\.transactions).map(\.id).allSatisfy { $0.hasPrefix("tx-") })
            let script = try BankScript(yaml: QuaysideExportTests.yaml, file: "bank.yaml")
            #expect(script.kinds == [.quayside])
            #expect(ScriptSchema.json.compactText().contains("quayside"))
            #expect(try FileCheck.check(Array("{\"a\": 1}".utf8)).kind == .json)
            #expect(FileKind.allCases.map(\.rawValue).suffix(3) == ["json", "quayside", "zip"])
        }
    }

    #if os(Linux)
        @Test(
            "is read in the confined process of a program that has it, and not in another's",
            .disabled(if: Sanitizer.isActive, "the confined process has too little room for a sanitizer"))
        func confined() async {
            await #expect(processExitsWith: .success) {
                FileKind.plug([QuaysideExport.kind])
                func files(_ program: String) -> ForeignFiles {
                    let command = [Repository.program(program).path, ConfinedReader.readingCommand, FileTask.name]
                    return ForeignFiles(ConfinedReader(for: FileTask.self, command: command))
                }
                let bytes = Array(QuaysideExportTests.export.utf8)
                let kind = try #require(FileKind(rawValue: "quayside"))
                let own = files("own-countersign")
                #expect(try own.check(bytes, as: kind).kind == kind)
                #expect(try own.text(of: bytes, kind).contains("COFFEE HOUSE"))
                let cut = #expect(throws: FileRefusal.self) { try own.check(Array(bytes.dropLast(9)), as: kind) }
                #expect(cut?.code == .damaged, "\(cut?.message ?? "")")
                #expect(throws: FileRefusal.self) { try files("countersign").check(bytes, as: kind) }
            }
        }
    #endif

    @Test("a program without it still lists what one with it filed")
    func archived() async {
        await #expect(processExitsWith: .success) {
            FileKind.plug([QuaysideExport.kind])
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let archive = try DocumentArchive(root: folder.url)
            defer { archive.close() }
            let outcome = try await archive.file(
                IncomingDocument(
                    .bytes(Array(QuaysideExportTests.export.utf8)), bank: "quayside", period: MonthYear("2025-01")))
            #expect(outcome.document.path.hasSuffix(".qsx"), "\(outcome.document.path)")
            FileKind.plug([])
            let documents = try await archive.documents(DocumentFilter())
            #expect(documents.map(\.kind.rawValue) == ["quayside"])
            #expect(documents.map(\.kind.mediaType) == ["application/octet-stream"])
            let filed = try #require(documents.first)
            let refusal = #expect(throws: FileRefusal.self) { try FileText.text(of: [], filed.kind) }
            #expect(refusal?.message.contains("no plug-in for files of the kind “quayside”") == true)
        }
    }
}
