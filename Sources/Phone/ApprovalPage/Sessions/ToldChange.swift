import Messages

/// A change that was made on the page, of which the page tells once the browser is led back. The page's address has only the
/// number of the latest one: a link that a stranger wrote makes the page tell of nothing that did not happen.
enum ToldChange: Equatable, Sendable {
    case household
    case passphrase
    case copiesDeleted(Int)
    case credentialsStored(bank: String)
    case deviceForgotten(bank: String)
    case clientAllowed(AgentName)
    case clientRemoved(AgentName)
}
