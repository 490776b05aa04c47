import Foundation
import Messages
import Selectors

/// The place of the customer's accounts on a page.
public struct AccountList: Sendable, Hashable {
    /// Finds the name of each account, once.
    public var names: Locator
    /// A regular expression that finds the alias in a name: its first group, or the whole match if it has no group. Nil where
    /// the name is the alias.
    public var alias: String?

    public init(names: Locator, alias: String? = nil) {
        self.names = names
        self.alias = alias
    }

    /// The extra names that templates may use in the steps for each account and for each month.
    package static let placeholders = ["account_name", "account_alias"]

    /// Returns the alias of an account until the person chooses another; nil when the name has none that is allowed.
    public func alias(ofAccount name: String) -> AccountAlias? {
        guard let alias else { return AccountAlias(name) }
        guard let expression = try? NSRegularExpression(pattern: alias),
            let match = expression.firstMatch(in: name, range: NSRange(name.startIndex..., in: name)),
            let range = Range(match.range(at: match.numberOfRanges > 1 ? 1 : 0), in: name)
        else { return nil }
        return AccountAlias(name[range].trimmingCharacters(in: .whitespaces))
    }
}
