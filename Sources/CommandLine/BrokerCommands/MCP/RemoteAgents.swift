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
    /// The renewals that go on, one for each program: a second one would end the token that the first has just made.
    private var renewals: [AgentName: Task<Known, any Error>] = [:]

    init(
        _ administration: BrokerAdministration, page: String?,
        connect: @escaping @Sendable (Secret) throws -> AgentClient
    ) {
        (self.administration, self.page, self.connect) = (administration, page, connect)
    }

    /// - Throws: when the database cannot be used, or the program has lost its rights.
    func transport(for agent: AgentName) async throws -> HTTPTransport {
        let current = try await current(agent)
        return HTTPTransport(client: current.client, page: page, answered: current.answered)
    }

    private func current(_ agent: AgentName) async throws -> Known {
        if let known = known[agent], try await administration.agents.agent(withToken: known.digest) == agent {
            return known
        }
        // Another message may have begun or ended a renewal while this one looked its token up.
        if let renewal = renewals[agent] { return try await renewal.value }
        let renewal = Task { try await renew(agent) }
        renewals[agent] = renewal
        defer { renewals[agent] = nil }
        return try await renewal.value
    }

    private func renew(_ agent: AgentName) async throws -> Known {
        if let known = known[agent], try await administration.agents.agent(withToken: known.digest) == agent {
            return known
        }
        guard let token = try await administration.renewBrokerToken(of: agent) else {
            throw StoreError(message: "the program has lost its rights")
        }
        let fresh = Known(
            client: try connect(token), digest: token.withUnsafeBytes { PairedDevice.digest(ofToken: $0) })
        await known.updateValue(fresh, forKey: agent)?.client.close()
        return fresh
    }

    func close() async {
        for agent in known.values { await agent.client.close() }
        known = [:]
    }
}
