import Foundation
import Measuring

/// Measures the cost of the broker's guarantees: polls compared with an empty route, requests with bare inserts, deliveries
/// with a bare copy, all with a given number of stored requests. Each result is a ratio with a limit.
///
///     BrokerSpeed [STORED]
@main
struct BrokerSpeed {
    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.count == 4, arguments[1] == "serve" {
            return try await ServedBroker(home: URL(filePath: arguments[2])).run(with: Int(arguments[3]) ?? 0)
        }
        let stored = arguments.dropFirst().compactMap(Int.init).first ?? 1_000_000
        let home = FileManager.default.temporaryDirectory.appending(path: "countersign-speed-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: home) }
        let brokers = try [0, stored].map { count in
            try BrokerProcess(home: home.appending(path: "with-\(count)"), stored: count)
        }
        let bare = try BareInserts(home: home.appending(path: "bare"))
        let rates = try await Rates(of: brokers.map(\.ports), bare, rounds: 31)
        for (count, rate) in zip([0, stored], rates.ofBrokers) {
            report("status polls, \(count) stored, to an empty route", rate.polls, rate.emptyRoute, atLeast: 0.6)
            report(
                "`POST /request`, \(count) stored, to two bare inserts in one transaction", rate.requests,
                rates.ofBareInserts, atLeast: 0.4)
        }
        let (none, full) = (rates.ofBrokers[0], rates.ofBrokers[1])
        report("status polls, \(stored) stored, to none", full.polls, none.polls, atLeast: 1 / 1.3)
        report("`POST /request`, \(stored) stored, to none", full.requests, none.requests, atLeast: 1 / 1.3)
        let atOnce = try BrokersAtOnce(brokers.map(\.ports), rounds: 15)
        report("status polls of two brokers at once, together, to one alone", atOnce.together, atOnce.alone)
        try await Deliveries(home: home.appending(path: "deliveries")).compare(500)
        // The deliveries are ingested in this process.
        let peak = (brokers.map(\.peakMemory) + [Memory.peak()]).max() ?? 0
        printRow(
            "peak memory of the process that had the most", "\(peak) MB", value: Double(peak), atMost: 64, unit: " MB")
        for broker in brokers { broker.stop() }
    }

    /// A row with the rates per second of the broker and of its comparison.
    static func report(_ what: String, _ ours: Double, _ theirs: Double, atLeast least: Double? = nil) {
        printRow(
            what, "\(String(format: "%.2f", ours / theirs)) (\(Int(ours))/s to \(Int(theirs))/s)",
            value: ours / theirs, atLeast: least)
    }
}
