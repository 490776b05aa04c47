import Automation
import BankScript
import Clocks
import Foundation
import HTMLAutomation
import HTMLEngine
import Messages
import Secrets
import Synchronization

/// Countersign's visits to the bank.
struct ScriptVisits: Sendable {
    let script: BankScript
    let authority: URL
    let folder: URL

    /// Fetches documents in one visit.
    ///
    /// - Parameter observer: called for every exchange.
    func fetch(
        _ places: [DocumentPlace], observing observer: (@Sendable (Exchange) -> Void)? = nil
    ) async throws -> [URL] {
        let engine = EngineConfiguration(certificateAuthority: authority, observer: observer)
        let services = HostServices(
            credentials: Customer(), secondFactor: Customer(), person: Nobody(), downloads: FolderSink(folder))
        let runner = ScriptRunner(services: services) { try HTMLNavigationEngine(for: $0, configuration: engine) }
        let files = Mutex<[URL]>([])
        try await runner.run(script, fetching: places) { (_, result) throws(RunFailure) in
            let document = try result.get()
            files.withLock { $0.append(document.file) }
        }
        return files.withLock { $0 }
    }

    /// Fetches each document in a visit of its own.
    func fetchEach(_ places: [DocumentPlace]) async throws -> [URL] {
        var files: [URL] = []
        for place in places { files += try await fetch([place]) }
        return files
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
