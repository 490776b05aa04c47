import BankScript
import Clocks
import Foundation
import HTMLEngine
import Measuring
import Messages
import Synchronization

/// 96 documents: 24 months of two accounts in two kinds, in one visit.
///
///     BatchFetch BENCHMARKS
@main
struct BatchFetch {
    private static let rounds = 15
    private static let roundsOfSingleVisits = 3

    static func main() async throws {
        guard CommandLine.arguments.count == 2 else { fatalError("usage: BatchFetch BENCHMARKS") }
        let benchmarks = URL(filePath: CommandLine.arguments[1], directoryHint: .isDirectory).standardizedFileURL
        // This program's own folder has the product of the same build.
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "countersign")
        let bank = try BankProcess(countersign: program, scenario: "every-kind")
        defer { bank.stop() }
        let root = FileManager.default.temporaryDirectory.appending(path: "batch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        try await measure(benchmarks, bank, root)
    }

    private static func measure(_ benchmarks: URL, _ bank: BankProcess, _ root: URL) async throws {
        let file = benchmarks.appending(path: "../BankScripts/DefaultBank/Variants/every-kind.yaml").standardizedFileURL
        var script = try BankScript(yaml: String(contentsOf: file, encoding: .utf8), file: file.path)
            .served(at: bank.url, isForTesting: true)
        script.atOnce = 2
        let visits = ScriptVisits(script: script, authority: URL(filePath: bank.authority), folder: root)
        let places = places()
        let floor = BareVisit(
            exchanges: try await recorded(places, by: visits), authority: bank.authority, origin: bank.url)
        var ours: [Duration] = []
        var theirs: [Duration] = []
        for _ in 0..<rounds {
            let (one, files) = try await timed { try await visits.fetch(places) }
            guard files.count == places.count else { fatalError("\(files.count) documents came") }
            ours.append(one)
            try remove(files)
            let folder = root.appending(path: "bare")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            theirs.append(ContinuousClock().measure { floor.run(into: folder) })
            try FileManager.default.removeItem(at: folder)
        }
        printRow(
            "96 documents in one visit of \(floor.exchanges.count) exchanges, to one libcurl handle that knows every URL "
                + "and body", median(ours), median(theirs), atMost: 1.5)
        var single: [Duration] = []
        for _ in 0..<roundsOfSingleVisits {
            let (each, files) = try await timed { try await visits.fetchEach(places) }
            single.append(each)
            try remove(files)
        }
        printRow("the same 96 documents in a visit each, in one process, to one visit", median(single), median(ours))
        let runs = try ProgramRuns(script: file, bank: bank, root: root)
        let one = try (0..<roundsOfSingleVisits).map { _ in try runs.fetch(places) }
        let each = try runs.fetchEach(places)
        printRow(
            "the same 96 documents with a `script run` each, to one `script run`", each, median(one), atLeast: 5)
    }

    /// 24 months before November 2026, when the bank's calendar ends.
    private static func places() -> [DocumentPlace] {
        var months: [MonthYear] = []
        var month = MonthYear(month: 11, year: 2024)
        while let one = month, months.count < 24 {
            months.append(one)
            month = one.next
        }
        let accounts = ["Everyday Account", "Holiday Pot"].compactMap { AccountAlias($0) }
        return accounts.flatMap { account in
            months.flatMap { month in
                [DocumentKind.camt, .pdf].map { DocumentPlace(account: account, period: month, kind: $0) }
            }
        }
    }

    /// Makes the visit once, and returns its exchanges.
    private static func recorded(
        _ places: [DocumentPlace], by visits: ScriptVisits
    ) async throws -> [BareVisit.Exchange] {
        let seen = Mutex<[BareVisit.Exchange]>([])
        let files = try await visits.fetch(places) { exchange in
            let body = exchange.requestBody.map { String(decoding: $0, as: UTF8.self) }
            seen.withLock {
                $0.append(
                    BareVisit.Exchange(
                        url: exchange.url, referrer: exchange.requestHeader("referer"), body: body,
                        isDownload: exchange.responseBody == nil))
            }
        }
        try remove(files)
        return seen.withLock { $0 }
    }

    private static func timed(
        _ work: () async throws -> [URL]
    ) async rethrows -> (Duration, [URL]) {
        let began = ContinuousClock.now
        let files = try await work()
        return (.now - began, files)
    }

    private static func remove(_ files: [URL]) throws {
        for file in files { try FileManager.default.removeItem(at: file) }
    }
}
