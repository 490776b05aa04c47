import Foundation
import TestCases
import TestSupport
import Testing

@testable import BrokerCommands

@Suite("countersign archive export and gaps over files")
struct StatementCommandTests {
    private func message(_ month: Int, opening: String, closing: String) -> String {
        """
        :20:A
        :25:37040044/0532013000
        :60F:C250\(month)01EUR\(opening)
        :61:250\(month)100\(month)10D2,NMSCNONREF
        :62F:C250\(month)28EUR\(closing)
        -

        """
    }

    private func withFiles<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "archive-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (month, opening, closing) in [(2, "100,", "98,"), (4, "50,", "48,")] {
            try message(month, opening: opening, closing: closing)
                .write(to: folder.appending(path: "0\(month).sta"), atomically: true, encoding: .utf8)
        }
        return try await body(folder)
    }

    @Test("export writes each transaction once, and reports gaps beside it")
    func export() async throws {
        try await withFiles { folder in
            let twice = [folder.path, folder.appending(path: "02.sta").path]
            let outcome = try await CountersignProcess(["archive", "export", "--format", "csv"] + twice).run()
            #expect(outcome.status == 0)
            #expect(outcome.output.split(whereSeparator: \.isNewline).count == 3)
            #expect(outcome.errors.contains("March 2025 is missing"))
        }
    }

    @Test("export writes no file over another, and one that only its owner reads")
    func output() async throws {
        try await withFiles { folder in
            let place = folder.appending(path: "out.ofx").path
            let arguments = ["archive", "export", "--format", "ofx", "--output", place, folder.path]
            #expect(try await CountersignProcess(arguments).run().status == 0)
            let attributes = try FileManager.default.attributesOfItem(atPath: place)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            #expect(try await CountersignProcess(arguments).run().status == 1)
        }
    }

    @Test("gaps ends with 1 where a month is missing, and 0 where none is")
    func gaps() async throws {
        try await withFiles { folder in
            let both = try await CountersignProcess(["archive", "gaps", "--json", folder.path]).run()
            #expect(both.status == 1)
            #expect(both.output.contains("\"difference\":\"-48.00\""))
            let one = try await CountersignProcess(["archive", "gaps", folder.appending(path: "02.sta").path]).run()
            #expect(one.status == 0)
            #expect(one.output == "no gaps; accounts: 1, transactions: 1\n")
        }
    }

    @Test("export ends with 3 and the rest when bookings are left out as asked, and with 1 and their line when not")
    func unreadable() async throws {
        try await withFiles { folder in
            let file = folder.appending(path: "a.csv")
            try "Date;Amount;Text\n2025-03-03;-2.50;A\n2025-03-04;x;B\n".write(
                to: file, atomically: true, encoding: .utf8)
            let arguments = [
                "archive", "export", "--format", "csv", "--currency", "EUR", "--columns", "booked=Date,amount=Amount",
                file.path,
            ]
            let refused = try await CountersignProcess(arguments).run()
            #expect(refused.status == 1)
            #expect(refused.errors.contains("line 3") && refused.errors.contains("--skip-unreadable"))
            let rest = try await CountersignProcess(arguments + ["--skip-unreadable"]).run()
            #expect(rest.status == 3)
            #expect(rest.output.split(whereSeparator: \.isNewline).count == 2)
            #expect(rest.errors.contains("line 3"))
        }
    }

    @Test("export reads a ZIP archive's files, and names those that it leaves out")
    func zip() async throws {
        try await withFiles { folder in
            let text = try String(contentsOf: folder.appending(path: "02.sta"), encoding: .utf8)
            let file = folder.appending(path: "a.zip")
            try Data(ZIPBuilder([("02.sta", text), ("readme.txt", "Hello")]).bytes).write(to: file)
            let outcome = try await CountersignProcess(["archive", "export", "--format", "csv", file.path]).run()
            #expect(outcome.status == 0)
            #expect(outcome.output.split(whereSeparator: \.isNewline).count == 2)
            #expect(outcome.errors.contains("a.zip/readme.txt is left out"))
            // What is inside it is missing.
            let inner = ZIPBuilder([("04.sta", text)]).bytes
            try Data(ZIPBuilder([.init("02.sta", Array(text.utf8)), .init("b.zip", inner)]).bytes).write(to: file)
            let nested = try await CountersignProcess(["archive", "export", "--format", "csv", file.path]).run()
            #expect(nested.status == 3)
            #expect(nested.errors.contains("a.zip/b.zip is left out: it is a ZIP archive"), "\(nested.errors)")
        }
    }

    @Test("a wrong command line ends with 2, and a file that cannot be read with 1")
    func refused() async throws {
        try await withFiles { folder in
            for arguments in [
                ["--columns", "x"], ["--currency", "euro"], ["--from", "March"], ["--decimal-mark", "x"],
                ["--encoding", "x"],
            ] {
                let outcome = try await CountersignProcess(["archive", "gaps", folder.path] + arguments).run()
                #expect(outcome.status == 2, "\(arguments)")
            }
            let file = folder.appending(path: "a.pdf")
            try "%PDF-1.7".write(to: file, atomically: true, encoding: .utf8)
            let outcome = try await CountersignProcess(["archive", "export", file.path]).run()
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("a.pdf: the file is a PDF"))
        }
    }

    @Test("transactions writes JSON into a pipe, and checks alone when asked to")
    func transactions() async throws {
        try await withFiles { folder in
            let file = folder.appending(path: "02.sta")
            let json = try await CountersignProcess(["transactions", file.path]).run()
            #expect(json.status == 0 && json.output.hasPrefix("{\"accounts\":"), "\(json.output)")
            let whole = try await CountersignProcess(["transactions", "--check", file.path]).run()
            #expect(whole.status == 0 && whole.output.isEmpty && whole.errors.isEmpty, "\(whole.errors)")
            let gap = try await CountersignProcess(["transactions", "--check", folder.path]).run()
            #expect(gap.status == 1 && gap.output.isEmpty && gap.errors.contains("March 2025 is missing"))
            let typed = try await CountersignProcess(
                ["transactions", "--format", "csv", "-"], typed: try String(contentsOf: file, encoding: .utf8)
            ).run()
            #expect(typed.status == 0 && typed.output.contains("-2.00"), "\(typed.errors)")
            let both = try await CountersignProcess(["transactions", "--check", "--json", file.path]).run()
            #expect(both.status == 2 && both.errors.contains("--check"), "\(both.errors)")
            let two = try await CountersignProcess(["transactions", "--json", "--format", "csv", file.path]).run()
            #expect(two.status == 2 && two.errors.contains("leave out one of"), "\(two.errors)")
        }
    }

    @Test("columns proposes a declaration, and a profile stands for one")
    func columns() async throws {
        try await withFiles { folder in
            let file = folder.appending(path: "bank.csv")
            try "Datum;Bedrag;Rekening;Tegenrekening;Naam;Omschrijving\n2018-03-01;-2,56;NL1;NL2;bunq;invoice\n"
                .write(to: file, atomically: true, encoding: .utf8)
            let proposed = try await CountersignProcess(["archive", "columns", file.path]).run()
            #expect(proposed.output.contains("booked=Datum,amount=Bedrag"), "\(proposed.output)")
            #expect(proposed.status == 0 && proposed.errors.contains("--currency"), "\(proposed.errors)")
            let read = try await CountersignProcess([
                "transactions", "--profile", "bunq-nl", "--format", "csv", file.path,
            ])
            .run()
            #expect(read.status == 0 && read.output.contains("-2.56"), "\(read.errors)")
            let unknown = try await CountersignProcess(["transactions", "--profile", "none", file.path]).run()
            #expect(unknown.status == 2 && unknown.errors.contains("ing-nl"), "\(unknown.errors)")
        }
    }

    @Test("OFX has the accounts with a balance, and the status says that another is missing")
    func partialOFX() async throws {
        try await withFiles { folder in
            let file = folder.appending(path: "02.sta")
            let open = ":20:A\n:25:DE89370400440532013000\n:60F:C250201EUR100,\n:61:250210D2,NMSC\n-\n"
            try (open + message(2, opening: "100,", closing: "98,")).write(to: file, atomically: true, encoding: .utf8)
            for command in [["transactions"], ["archive", "export"]] {
                let ofx = try await CountersignProcess(command + ["--format", "ofx", file.path]).run()
                #expect(ofx.status == 3 && ofx.output.contains("<TRNAMT>-2.00"), "\(ofx.errors)")
                #expect(ofx.errors.contains("ends with 3000, in EUR, is left out of the OFX file"), "\(ofx.errors)")
                let json = try await CountersignProcess(command + ["--json", file.path]).run()
                #expect(json.status == 0, "\(json.errors)")
            }
        }
    }

    @Test("columns says what to do with a file that has none, and a year to come is said")
    func oddFiles() async throws {
        try await withFiles { folder in
            let picture = folder.appending(path: "statement.png")
            try Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]).write(to: picture)
            let refused = try await CountersignProcess(["archive", "columns", picture.path]).run()
            #expect(refused.status == 1 && refused.errors.contains("ask the bank for CSV"), "\(refused.errors)")
            let late = folder.appending(path: "late.qif")
            try "!Type:Bank\nD13/03/2162\nT1\n^\n".write(to: late, atomically: true, encoding: .utf8)
            let said = try await CountersignProcess(["transactions", "--currency", "EUR", late.path]).run()
            #expect(said.status == 0 && said.errors.contains("after today, such as 2162-03-13"), "\(said.errors)")
        }
    }
}
