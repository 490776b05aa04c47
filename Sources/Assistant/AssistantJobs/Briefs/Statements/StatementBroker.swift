import BrokerClient
import Clocks
import Foundation
import Messages

/// The broker, as the assistant asks it: as an agent with its own name and token.
package protocol StatementBroker: Sendable {
    /// Lists the banks that can be asked for.
    func banks() async throws(AgentError) -> [OfferedBank]

    /// Asks for the statement of one month. The same key asks once.
    func ask(_ month: MonthYear, bankID: String?, key: String) async throws(AgentError) -> AgentRequest

    func request(_ id: RequestID) async throws(AgentError) -> AgentRequest
}

extension AgentClient: StatementBroker {
    package func ask(
        _ month: MonthYear, bankID: String?, key: String
    ) async throws(AgentError) -> AgentRequest {
        try await requestStatement(month: month.month, year: month.year, bankID: bankID, agentRequestID: key)
    }

    package func request(_ id: RequestID) async throws(AgentError) -> AgentRequest { try await request(id, wait: 0) }
}
