import Messages

/// An account of the person at the bank.
public struct ListedAccount: Sendable, Hashable {
    /// The name as the bank writes it, which may hold the account's number. It stays on the phone.
    public var name: String
    public var alias: AccountAlias

    public init(name: String, alias: AccountAlias) {
        self.name = name
        self.alias = alias
    }
}
