import Foundation
import MockBank
import TestSupport
import Testing

@Suite("Scripts' commands with a bank's file that names a source")
struct SourceFileCommandTests {
    private static func file(at address: String) -> String {
        """
        bank: musterbank
        name: Musterbank
        source: fints
        at: \(address)
        bank code: "12345678"
        fetch: [pdf, camt, mt940]
        testing: true

        """
    }

    private static let credentials = #"{"username": "robin.ashdown", "password": "80413", "code": "271828"}"#

    @Test("lints, runs, and keeps the documents of several months")
    func runs() async throws {
        let server = try await FinTSBankServer.start()
        let files = ["bank.yaml": Self.file(at: server.url), "login.json": Self.credentials]
        try await TemporaryFolder.with(files) { folder in
            let lint = try await CountersignProcess(["script", "lint", "bank.yaml"], in: folder).run()
            #expect(lint.status == 0, "\(lint.all)")
            let run = try await CountersignProcess(
                [
                    "script", "run", "bank.yaml", "--credentials", "login.json", "--from", "2026-01", "--to", "2026-02",
                    "--kinds", "pdf,camt", "--output", ".",
                ], in: folder
            ).run()
            #expect(run.status == 0, "\(run.all)")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.count { $0.hasSuffix(".pdf") } == 2 && names.count { $0.hasSuffix(".xml") } == 2, "\(names)")
            let one = try await CountersignProcess(
                [
                    "script", "run", "bank.yaml", "--credentials", "login.json", "--param", "month=3", "--param",
                    "year=2026", "--dry-run",
                ], in: folder
            ).run()
            #expect(one.status == 0 && one.output.contains("Dry run"), "\(one.all)")
        }
        #expect(server.bank.record.breaches == [])
        await server.stop()
    }

    @Test("keeps what the bank gave in a file of the owner's alone, and the next run opens one dialog")
    func memory() async throws {
        let server = try await FinTSBankServer.start()
        let files = ["bank.yaml": Self.file(at: server.url), "login.json": Self.credentials]
        try await TemporaryFolder.with(files) { folder in
            func run(month: Int) async throws -> CountersignProcess.Outcome {
                try await CountersignProcess(
                    [
                        "script", "run", "bank.yaml", "--credentials", "login.json", "--param", "month=\(month)",
                        "--param",
                        "year=2026", "--memory", "memory.json",
                    ], in: folder
                ).run()
            }
            let memory = folder.appending(path: "memory.json")
            let first = try await run(month: 1)
            #expect(first.status == 0, "\(first.all)")
            let mode = try FileManager.default.attributesOfItem(atPath: memory.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let sent = server.bank.record.segments.count
            let second = try await run(month: 2)
            #expect(second.status == 0, "\(second.all)")
            #expect(server.bank.record.segments.dropFirst(sent).count { $0.contains("HKIDN") } == 1)
            #expect(!String(decoding: try Data(contentsOf: memory), as: UTF8.self).contains("80413"))
            // A file of another kind, and one that others can read, are left alone.
            for (content, mode, words) in [
                ("[]", 0o600, "is not a file that this command has written"), ("{}", 0o644, "chmod 600"),
                (#"{"musterbank": 7}"#, 0o600, "is not a file that this command has written"),
            ] {
                try Data(content.utf8).write(to: memory)
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: memory.path)
                let before = server.bank.record.messages
                let refused = try await run(month: 3)
                #expect(refused.status == 2 && refused.all.contains(words), "\(refused.all)")
                #expect(server.bank.record.messages == before)
                #expect(try Data(contentsOf: memory) == Data(content.utf8))
            }
        }
        #expect(server.bank.record.breaches == [])
        await server.stop()
    }

    @Test("a script with steps has nothing to keep")
    func memoryOfSteps() async throws {
        let script = Repository.file("BankScripts/DefaultBank/meridian-savings.yaml")
        try await TemporaryFolder.with(["login.json": Self.credentials]) { folder in
            let refused = try await CountersignProcess(
                [
                    "script", "run", script.path, "--credentials", "login.json", "--param", "month=1", "--param",
                    "year=2026",
                    "--memory", "memory.json",
                ], in: folder
            ).run()
            #expect(refused.status == 2 && refused.all.contains("this one has steps"), "\(refused.all)")
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "memory.json").path))
        }
    }

    @Test("a wrong PIN is sent once, and the report names neither PIN nor account")
    func wrongPIN() async throws {
        let server = try await FinTSBankServer.start()
        let files = [
            "bank.yaml": Self.file(at: server.url),
            "login.json": #"{"username": "robin.ashdown", "password": "98765", "code": "271828"}"#,
        ]
        try await TemporaryFolder.with(files) { folder in
            let run = try await CountersignProcess(
                [
                    "script", "run", "bank.yaml", "--credentials", "login.json", "--param", "month=1", "--param",
                    "year=2026", "--output", ".",
                ], in: folder
            ).run()
            #expect(run.status == 1 && run.all.contains("BANK_LOGIN_FAILED (wrong_credentials)"), "\(run.all)")
            #expect(!run.all.contains("98765"))
        }
        #expect(server.bank.record.withWrongPIN == 1)
        await server.stop()
    }
}
