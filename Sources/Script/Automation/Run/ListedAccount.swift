import Messages

/// An account of the person at the bank.
public struct ListedAccount: Sendable, Hashable {
    /// The name as the bank writes it, which may hold the account's number. It stays on the phone.
    public var name: String
    public var alias: AccountAlias
    /// The id under which the bank's requests name the account; nil for an account on a page. Some banks use its number.
    public var id: String?

    public init(name: String, alias: AccountAlias, id: String? = nil) {
        self.name = name
        self.alias = alias
        self.id = id
    }
}
