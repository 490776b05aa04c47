import ArgumentParser
import Messages

/// Kinds of documents as an option: `pdf,camt`.
package struct DocumentKinds: ExpressibleByArgument, Sendable {
    package let kinds: [DocumentKind]

    package init?(argument: String) {
        let names = argument.split(separator: ",", omittingEmptySubsequences: false)
        kinds = names.compactMap { DocumentKind(rawValue: $0.trimmingPrefix(" ").lowercased()) }
        guard !kinds.isEmpty, kinds.count == names.count, Set(kinds).count == kinds.count else { return nil }
    }

    package static var allValueStrings: [String] { DocumentKind.allCases.map(\.rawValue) }
}

/// The alias of an account as an option or an argument.
package struct AccountName: ExpressibleByArgument, Sendable {
    /// The help of an option that takes accounts.
    package static let help: ArgumentHelp = """
        An account by its alias in countersign banks; may be given several times. By default every account there. A bank \
        without any there gives one, and lists them then.
        """

    /// The help of the option of a request, where a month alone asks for one statement.
    package static let helpOfRequest: ArgumentHelp = """
        An account by its alias in countersign banks; may be given several times. By default every account there with --from, \
        --kinds or --refetch; a month alone brings one statement, of the account that the bank shows first. A bank without any \
        there gives one, and lists them then.
        """

    package let alias: AccountAlias

    package init?(argument: String) {
        guard let alias = AccountAlias(argument) else { return nil }
        self.alias = alias
    }
}
