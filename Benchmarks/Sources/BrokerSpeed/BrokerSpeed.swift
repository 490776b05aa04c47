import Broker
import Foundation
import GRDB
import Hummingbird
import Inbox
import Logging
import Measuring
import Secrets
import ServiceLifecycle
import Signer

/// What the broker's promises cost: polls against an empty route, requests against bare inserts, deliveries against a
/// bare copy, all with as many requests stored as are asked for; each as a ratio with its limit.
@main
struct BrokerSpeed {
    static func main() async throws {
        let stored = CommandLine.arguments.dropFirst().compactMap(Int.init).first ?? 1_000_000
        let home = FileManager.default.temporaryDirectory.appending(path: "countersign-speed-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: home) }
        var rates: [(polls: Double, requests: Double)] = []
        for count in [0, stored] {
            let stage = try SpeedStage(home: home.appending(path: "with-\(count)"))
            try await stage.run { stage in
                try await stage.fill(with: count)
                let empty = try await stage.rate("GET", "/empty", for: 3, on: .emptyRoute)
                let id = try await stage.aRequest()
                let polls = try await stage.rate("GET", "/request/\(id)", for: 3, on: .broker)
                report("status polls, \(count) stored, to an empty route", polls, empty, atLeast: 0.6)
                let bare = try await BareInserts(home: home.appending(path: "bare-\(count)")).rate(for: 3)
                let requests = try await stage.rate("POST", "/request", for: 3, on: .broker)
                report(
                    "`POST /request`, \(count) stored, to two bare inserts in one transaction", requests, bare,
                    atLeast: 0.4)
                stage.note(polls, requests)
            }
            rates.append(stage.noted)
        }
        report("status polls, \(stored) stored, to none", rates[1].polls, rates[0].polls, atLeast: 1 / 1.3)
        report("`POST /request`, \(stored) stored, to none", rates[1].requests, rates[0].requests, atLeast: 1 / 1.3)
        try await Deliveries(home: home.appending(path: "deliveries")).compare(500)
        printRow(
            "memory at the end, the load’s own included", "\(Memory.resident) MB", value: Double(Memory.resident),
            atMost: 64, unit: " MB")
    }

    /// A row about how often a second something was done, by the broker and by what it is compared with.
    static func report(_ what: String, _ ours: Double, _ theirs: Double, atLeast least: Double) {
        printRow(
            what, "\(String(format: "%.2f", ours / theirs)) (\(Int(ours))/s to \(Int(theirs))/s)",
            value: ours / theirs, atLeast: least)
    }
}

/// This process's memory, in megabytes.
enum Memory {
    static var resident: Int { field("VmRSS:") }

    private static func field(_ name: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) / 1024
    }
}
