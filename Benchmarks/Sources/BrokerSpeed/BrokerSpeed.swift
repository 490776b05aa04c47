import Broker
import Foundation
import GRDB
import Hummingbird
import Inbox
import Logging
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
                print("\(count) requests stored, memory \(Memory.resident) MB")
                let empty = try await stage.rate("GET", "/empty", for: 3, on: .emptyRoute)
                let id = try await stage.aRequest()
                let polls = try await stage.rate("GET", "/request/\(id)", for: 3, on: .broker)
                report("status polls", polls, against: empty, "an empty route", limit: 0.6)
                let bare = try await BareInserts(home: home.appending(path: "bare-\(count)")).rate(for: 3)
                let requests = try await stage.rate("POST", "/request", for: 3, on: .broker)
                report("POST /request", requests, against: bare, "two bare inserts", limit: 0.4)
                stage.note(polls, requests)
            }
            rates.append(stage.noted)
        }
        report("polls with \(stored) stored", rates[1].polls, against: rates[0].polls, "none", limit: 1 / 1.3)
        report("POST with \(stored) stored", rates[1].requests, against: rates[0].requests, "none", limit: 1 / 1.3)
        try await Deliveries(home: home.appending(path: "deliveries")).compare(500)
        print("memory at the end \(Memory.resident) MB, at most \(Memory.peak) MB (limit 64)")
    }

    static func report(_ what: String, _ ours: Double, against theirs: Double, _ other: String, limit: Double) {
        let ratio = ours / theirs
        print(
            "\(what): \(Int(ours))/s, \(other) \(Int(theirs))/s, ratio \(String(format: "%.2f", ratio))"
                + " (limit \(String(format: "%.2f", limit))) \(ratio >= limit ? "ok" : "MISSED")")
    }
}

/// This process's memory, in megabytes.
enum Memory {
    static var resident: Int { field("VmRSS:") }
    static var peak: Int { field("VmHWM:") }

    private static func field(_ name: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) / 1024
    }
}
