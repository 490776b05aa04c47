import Foundation
import TestSupport
import Testing

@testable import HouseholdCommands

@Suite("countersign report")
struct ReportTests {
    @Test(
        "what strangers should not see is replaced",
        arguments: [
            ("mail robin@example.org now", "mail [e-mail] now"),
            ("GET https://bank.example/login?x=1", "GET https://[host]/login?x=1"),
            ("GET http://127.0.0.1:8765/healthz", "GET http://127.0.0.1:8765/healthz"),
            ("from 192.168.1.20", "from [address]"),
            ("account DE02 1203 0000 0000 2020 51 is closed", "account [account] is closed"),
            ("account DE02120300000000202051", "account [account]"),
            ("code 805317 was wrong", "code [number] was wrong"),
            ("request 3f2a9c1e-7b64-4f0e-9a51-0d2c8e6b7f10 ended", "request [id] ended"),
            ("Bearer 9f86d081884c7d659a2feaa0c55ad015", "Bearer [token]"),
            ("token hunter22 and /home/robin/inbox", "token [secret] and ~/inbox"),
            ("robin on kitchen", "[user] on [machine]"),
            ("BROKER_REQUESTS_PER_SECOND=200", "BROKER_REQUESTS_PER_SECOND=200"),
            ("CERTIFICATE_UNREADABLE in 2026-01", "CERTIFICATE_UNREADABLE in 2026-01"),
        ])
    func anonymising(text: String, expected: String) {
        let anonymising = Anonymising(secrets: ["hunter22"], home: "/home/robin", user: "robin", machine: "kitchen")
        #expect(anonymising(text) == expected)
    }

    @Test("the report is shown first, and written only with consent, for its owner alone")
    func written() async throws {
        let setup = try BrokenSetup()
        let token = try #require(setup.environment["BROKER_API_TOKEN"])
        let file = setup.folder.appending("report.md")
        let shown = try await CountersignProcess(["report", file.path], environment: setup.environment).run()
        #expect(shown.status == 2 && shown.errors.contains("nothing was written"))
        #expect(!FileManager.default.fileExists(atPath: file.path))
        let written = try await CountersignProcess(["report", "--yes", file.path], environment: setup.environment).run()
        #expect(written.status == 0, "\(written)")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(written.output.hasPrefix(text))
        #expect(text.contains("error BROKER_NOT_RUNNING"))
        #expect(text.contains("BROKER_API_TOKEN=••••••••") && text.contains("ICLOUD_INBOX_PATH=~/inbox"))
        #expect(!text.contains(token) && !text.contains(setup.folder.url.path))
        var status = stat()
        #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let again = try await CountersignProcess(["report", "--yes", file.path], environment: setup.environment).run()
        #expect(again.status == 1 && again.errors.contains("exists already"))
    }

    @Test("the ends of the household's logs are in it, without what looks like a secret")
    func logs() async throws {
        let setup = try BrokenSetup()
        try FileManager.default.createDirectory(
            at: setup.folder.appending("logs"), withIntermediateDirectories: false)
        try setup.write("logs/broker.log", "first\nsecond 9f86d081884c7d659a2feaa0c55ad015\nthird\n")
        let environment = setup.environment.merging([
            "COUNTERSIGN_CONFIG": setup.folder.appending("config.json").path
        ]) { $1 }
        let outcome = try await CountersignProcess(["report", "--lines", "2", "x.md"], environment: environment).run()
        #expect(outcome.output.contains("## The end of broker.log\n\nsecond [token]\nthird"), "\(outcome)")
        #expect(!outcome.output.contains("first"))
    }
}
