import Encodings
import Foundation
import Messages
import Synchronization

/// The broker's counters, in Prometheus' text format (exposition format 0.0.4).
final class BrokerMetrics: Sendable {
    private struct Series: Hashable {
        let name: String
        let labels: [String]
    }

    private let counts = Mutex<[Series: Int]>([:])
    private let start = Date()

    private static let help: [(name: String, labels: [String], help: String)] = [
        ("countersign_http_responses_total", ["route", "method", "status"], "HTTP responses sent."),
        ("countersign_rate_limited_total", ["limit"], "HTTP requests refused by a rate limit."),
        ("countersign_deliveries_total", ["outcome"], "Deliveries found in the inbox."),
        ("countersign_channel_messages_total", ["channel", "outcome"], "Messages sent to the owner."),
    ]

    private static let methods: Set = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]

    func answered(_ route: String, _ method: String, _ status: Int) {
        // Clients can send any method. One series for all unknown ones keeps the number of series bounded.
        let known = Self.methods.contains(method) ? method : "other"
        count("countersign_http_responses_total", route, known, String(status))
    }

    func limited(_ limit: String) { count("countersign_rate_limited_total", limit) }
    func delivered(_ outcome: String) { count("countersign_deliveries_total", outcome) }
    func messaged(_ channel: String, _ outcome: String) {
        count("countersign_channel_messages_total", channel, outcome)
    }

    private func count(_ name: String, _ labels: String...) {
        counts.withLock { $0[Series(name: name, labels: labels), default: 0] += 1 }
    }

    /// - Parameter requests: the number of requests in each state.
    func text(requests: [RequestStatus: Int]) -> String {
        let counts = counts.withLock { $0 }
        var lines: [String] = []
        for family in Self.help {
            lines += ["# HELP \(family.name) \(family.help)", "# TYPE \(family.name) counter"]
            let series = counts.filter { $0.key.name == family.name }
            for (key, value) in series.sorted(by: { $0.key.labels.lexicographicallyPrecedes($1.key.labels) }) {
                let labels = zip(family.labels, key.labels).map { "\($0)=\"\(Self.escaped($1))\"" }
                lines.append("\(family.name){\(labels.joined(separator: ","))} \(value)")
            }
        }
        lines += ["# HELP countersign_requests Requests by state.", "# TYPE countersign_requests gauge"]
        for status in RequestStatus.allCases {
            lines.append("countersign_requests{status=\"\(status.rawValue)\"} \(requests[status] ?? 0)")
        }
        lines += [
            "# HELP process_start_time_seconds When the broker was started, in Unix time.",
            "# TYPE process_start_time_seconds gauge",
            "process_start_time_seconds \(start.timeIntervalSince1970)",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func escaped(_ value: String) -> String {
        value.escaping(["\\": "\\\\", "\"": "\\\"", "\n": "\\n"])
    }
}
