import Automation
import BankScript
import Foundation
import Secrets

/// The fetch in a process that lives on: one turn for each line of standard input, so many sessions at once, each with a
/// browser, a jar and connections of its own.
///
///     FetchByCountersign URL AUTHORITY FOLDER SCRIPT
@main
struct FetchByCountersign {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5 else { fatalError("usage: FetchByCountersign URL AUTHORITY FOLDER SCRIPT") }
        let text = try String(contentsOfFile: arguments[4], encoding: .utf8)
        let script = try BankScript(yaml: text, file: arguments[4]).served(at: arguments[1], isForTesting: true)
        let engine = EngineConfiguration(certificateAuthority: URL(filePath: arguments[2]))
        let services = HostServices(
            credentials: Customer(), secondFactor: Customer(), person: Nobody(),
            downloads: FolderSink(URL(filePath: arguments[3], directoryHint: .isDirectory)))
        let runner = ScriptRunner(services: services) { try HTMLNavigationEngine(for: $0, configuration: engine) }
        while let line = readLine() {
            let sessions = Int(line) ?? 1
            let took = try await ContinuousClock().measure {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<sessions {
                        group.addTask {
                            let document = try await runner.run(script, parameters: ["year": 2024, "month": 5])
                            try FileManager.default.removeItem(at: document.file)
                        }
                    }
                    try await group.waitForAll()
                }
            }
            let (seconds, attoseconds) = took.components
            print(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
            fflush(nil)
        }
    }
}

/// The mock bank's one customer.
private struct Customer: CredentialProvider, SecondFactorProvider {
    func credential(named name: String, forBank bankID: String) async throws -> Secret? {
        Secret(name == "username" ? "robin.ashdown" : "correct horse")
    }

    func code(for challenge: SecondFactorChallenge) async throws -> Secret? { Secret("123456") }
}

private struct Nobody: HumanPrompt {
    func answer(_ prompt: Prompt) async throws -> Secret { fatalError("nobody is here to be asked") }
}
