import BrokerClient
import Terminal

extension BankChoice {
    /// Asks the broker, and asks again with the bank that the person names when the broker wants to know which one is meant.
    ///
    /// - Parameters:
    ///   - given: the bank of the command line.
    ///   - isAsked: false to fail instead of asking the person.
    /// - Throws: ``CommandFailure`` with the banks and what to type; what `ask` throws.
    static func asNeeded<Answer>(
        _ given: String?, isAsked: Bool, _ ask: (String?) async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await ask(given)
        } catch let error as AgentError where given == nil && error.banks.count > 1 {
            return try await ask(try among(error.banks, isAsked: isAsked))
        }
    }
}
