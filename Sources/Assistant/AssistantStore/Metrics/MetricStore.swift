import Clocks
import Foundation
import Synchronization

/// The table of metrics: a sum for each series. It says nothing of any user.
enum MetricSchema {
    static let sql = """
        CREATE TABLE metrics (
            series TEXT PRIMARY KEY NOT NULL,
            amount BIGINT NOT NULL
        );
        """
}

/// The sums of what all processes of one assistant count, so that the API can show them whichever process counted.
///
/// Counting waits for nothing: sums are collected in memory and written together, a second after the first. A process that
/// is killed loses what it counted in that second.
package final class MetricStore: Sendable {
    private static let pause: Duration = .seconds(1)

    private struct Pending {
        var amounts: [String: Int] = [:]
        var isWriteDue = false
        var isClosed = false
    }

    private let database: any SQLDatabase
    private let pending = Mutex(Pending())

    init(_ database: any SQLDatabase) {
        self.database = database
    }

    /// Counts one event.
    package func count(_ metric: AssistantMetric) { add([metric.series: 1]) }

    /// Counts a measured time.
    package func observe(_ histogram: AssistantHistogram, _ time: Duration) {
        let seconds = Swift.max(0, time.seconds)
        var amounts = [histogram.count: 1, histogram.sum: Int((seconds * 1_000_000).rounded())]
        // Cumulative, as Prometheus has them: each bucket counts all times up to its bound.
        for bucket in histogram.buckets where seconds <= bucket.bound { amounts[bucket.series] = 1 }
        add(amounts)
    }

    private func add(_ amounts: [String: Int]) {
        let isFirst = pending.withLock { pending in
            pending.amounts.merge(amounts, uniquingKeysWith: +)
            guard !pending.isWriteDue, !pending.isClosed else { return false }
            pending.isWriteDue = true
            return true
        }
        guard isFirst else { return }
        Task.detached { [self] in
            try? await Task.sleep(for: Self.pause)
            pending.withLock { $0.isWriteDue = false }
            // What cannot be written now is written with the next count.
            try? await write()
        }
    }

    /// Writes what was counted in this process.
    ///
    /// - Throws: ``AssistantStoreError``. Nothing is forgotten then.
    package func write() async throws {
        let amounts = pending.withLock { pending in
            defer { pending.amounts = [:] }
            return pending.amounts
        }
        guard !amounts.isEmpty else { return }
        do {
            try await database.transaction(.writing) { session in
                // In one order, so that two processes that write at once wait for each other and do not lock up.
                for (series, amount) in amounts.sorted(by: { $0.key < $1.key }) {
                    _ = try session.change(
                        """
                        INSERT INTO metrics (series, amount) VALUES ($1, $2)
                        ON CONFLICT (series) DO UPDATE SET amount = metrics.amount + excluded.amount
                        """, [.text(series), .integer(amount)])
                }
            }
        } catch {
            pending.withLock { $0.amounts.merge(amounts, uniquingKeysWith: +) }
            throw error
        }
    }

    /// Returns every series' sum, of all processes.
    func amounts() async throws -> [String: Int] {
        try await write()
        return try await database.transaction(.reading) { session in
            let rows = try session.rows("SELECT series, amount FROM metrics", [])
            return try Dictionary(
                rows.map { (try $0.text("series"), try $0.integer("amount")) }, uniquingKeysWith: { $1 })
        }
    }

    /// Returns the text for Prometheus (exposition format 0.0.4). Each series is there, also one that was never counted.
    package func text(prefix: String = "countersign_assistant_") async throws -> String {
        let amounts = try await amounts()
        var lines: [String] = []
        var described: Set<String> = []
        func describe(_ name: String, _ type: String, _ help: String) {
            guard described.insert(name).inserted else { return }
            lines += ["# HELP \(prefix)\(name) \(help)", "# TYPE \(prefix)\(name) \(type)"]
        }
        for metric in AssistantMetric.all {
            describe(metric.name, "counter", metric.help)
            lines.append("\(prefix)\(metric.series) \(amounts[metric.series] ?? 0)")
        }
        for histogram in AssistantHistogram.all {
            describe(histogram.name, "histogram", histogram.help)
            for bucket in histogram.buckets { lines.append("\(prefix)\(bucket.series) \(amounts[bucket.series] ?? 0)") }
            lines.append("\(prefix)\(histogram.sum) \(Double(amounts[histogram.sum] ?? 0) / 1_000_000)")
            lines.append("\(prefix)\(histogram.count) \(amounts[histogram.count] ?? 0)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Writes what was counted; nothing more is written by itself.
    func close() async {
        pending.withLock { $0.isClosed = true }
        try? await write()
    }
}
