import Foundation
import Messages
import Selectors

/// The place of the customer's accounts: on the page after the steps, or in their latest JSON answer.
public struct AccountList: Sendable, Hashable {
    public enum Source: Sendable, Hashable {
        /// Finds the name of each account on the page, once.
        case page(names: Locator)
        /// A JSONPath that finds the accounts in the answer, and paths inside each of them: to its name, and to the id under
        /// which the bank's requests name it, if they do.
        case answer(accounts: String, name: String, id: String?)
    }

    public var source: Source
    /// A regular expression that finds the alias in a name: its first group, or the whole match if it has no group. Nil where
    /// the name is the alias.
    public var alias: String?

    public init(names: Locator, alias: String? = nil) {
        source = .page(names: names)
        self.alias = alias
    }

    /// - Parameters:
    ///   - accounts: a JSONPath in the latest answer, such as `$.accounts[*]`.
    ///   - name: a JSONPath inside an account, such as `$.name`.
    ///   - id: a JSONPath inside an account; templates name what it finds as `{{ account_id }}`.
    public init(json accounts: String, name: String, id: String? = nil, alias: String? = nil) {
        source = .answer(accounts: accounts, name: name, id: id)
        self.alias = alias
    }

    /// The extra names that templates may use in the steps for each account and for each month.
    package var placeholders: [String] {
        let names = ["account_name", "account_alias"]
        if case .answer(_, _, _?) = source { return names + [Self.idName] }
        return names
    }

    package static let idName = "account_id"

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
