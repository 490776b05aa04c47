import Foundation
import Messages

extension CurrentPolicy {
    /// Refuses what the owner's policy does not allow the agent.
    func check(_ wanted: WantedRequest, by agent: AgentName, at now: Date) async throws {
        guard
            let refusal = try await rules(of: agent).refusal(
                of: agent, bankID: wanted.bankID, subject: wanted.subject, at: now)
        else { return }
        throw APIError(.forbidden, .agentNotAllowed, refusal)
    }
}
