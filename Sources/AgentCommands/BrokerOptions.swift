import Agent
import ArgumentParser
import Broker
import Foundation
import Secrets
import Terminal

/// The broker's address and the agent's token.
struct BrokerOptions: ParsableArguments {
    @Option(help: "The broker's address; by default BROKER_URL.")
    var broker: String?

    @Option(help: "A file whose first line is the agent's token; by default BROKER_API_TOKEN.")
    var tokenFile: String?

    @Option(help: "A PEM file with the authority of the broker's certificate (BROKER_CA_FILE).")
    var caFile: String?

    func client() throws -> AgentClient {
        let own = ProcessInfo.processInfo.environment
        // The household's token is for its own broker alone, and only while that one listens.
        let environment = try broker == nil && tokenFile == nil ? HouseholdFile.completing(own) : own
        if own["BROKER_API_TOKEN"] == nil, environment["BROKER_API_TOKEN"] != nil {
            guard let running = try? BrokerAdministration(environment: environment), running.isRunning else {
                throw CommandFailure("the household's broker does not run; start it with: countersign up")
            }
        }
        let port = environment["BROKER_PORT"] ?? "8765"
        let address = broker ?? environment["BROKER_URL"] ?? "http://127.0.0.1:\(port)"
        let authority = (caFile ?? environment["BROKER_CA_FILE"]).map { URL(filePath: $0) }
        if let tokenFile {
            return AgentClient(
                baseURL: address, token: try Asking.secret(inFile: tokenFile), authority: authority)
        }
        guard let token = environment["BROKER_API_TOKEN"], !token.isEmpty else {
            throw CommandFailure(
                "the agent's token is missing; set BROKER_API_TOKEN, give --token-file, or run countersign up")
        }
        return AgentClient(baseURL: address, token: Secret(token), authority: authority)
    }
}
