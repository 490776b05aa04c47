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
        program.signal(SIGTERM)
        #expect(try await program.status() == 0)
    }
}
