import DefaultBank
import Encodings
import Foundation
import TestSupport
import Testing

extension UpCommandTests {
    @Test("takes settings that are changed while it runs, and keeps them", .timeLimit(.minutes(3)))
    func settings() async throws {
        let (program, events) = try await household.up()
        let set = try await household.run("config", "set", "BROKER_ARCHIVE_TEMPLATE={{ year }}/{{ period }} paper")
        #expect(set.status == 0 && set.output.contains("The broker that runs starts anew"), "\(set)")
        _ = try await household.events(of: program, until: "restarted")
        let asked = try await household.run("request", "2026-01", "--json")
        #expect(asked.status == 0, "\(asked)")
        let id = try #require(try JSONReader.read(asked.output)["request_id"]?.stringValue)
        try await approve(id, on: household, events)
        let filed = household.data.appending(path: "statements/2026/2026-01 paper.pdf")
        let end = ContinuousClock.now + .seconds(60)
        while !FileManager.default.fileExists(atPath: filed.path) {
            try #require(ContinuousClock.now < end, "the statement was not filed by the new template")
            try await Task.sleep(for: .milliseconds(100))
        }
        let listed = try await household.run("archive", "verify")
        #expect(listed.status == 0, "\(listed)")
        #expect(
            try await household.status() == (
                0, ["bank": true, "broker": true, "phone": true, "page": true, "inbox": true, "archive": true]
            ))
        let shell = ShellCompletion(environment: household.environment)
        #expect(try await shell.values(of: "agent", "receipt", "get", String(id.prefix(4))) == [id])
        #expect(try await shell.values(of: "request", "--bank", "def") == [MeridianSavings.bankID])
        try await onPage()
        program.signal(SIGTERM)
        #expect(try await program.status() == 0)
    }

    @Test("goes on with the broker that it has, where that does not start with what was set", .timeLimit(.minutes(3)))
    func unusable() async throws {
        let (program, _) = try await household.up()
        let inbox = household.data.appending(path: "inbox")
        let away = household.data.appending(path: "away")
        try FileManager.default.moveItem(at: inbox, to: away)
        #expect(try await household.run("config", "set", "BROKER_LANGUAGE=de").status == 0)
        let told = try await household.events(of: program, until: "warning")
        let words = try #require(told["warning"]?["message"]?.stringValue)
        #expect(words.contains("are not in use") && words.contains("Is its disk mounted"), "\(words)")
        try FileManager.default.moveItem(at: away, to: inbox)
        #expect(try await household.run("banks").status == 0, "the broker runs")
        #expect(try await household.run("config", "set", "BROKER_LANGUAGE=fr").status == 0)
        _ = try await household.events(of: program, until: "restarted")
        program.signal(SIGTERM)
        #expect(try await program.status() == 0)
    }

    /// Changes settings on the page, and hears what the broker refuses.
    private func onPage() async throws {
        let address = try await household.run("phone", "address").output.trimmingCharacters(in: .whitespacesAndNewlines)
        let owner = try await OwnerOnPage(["address": ["address": .string(address)]], household)
        let refused = try await owner.change(["program": "/nowhere/program"])
        #expect(refused.status == 409)
        #expect(
            refused.page.contains(
                "Nothing was changed. BROKER_ON_DOCUMENT is /nowhere/program, which is not the full path"),
            "\(refused.page)")
        let papers = household.home.appending(path: "Papers")
        for token in ["first-token-of-paperless", "other-token-of-paperless"] {
            let changed = try await owner.change([
                "statements": papers.path, "paperless": "http://127.0.0.1:9", "token": token,
            ])
            #expect(changed.status == 303, "\(changed.page)")
            let kept = try String(contentsOf: household.config, encoding: .utf8)
            #expect(kept.contains(token), "a backup has it")
        }
        let shown = try await household.run("config", "show")
        #expect(shown.output.contains(/PAPERLESS_URL +http:\/\/127\.0\.0\.1:9  \(countersign config\)/), "\(shown)")
        #expect(shown.output.contains(/BROKER_ARCHIVE_PATH +.*\/Papers/), "\(shown)")
        #expect(!shown.output.contains("token-of-paperless"))
        #expect(try await owner.change(["paperless": ""]).status == 303)
        #expect(try await !household.run("config", "show").output.contains("PAPERLESS"))
        await owner.leave()
    }
}
