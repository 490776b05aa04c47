import Foundation
import Measuring
import Messages

/// Runs of `countersign script run`, each from its start to its end.
struct ProgramRuns {
    private let launching: Launching
    private let command: [String]
    private let folder: URL

    init(script: URL, bank: BankProcess, root: URL) throws {
        let products = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        launching = Launching(launch: products.appending(path: "Launch"))
        let credentials = root.appending(path: "credentials.json")
        try Data(#"{"username": "robin.ashdown", "password": "correct horse", "code": "123456"}"#.utf8)
            .write(to: credentials)
        folder = root.appending(path: "runs")
        command = [
            products.appending(path: "countersign").path, "script", "run", script.path, "--at", bank.url, "--ca",
            bank.authority, "--credentials", credentials.path, "--output", folder.path,
        ]
    }

    /// Fetches documents with one run: of the months from the first to the last, all accounts and kinds.
    func fetch(_ places: [DocumentPlace]) throws -> Duration {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let cost = try launching.run(command + Self.options(places))
        let count = try FileManager.default.subpathsOfDirectory(atPath: folder.path).count { $0.contains(".") }
        guard count == places.count else { fatalError("\(count) documents came instead of \(places.count)") }
        return cost.wall
    }

    /// Fetches each document with a run of its own.
    func fetchEach(_ places: [DocumentPlace]) throws -> Duration {
        try places.reduce(.zero) { try $0 + fetch([$1]) }
    }

    private static func options(_ places: [DocumentPlace]) -> [String] {
        let months = places.map(\.period).sorted()
        let kinds = Set(places.map(\.kind.rawValue)).sorted().joined(separator: ",")
        let accounts = Set(places.compactMap { $0.account?.description }).sorted()
        return ["--from", "\(months[0])", "--to", "\(months[months.count - 1])", "--kinds", kinds]
            + accounts.flatMap { ["--account", $0] }
    }
}
