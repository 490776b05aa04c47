import Foundation
import Testing

@testable import AssistantStore

@Suite("Store conformance: metrics") struct MetricConformanceTests {
    @Test("every series is there from the start, at 0", arguments: StoreKind.all)
    func zeros(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let lines = try await store.database.metrics.text().split(separator: "\n").map(String.init)

        for wanted in [
            "countersign_assistant_reminders_total{outcome=\"delivered\"} 0",
            "countersign_assistant_reminders_total{outcome=\"held\"} 0",
            "countersign_assistant_reminder_latency_seconds_bucket{le=\"60\"} 0",
            "countersign_assistant_reminder_latency_seconds_bucket{le=\"+Inf\"} 0",
            "countersign_assistant_reminder_latency_seconds_sum 0.0",
            "countersign_assistant_reminder_latency_seconds_count 0",
            "countersign_assistant_token_refreshes_total{outcome=\"success\"} 0",
            "countersign_assistant_urgent_alerts_total 0",
            "countersign_assistant_urgent_feedback_total{urgent=\"false\"} 0",
            "countersign_assistant_pushes_total{channel=\"apns\",outcome=\"accepted\"} 0",
            "countersign_assistant_pushes_total{channel=\"webpush\",outcome=\"gone\"} 0",
            "# TYPE countersign_assistant_reminder_latency_seconds histogram",
        ] { #expect(lines.contains(wanted), "\(wanted)") }
        #expect(Set(lines).count == lines.count, "no line twice")
    }

    @Test("what two processes count is one sum", arguments: StoreKind.all)
    func sums(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let other = try await AssistantDatabase.open(store.url)
        for metrics in [store.database.metrics, other.metrics] {
            metrics.count(.pushes(.apns, .accepted))
            metrics.count(.urgentAlerts)
            metrics.observe(.reminderLatency, .milliseconds(300))
        }
        other.metrics.observe(.reminderLatency, .seconds(45))
        other.metrics.observe(.reminderLatency, .seconds(5000))
        try await other.metrics.write()

        let text = try await store.database.metrics.text(prefix: "")
        for wanted in [
            "pushes_total{channel=\"apns\",outcome=\"accepted\"} 2\n", "urgent_alerts_total 2\n",
            "reminder_latency_seconds_bucket{le=\"0.25\"} 0\n", "reminder_latency_seconds_bucket{le=\"0.5\"} 2\n",
            "reminder_latency_seconds_bucket{le=\"30\"} 2\n", "reminder_latency_seconds_bucket{le=\"60\"} 3\n",
            "reminder_latency_seconds_bucket{le=\"900\"} 3\n", "reminder_latency_seconds_bucket{le=\"+Inf\"} 4\n",
            "reminder_latency_seconds_count 4\n", "reminder_latency_seconds_sum 5045.6\n",
        ] { #expect(text.contains(wanted), "\(wanted)") }
        await other.close()
    }

    @Test("counts of many tasks are all there, and closing writes them", arguments: StoreKind.all)
    func manyTasks(_ kind: StoreKind) async throws {
        let store = try await OpenedStore(kind)
        let other = try await AssistantDatabase.open(store.url)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    other.metrics.count(.reminders(number.isMultiple(of: 2) ? .held : .delivered))
                    if number.isMultiple(of: 50) { try? await other.metrics.write() }
                }
            }
        }
        await other.close()

        let amounts = try await store.database.metrics.amounts()
        #expect(amounts[AssistantMetric.reminders(.held).series] == 100)
        #expect(amounts[AssistantMetric.reminders(.delivered).series] == 100)
    }

    @Test("what cannot be written is kept and written later")
    func failure() async throws {
        let database = FailingOnce()
        let metrics = MetricStore(database)
        metrics.count(.urgentAlerts)
        await #expect(throws: AssistantStoreError.self) { try await metrics.write() }
        try await metrics.write()
        #expect(await database.writes == 1)
        try await metrics.write()
        #expect(await database.writes == 1, "there was nothing left to write")
    }
}

/// A database whose first transaction fails.
private actor FailingOnce: SQLDatabase {
    nonisolated let dialect = SQLDialect.sqlite
    private var hasFailed = false
    private(set) var writes = 0

    func transaction<Value: Sendable>(
        _ mode: SQLTransactionMode, _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        guard hasFailed else {
            hasFailed = true
            throw AssistantStoreError(.unavailable, "the connection broke")
        }
        writes += 1
        return try body(Accepting())
    }

    func eraseDeleted() async throws {}
    func close() async {}
}

private struct Accepting: SQLSession {
    let dialect = SQLDialect.sqlite
    func rows(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow] { [] }
    func change(_ sql: String, _ arguments: [SQLValue]) throws -> Int { 1 }
    func runScript(_ sql: String) throws {}
}
