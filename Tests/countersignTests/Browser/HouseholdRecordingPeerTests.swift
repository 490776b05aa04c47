import Foundation
import TestSupport
import Testing

/// From a machine with nothing to the first document, with the official client of the Model Context Protocol. It prints each
/// step with its time.
@Suite("The first document of a household, recorded", .serialized)
struct HouseholdRecordingPeerTests {
    @Test(
        "the official client asks, Chromium approves with a passkey, and both read the same document", .needsPeers,
        .needsChromedriver, .timeLimit(.minutes(4)))
    func recorded() async throws {
        try await HouseholdRoad.with { road in
            let home = try FileManager.default.contentsOfDirectory(atPath: road.household.home.path)
            #expect(home.isEmpty, "a machine with nothing")
            road.note("$ countersign up --bank mock")
            let (_, events) = try await road.household.up()
            for event in ["configured", "bank", "broker", "paired", "ready"] {
                road.note(try #require(events[event]?["message"]?.stringValue))
            }
            try await road.open(events)
            try await road.addPasskey(events)

            let python = try #require(Peers.python)
            let client = try Program(
                ["1", "2026"], environment: road.household.environment,
                through: [python.path, Peers.script("mcp_request.py").path])
            let id = try await Self.word(after: "request", of: client)
            road.note("MCP client: request_statement(month: 1, year: 2026) → request \(id.prefix(8))")
            try await road.driver.wait(for: "January 2026")
            road.note("the page: January 2026, without a reload")
            try await road.driver.click("[data-passkey=approve]")
            road.note("approved with the passkey")
            try await road.answer()
            let digest = try await road.openDocument()
            #expect(try await road.acceptedDigest(of: id) == digest)
            #expect(try await Self.word(after: "read", of: client) == digest)
            road.note("MCP client: read the same document")
            #expect(try await client.status() == 0, "\(client.errors)")

            let removed = try await road.household.run("up", "--remove", "--yes")
            #expect(removed.status == 0, "\(removed)")
            road.note("$ countersign up --remove --yes")
            #expect(!FileManager.default.fileExists(atPath: road.household.config.path))
            #expect(!FileManager.default.fileExists(atPath: road.household.passphraseFile.path))
        }
    }

    /// Waits for the line of a client that begins with a word, and returns the next word.
    private static func word(after name: String, of client: Program) async throws -> String {
        let end = ContinuousClock.now + .seconds(60)
        while true {
            let line = client.printed.split(separator: "\n").first { $0.hasPrefix(name + " ") }
            if let line { return String(line.dropFirst(name.count + 1)) }
            try #require(ContinuousClock.now < end, "\(client.printed)\(client.errors)")
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
