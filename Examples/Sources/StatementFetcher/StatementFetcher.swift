import Automation
import BankScript
import Foundation
import HTMLAutomation
import MessageGateway
import Secrets

/// Fetches statements on a machine without a person in front of it.
public struct StatementFetcher {
    let registry: ScriptRegistry
    let services: HostServices

    public init(
        scripts: [BankScript], credentials: any CredentialProvider, gateway: MessageGateway, into folder: URL
    ) {
        registry = ScriptRegistry(scripts)
        services = HostServices(
            credentials: credentials, secondFactor: gateway, person: AbsentPerson(), downloads: FolderSink(folder))
    }

    public func statement(ofBank id: String, month: Int, year: Int) async throws -> FetchedDocument? {
        guard let script = registry.script(forBank: id) else { return nil }
        let runner = ScriptRunner(services: services) { try HTMLNavigationEngine(for: $0) }
        return try await runner.run(
            script, parameters: ["month": ParameterValue(month), "year": ParameterValue(year)])
    }
}

struct AbsentPerson: HumanPrompt {
    func answer(_ prompt: Prompt) async throws -> Secret { throw CancellationError() }
}
