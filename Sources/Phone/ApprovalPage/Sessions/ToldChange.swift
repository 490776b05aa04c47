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

/// The latest change to tell of, and its number.
struct ToldChanges: Sendable {
    private var latest: ToldChange?
    /// The first is random: an address that a browser kept from an earlier start tells of nothing.
    private var number = Int.random(in: 1...1 << 40)

    /// Notes a change to tell of.
    ///
    /// - Returns: its number, for the page's address.
    mutating func note(_ change: ToldChange) -> Int {
        latest = change
        number += 1
        return number
    }

    /// Returns the latest change, if an address has its number.
    func change(numbered text: String) -> ToldChange? { String(number) == text ? latest : nil }
}
