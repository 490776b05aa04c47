import BrokerClient
import Messages

extension AgentClient {
    /// Asks with the kinds that are given. Without any, it asks again for the bank's usual kind where the bank has no PDF, as many
    /// with an interface have none.
    ///
    /// - Parameters:
    ///   - given: the kinds that the caller names; nil for the usual one.
    ///   - bankID: nil for the one that the broker takes.
    /// - Throws: what `ask` throws.
    func askingForUsualKind<Answer>(
        _ given: [DocumentKind]?, ofBank bankID: String?, _ ask: ([DocumentKind]?) async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await ask(given)
        } catch let error as AgentError where given == nil {
            return try await ask([try await usualKind(ofBank: bankID, after: error)])
        }
    }

    /// Returns the kind to ask for after a question that named none, and so meant a PDF, was refused.
    ///
    /// - Throws: the refusal itself where another kind does not help.
    func usualKind(ofBank bankID: String?, after refusal: AgentError) async throws(AgentError) -> DocumentKind {
        guard refusal.code == "INVALID_FIELD" else { throw refusal }
        let banks = try await banks().filter { bankID == nil || $0.bankID == bankID }
        // Of several, the broker asks which one is meant before it looks at the kinds.
        guard banks.count == 1, banks[0].usualKind != .pdf else { throw refusal }
        return banks[0].usualKind
    }
}
