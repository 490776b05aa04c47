import AssistantStore
import CurlClient
import Foundation
import TestSupport
import Testing

@testable import Assistant

@Suite("The assistant's metrics") struct MetricsAPITests {
    static func text(_ stage: AssistantStage, _ headers: [HTTPHeader] = []) async throws -> (Int, String, String) {
        let session = CurlSession()
        let answer = try await session.send(HTTPRequest("GET", stage.url + "/metrics", headers: headers))
        await session.close()
        return (answer.status, String(decoding: answer.body, as: UTF8.self), answer.header("content-type") ?? "")
    }

    @Test("are in Prometheus' text format, with the counts of every process", arguments: AssistantStage.Store.all)
    func shown(_ store: AssistantStage.Store) async throws {
        try await AssistantStage(store).run { stage in
            let (status, text, type) = try await Self.text(stage)
            #expect(status == 200 && type == "text/plain; version=0.0.4; charset=utf-8")
            let sample = /[a-z_]+(\{([a-z_]+="[^"]*",?)+\})? [0-9.e+-]+/
            let samples = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
            for line in samples { #expect(line.wholeMatch(of: sample) != nil, "\(line)") }
            #expect(samples.allSatisfy { $0.hasPrefix("countersign_assistant_") })
            #expect(samples.contains("countersign_assistant_urgent_alerts_total 0"))

            // Another process of the same assistant.
            let worker = try await stage.openDatabase()
            worker.metrics.count(.urgentAlerts)
            worker.metrics.observe(.reminderLatency, .seconds(2))
            await worker.close()
            let after = try await Self.text(stage).1
            #expect(after.contains("countersign_assistant_urgent_alerts_total 1\n"))
            #expect(after.contains("countersign_assistant_reminder_latency_seconds_bucket{le=\"2.5\"} 1\n"))
            #expect(after.contains("countersign_assistant_reminder_latency_seconds_bucket{le=\"1\"} 0\n"))
        }
    }

    @Test("tell how long a request to delete everything has waited")
    func deletions() async throws {
        let name = "countersign_assistant_privacy_request_age_seconds"
        try await AssistantStage().run { stage in
            #expect(try await Self.text(stage).1.contains("\(name) 0.0\n"))
            let database = try await stage.openDatabase()
            let user = try #require(
                UUID(uuidString: try SignInTests.claim("sub", of: try await stage.accessToken())))
            // The request of a user whose consent at Google cannot be ended, because nothing answers for the enclave.
            try await database.connectors.connect(
                UUID(), of: user, provider: "google", scopes: [], NewToken(sealed: [1], keyID: "mk", version: 1),
                recording: NewAuditEvent("CONNECTOR_CONNECTED"), at: stage.now)
            _ = try await database.privacy.accept(
                String(repeating: "0a", count: 16), of: user, at: stage.now.addingTimeInterval(-50_000))
            #expect(try await Self.text(stage).1.contains("\(name) 50000.0\n"))
            await database.close()
        }
    }

    @Test("are not shown through a proxy", arguments: ["X-Forwarded-For", "Forwarded"])
    func proxied(_ name: String) async throws {
        try await AssistantStage().run { stage in
            let (status, _, _) = try await Self.text(stage, [HTTPHeader(name, "192.0.2.1")])
            #expect(status == 404)
        }
    }
}
