import BrokerClient
import Messages

extension AgentClient {
    /// Asks with the kinds that are given. Without any, it asks again for the bank's usual kind where the bank has no PDF, as many
    /// with an interface have none.
    ///
    /// - Parameters:
    ///   - given: the kinds of the command line; nil for the usual one.
    ///   - bankID: nil for the one that the broker takes.
    /// - Throws: what `ask` throws.
    func askingForUsualKind<Answer>(
        _ given: [DocumentKind]?, ofBank bankID: String?, _ ask: ([DocumentKind]?) async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await ask(given)
        } catch let error as AgentError where given == nil && error.code == "INVALID_FIELD" {
            let banks = try await banks().filter { bankID == nil || $0.bankID == bankID }
            // Of several, the broker asks which one is meant before it looks at the kinds.
            guard banks.count == 1, banks[0].usualKind != .pdf else { throw error }
            return try await ask([banks[0].usualKind])
        }
    }
}
