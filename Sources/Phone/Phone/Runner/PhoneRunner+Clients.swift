import KeyVault
import Messages

// Programs elsewhere, which ask over the Model Context Protocol.

extension PhoneRunner {
    /// Returns the programs that wait for the owner, and those that they have allowed.
    ///
    /// - Throws: ``PhoneError``.
    package func clients() async throws -> ClientList { try await remoteClients.list() }

    /// Allows a program to ask for documents as an agent.
    ///
    /// - Throws: ``PhoneError``, also for a wrong number; `VaultError` when the person could not be verified.
    package func allow(
        _ waiting: WaitingClient, number: String, as agent: AgentName, limits: ClientLimits,
        with verification: any UserVerification
    ) async throws {
        try await remoteClients.allow(waiting, number: number, as: agent, limits: limits, with: verification)
    }

    /// Refuses a program that waits.
    ///
    /// - Throws: ``PhoneError``.
    package func deny(client waiting: RequestID) async throws { try await remoteClients.deny(waiting) }

    /// Takes an allowed program its rights away.
    ///
    /// - Throws: ``PhoneError``.
    package func remove(client agent: AgentName) async throws { try await remoteClients.remove(agent) }
}
