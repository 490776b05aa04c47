import Broker
import BrokerClient
import BrokerStore
import Messages
import Secrets

/// The clients of the broker's API for programs elsewhere. Each has a token of its own, which this process makes when it is
/// first needed and keeps in memory alone: no program's token goes any further, and the broker's reaches no program.
actor RemoteAgents {
    private struct Known {
        let client: AgentClient
        let digest: String
        let answered = AnsweredAddresses()
    }

    private let administration: BrokerAdministration
    private let connect: @Sendable (Secret) throws -> AgentClient
    private let page: String?
    private var known: [AgentName: Known] = [:]

    init(
        _ administration: BrokerAdministration, page: String?,
        connect: @escaping @Sendable (Secret) throws -> AgentClient
    ) {
        (self.administration, self.page, self.connect) = (administration, page, connect)
    }

    /// - Throws: when the database cannot be used, or the program has lost its rights.
    func transport(for agent: AgentName) async throws -> HTTPTransport {
        if let known = known[agent], try await administration.agents.agent(withToken: known.digest) == agent {
            return HTTPTransport(client: known.client, page: page, answered: known.answered)
        }
        guard let token = try await administration.renewBrokerToken(of: agent) else {
            throw StoreError(message: "the program has lost its rights")
        }
        let fresh = Known(
            client: try connect(token), digest: token.withUnsafeBytes { PairedDevice.digest(ofToken: $0) })
        await known.updateValue(fresh, forKey: agent)?.client.close()
        return HTTPTransport(client: fresh.client, page: page, answered: fresh.answered)
    }

    func close() async {
        for agent in known.values { await agent.client.close() }
        known = [:]
    }
}
