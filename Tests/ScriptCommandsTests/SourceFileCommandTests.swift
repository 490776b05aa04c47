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
