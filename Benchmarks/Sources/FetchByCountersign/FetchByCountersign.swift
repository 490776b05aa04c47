import Automation
import BankScript
import BrowserAutomation
import Foundation
import HTMLAutomation
import Secrets

/// Fetches in a long-running process: one turn per line of standard input, with that many sessions at once. Each session
/// has its own browser, cookie jar and connections.
///
///     FetchByCountersign URL AUTHORITY FOLDER SCRIPT [browser]
@main
struct FetchByCountersign {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard (5...6).contains(arguments.count) else {
            fatalError("usage: FetchByCountersign URL AUTHORITY FOLDER SCRIPT [browser]")
        }
        let text = try String(contentsOfFile: arguments[4], encoding: .utf8)
        let script = try BankScript(yaml: text, file: arguments[4]).served(at: arguments[1], isForTesting: true)
        let engine = EngineConfiguration(certificateAuthority: URL(filePath: arguments[2]))
        let services = HostServices(
            credentials: Customer(), secondFactor: Customer(), person: Nobody(),
            downloads: FolderSink(URL(filePath: arguments[3], directoryHint: .isDirectory)))
        let isInBrowser = arguments.last == "browser"
        let runner = ScriptRunner(services: services) { script in
            guard isInBrowser else { return try HTMLNavigationEngine(for: script, configuration: engine) }
            return try await BrowserNavigationEngine.start(
                for: script, configuration: .init(certificateAuthority: engine.certificateAuthority))
        }
        try await takeTurns { try await runner.run(script, parameters: ["year": 2024, "month": 5]).file }
    }

    /// Runs off the main actor, like a real host of long runs.
    @concurrent private static func takeTurns(_ one: @escaping @Sendable () async throws -> URL) async throws {
        while let line = readLine() {
            let begun = ContinuousClock.now
            let files = try await fetch(Int(line) ?? 1, one)
            let (seconds, attoseconds) = (ContinuousClock.now - begun).components
            for file in files { try FileManager.default.removeItem(at: file) }
            print(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
            fflush(nil)
        }
    }

    /// Runs the given number of fetches at once; a single one needs no extra task.
    private static func fetch(_ sessions: Int, _ one: @escaping @Sendable () async throws -> URL) async throws -> [URL]
    {
        if sessions == 1 { return [try await one()] }
        return try await withThrowingTaskGroup(of: URL.self) { group in
            for _ in 0..<sessions { group.addTask { try await one() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}

/// The mock bank's only customer.
private struct Customer: CredentialProvider, SecondFactorProvider {
    func credential(named name: String, forBank bankID: String) async throws -> Secret? {
        Secret(name == "username" ? "robin.ashdown" : "correct horse")
    }

    func code(for challenge: SecondFactorChallenge) async throws -> Secret? { Secret("123456") }
}

private struct Nobody: HumanPrompt {
    func answer(_ prompt: Prompt) async throws -> Secret { fatalError("the benchmark answers no question") }
}
