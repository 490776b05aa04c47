import Encodings
import Foundation
import HouseholdCommands
import TestSupport
import Testing

/// A household of `countersign up --bank mock`, in a home of its own.
final class HouseholdProcess: Sendable {
    private let folder: TemporaryFolder
    private let ports: ClaimedPorts
    let home: URL

    /// Ends a wait for what will never come. It is not a measure: beside other work on the machine, a start takes minutes.
    static let patience: Duration = .seconds(240)

    var environment: [String: String] { ["HOME": home.path] }
    var config: URL { home.appending(path: ".config/countersign/config.json") }
    var data: URL { Self.data(in: home) }
    var passphraseFile: URL { data.appending(path: "passphrase") }

    private static func data(in home: URL) -> URL {
        home.appending(path: ".local/share/countersign", directoryHint: .isDirectory)
    }

    /// - Parameters:
    ///   - base: the folder of the home.
    ///   - name: makes another name each time, so that one can be found whose ports no test has.
    convenience init(
        in base: URL = FileManager.default.temporaryDirectory,
        named name: @autoclosure () -> String = "countersign-test-\(UUID().uuidString)"
    ) throws {
        for _ in 0..<100 {
            let home = base.appending(path: name(), directoryHint: .isDirectory)
            let group = HouseholdPorts.group(of: Self.data(in: home))
            guard let ports = ClaimedPorts(groups: group..<group + 1) else { continue }
            try self.init(home, ports)
            return
        }
        throw NoPorts()
    }

    /// The ports that this household finds free: of its broker, its page and its mock bank.
    var claimedPorts: [Int] { HouseholdPorts.ports(ofGroup: HouseholdPorts.group(of: data)) }

    private init(_ home: URL, _ ports: ClaimedPorts) throws {
        folder = try TemporaryFolder(in: home.deletingLastPathComponent(), named: home.lastPathComponent)
        (self.home, self.ports) = (folder.url, ports)
    }

    private struct NoPorts: Error {}

    /// Returns households that all want the same ports.
    static func wantingTheSamePorts(_ count: Int) throws -> [HouseholdProcess] {
        var homes: [Int: [URL]] = [:]
        for _ in 0..<100_000 {
            let home = FileManager.default.temporaryDirectory.appending(
                path: "countersign-test-\(UUID().uuidString)", directoryHint: .isDirectory)
            let group = HouseholdPorts.group(of: data(in: home))
            homes[group, default: []].append(home)
            // All but one go on to the next ports.
            guard let found = homes[group], found.count == count,
                let ports = ClaimedPorts(groups: group..<group + count)
            else { continue }
            return try found.map { try HouseholdProcess($0, ports) }
        }
        throw NoPorts()
    }

    deinit { folder.remove() }

    /// Starts the household, and waits until it is ready.
    ///
    /// - Returns: the program, and what it printed by event.
    func up(_ more: String...) async throws -> (program: Program, events: [String: JSONValue]) {
        try await start(["--bank", "mock"] + more, until: "ready")
    }

    /// Starts the household with some options, and waits until it has told of an event.
    func start(
        _ options: [String], until event: String
    ) async throws -> (program: Program, events: [String: JSONValue]) {
        let program = try Program(["up", "--no-open", "--json"] + options, environment: environment)
        return (program, try await events(of: program, until: event))
    }

    /// Waits until a household has told of an event.
    ///
    /// - Returns: what it printed by event.
    func events(of program: Program, until event: String) async throws -> [String: JSONValue] {
        let end = ContinuousClock.now + Self.patience
        while true {
            let events = Self.events(in: program.printed)
            if events[event] != nil { return events }
            try #require(
                ContinuousClock.now < end && program.errors.isEmpty, "\(program.printed)\(program.errors)")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private static func events(in text: String) -> [String: JSONValue] {
        let lines = text.split(separator: "\n").compactMap { try? JSONReader.read(String($0)) }
        return Dictionary(lines.compactMap { line in line["event"]?.stringValue.map { ($0, line) } }) { $1 }
    }

    func run(_ arguments: String...) async throws -> CountersignProcess.Outcome { try await run(arguments) }

    func run(_ arguments: [String]) async throws -> CountersignProcess.Outcome {
        try await CountersignProcess(arguments, environment: environment).run()
    }

    /// Waits until the broker has verified a statement.
    func awaitStatement() async throws {
        let end = ContinuousClock.now + Self.patience
        while true {
            let requests = try await run("requests")
            if requests.output.contains("COMPLETED") { return }
            try #require(ContinuousClock.now < end, "\(requests)")
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    /// Returns which parts `countersign status` shows as running.
    func status() async throws -> (status: Int32, parts: [String: Bool]) {
        let outcome = try await run("status", "--json")
        let parts = try JSONReader.read(outcome.output)["parts"]?.arrayValue ?? []
        return (
            outcome.status,
            Dictionary(
                parts.compactMap { part in
                    part["name"]?.stringValue.map { ($0, part["ok"] == true) }
                }, uniquingKeysWith: { $1 })
        )
    }
}
