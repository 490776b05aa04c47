import Foundation
import TestSupport
import Testing

@Suite("countersign archive list, find, add, verify, rebuild, forget")
struct ArchiveCommandTests {
    /// An archive of two documents, and a folder beside it.
    private final class Stage: Sendable {
        let folder: TemporaryFolder
        var archive: String { folder.appending("archive").path }

        init() async throws {
            folder = try TemporaryFolder()
            try FileManager.default.createDirectory(atPath: archive, withIntermediateDirectories: true)
            try "Booked;Text\n2025-03-01;Insurance premium\n".write(
                to: folder.appending("march.csv"), atomically: true, encoding: .utf8)
            try "Booked;Text\n2025-04-01;Salary\n".write(
                to: folder.appending("april.csv"), atomically: true, encoding: .utf8)
            for (file, month) in [("march.csv", "2025-03"), ("april.csv", "2025-04")] {
                let outcome = try await run("add", "--bank", "meridian", "--account", "giro", "--month", month, file)
                #expect(outcome.status == 0)
                #expect(outcome.output == "filed meridian/giro/2025/\(month) csv.csv\n")
            }
        }

        func run(_ arguments: String...) async throws -> CountersignProcess.Outcome {
            try await CountersignProcess(
                ["archive"] + arguments, environment: ["BROKER_ARCHIVE_PATH": archive], in: folder.url
            ).run()
        }

        /// The id of the only document that `find` shows.
        func id(_ words: String) async throws -> String {
            String(try await run("find", words).output.split(separator: "\n")[1].prefix(10))
        }
    }

    @Test("list and find print tables that fit 80 columns, paths, or JSON")
    func list() async throws {
        let stage = try await Stage()
        let list = try await stage.run("list")
        #expect(list.status == 0)
        #expect(list.output.split(separator: "\n").count == 3)
        #expect(list.output.contains("2025-03  csv    meridian"))
        let paths = try await stage.run("list", "--paths", "--from", "2025-04").output
        #expect(paths == "\(stage.archive)/meridian/giro/2025/2025-04 csv.csv\n")
        let found = try await stage.run("find", "insur*", "premium")
        #expect(found.status == 0)
        #expect(found.output.contains("[Insurance] [premium]"))
        #expect((list.output + found.output).split(separator: "\n").allSatisfy { $0.count <= 80 })
        let json = try await stage.run("find", "salary", "--json").output
        #expect(json.contains("\"excerpt\":") && json.contains("\"period\":\"2025-04\""))
    }

    @Test("export says whether files of transactions are left out or none is there, with what helps")
    func nothingToExport() async throws {
        let stage = try await Stage()
        let unnamed = try await stage.run("export", "--bank", "meridian")
        #expect(unnamed.status == 1 && unnamed.errors.contains("--columns"))
        #expect(unnamed.errors.contains("nothing in the archive could be read; the reasons are above\n"))
        let none = try await stage.run("export", "--bank", "other")
        #expect(none.status == 1 && none.errors.contains("is in the archive; a PDF has none, so ask for another kind"))
    }

    @Test(
        "documents of several accounts that name none are exported by the archive's names; those of one keep their ids")
    func namelessAccounts() async throws {
        let folder = try TemporaryFolder()
        let archive = folder.appending("archive").path
        try FileManager.default.createDirectory(atPath: archive, withIntermediateDirectories: true)
        func run(_ arguments: [String]) async throws -> CountersignProcess.Outcome {
            try await CountersignProcess(
                ["archive"] + arguments, environment: ["BROKER_ARCHIVE_PATH": archive], in: folder.url
            ).run()
        }
        func export(_ arguments: String...) async throws -> CountersignProcess.Outcome {
            try await run(
                ["export"] + arguments
                    + ["--columns", "booked=Date,amount=Amount,balance=Balance", "--currency", "GBP"])
        }
        func file(_ account: String, _ bank: String, _ balance: String) async throws {
            let name = "\(bank)-\(account).csv"
            try "Date,Amount,Balance\n2025-03-01,-5.00,\(balance)\n".write(
                to: folder.appending(name), atomically: true, encoding: .utf8)
            let filed = try await run(
                ["add", "--bank", bank, "--account", account, "--kind", "csv", "--month", "2025-03", name])
            #expect(filed.status == 0, "\(filed)")
        }
        try await file("current", "star", "95.00")
        let one = try await export("--bank", "star", "--format", "beancount")
        #expect(one.status == 0 && one.output.contains("Assets:Bank:Unknown"), "\(one)")
        let ids = try await export("--bank", "star", "--format", "csv").output

        try await file("savings", "star", "1000.00")
        let two = try await export("--bank", "star", "--format", "beancount")
        #expect(two.status == 0 && !two.output.contains("Unknown"), "\(two)")
        #expect(two.output.contains("Assets:Bank:Current") && two.output.contains("Assets:Bank:Savings"), "\(two)")
        let written = try await export("--bank", "star", "--format", "csv")
        let numbers = written.output.matches(of: /tx-[0-9a-f]{40}/).map(\.0)
        #expect(Set(numbers).count == 2 && numbers.count { ids.contains($0) } == 1, "the first account keeps its ids")
        #expect(written.errors.contains("2 documents name no account; each has the name that the archive knows"))

        try await file("a later one", "star", "50.00")
        let later = try await export("--bank", "star", "--format", "csv").output.matches(of: /tx-[0-9a-f]{40}/).map(\.0)
        #expect(Set(later).count == 3 && Set(later).isSuperset(of: numbers), "a later account takes no id")

        try await file("current", "other", "7.00")
        let three = try await export("--format", "json")
        #expect(three.status == 0, "\(three)")
        for account in ["star current", "star savings", "other current"] {
            #expect(three.output.contains("\"\(account)\""), "\(three)")
        }
    }

    @Test(
        "export reads a month once that the archive has in two forms, and names the account by its number in each month"
    )
    func twoForms() async throws {
        let stage = try await Stage()
        let table = """
            :20:MARCH\r
            :25:12345678/0001234567\r
            :28C:3/1\r
            :60F:C250228GBP100,00\r
            :61:2503010301D5,00NTRFNONREF\r
            :86:Greengrocer\r
            :61:2503030303C20,00NTRFNONREF\r
            :86:Refund\r
            :62F:C250303GBP115,00\r
            -\r

            """
        func file(_ kind: String, _ month: String, _ text: String) async throws {
            let name = "\(month).\(kind)"
            try text.write(to: stage.folder.appending(name), atomically: true, encoding: .utf8)
            let filed = try await stage.run(
                "add", "--bank", "two", "--account", "giro", "--kind", kind, "--month", month, name)
            #expect(filed.status == 0, "\(filed)")
        }
        func export() async throws -> CountersignProcess.Outcome {
            try await stage.run(
                "export", "--bank", "two", "--format", "csv", "--columns", "booked=Date,purpose=Text,amount=Amount",
                "--currency", "GBP")
        }
        try await file("csv", "2025-04", "Date,Text,Amount\n2025-04-02,Rent,-40.00\n")
        try await file(
            "csv", "2025-03", "Date,Text,Amount\n2025-03-01,GREENGROCER 12,-5.00\n2025-03-03,A refund,20.00\n")
        try await file("mt940", "2025-03", table)
        let once = try await export()
        #expect(once.status == 0 && once.output.matches(of: /tx-[0-9a-f]{40}/).count == 3, "\(once)")
        #expect(once.output.ranges(of: "0001234567").count == 3, "\(once)")
        #expect(once.errors.contains("has the bookings of"), "\(once)")

        try await file("mt940", "2025-04", table.replacing("2503", with: "2504").replacing("250228", with: "250303"))
        let twice = try await export()
        #expect(twice.status == 3 && twice.errors.contains("are of one account and month"), "\(twice)")
    }

    @Test("find ends with 1 when nothing is found")
    func nothing() async throws {
        let stage = try await Stage()
        let outcome = try await stage.run("find", "mortgage")
        #expect(outcome.status == 1)
        #expect(outcome.output == "nothing found\n")
    }

    @Test("a refused file ends add with 1 and a sentence; the others are filed")
    func refused() async throws {
        let stage = try await Stage()
        try "<html><body>Sign in".write(to: stage.folder.appending("a.pdf"), atomically: true, encoding: .utf8)
        let outcome = try await stage.run("add", "--bank", "b", "--kind", "pdf", "a.pdf", "march.csv")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("a.pdf: the file is an HTML page, not a PDF"))
        #expect(outcome.output.contains("already in the archive: meridian/giro/2025/2025-03 csv.csv"))
    }

    @Test("verify names what is missing and extra and ends with 1; rebuild takes up what is extra")
    func verify() async throws {
        let stage = try await Stage()
        let clean = try await stage.run("verify")
        #expect(clean.status == 0)
        #expect(clean.output.contains("documents: 2"))
        let archive = URL(filePath: stage.archive)
        try FileManager.default.removeItem(at: archive.appending(path: "meridian/giro/2025/2025-03 csv.csv"))
        try "a;b\n1;2\n".write(to: archive.appending(path: "new.csv"), atomically: true, encoding: .utf8)
        let found = try await stage.run("verify")
        #expect(found.status == 1)
        #expect(found.output.contains("missing: meridian/giro/2025/2025-03 csv.csv"))
        #expect(found.output.contains("extra: new.csv"))
        #expect(try await stage.run("verify", "--json").output.contains("{\"difference\":\"extra\""))
        #expect(try await stage.run("rebuild").output == "added: 1, moved: 0\n")
        #expect(try await stage.run("verify").output.contains("extra") == false)
    }

    @Test("forget removes a document from the index, and with --delete-files its file")
    func forget() async throws {
        let stage = try await Stage()
        let id = try await stage.id("salary")
        #expect(try await stage.run("remove", "0000000000", id).status == 1)
        #expect(try await stage.run("find", "salary").status == 0)
        #expect(
            try await stage.run("remove", "--delete-files", id).output
                == "removed from the index: meridian/giro/2025/2025-04 csv.csv\n")
        #expect(try await stage.run("find", "salary").status == 1)
        #expect(try await stage.run("verify").status == 0)
    }

    @Test("export and gaps read the archive when no files are named")
    func export() async throws {
        let stage = try await Stage()
        for (month, opening, closing) in [(2, "100,", "98,"), (4, "50,", "48,")] {
            let text = """
                :20:A
                :25:37040044/0532013000
                :60F:C250\(month)01EUR\(opening)
                :61:250\(month)100\(month)10D2,NMSCNONREF
                :62F:C250\(month)28EUR\(closing)
                -

                """
            try text.write(to: stage.folder.appending("0\(month).sta"), atomically: true, encoding: .utf8)
            #expect(
                try await stage.run("add", "--bank", "meridian", "--month", "2025-0\(month)", "0\(month).sta").status
                    == 0)
        }
        let gaps = try await stage.run("gaps")
        #expect(gaps.status == 1)
        #expect(gaps.output.contains("March 2025 is missing"))
        let csv = try await stage.run("export", "--format", "csv", "--bank", "meridian")
        #expect(csv.output.split(whereSeparator: \.isNewline).count == 3)
        #expect(try await stage.run("export", "--bank", "other").status == 1)
    }

    @Test("without an archive, and with wrong words, the status is 2")
    func wrong() async throws {
        let folder = try TemporaryFolder()
        for arguments in [
            ["list"], ["gaps"], ["find", "x"], ["find"], ["add", "x"], ["list", "--from", "March"],
            ["list", "--kind", "doc"],
        ] {
            let outcome = try await CountersignProcess(["archive"] + arguments, in: folder.url).run()
            #expect(outcome.status == 2, "\(arguments): \(outcome.errors)")
        }
        let outcome = try await CountersignProcess(["archive", "list", "--archive", "/nonexistent"]).run()
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("/nonexistent is not there"))
    }
}
