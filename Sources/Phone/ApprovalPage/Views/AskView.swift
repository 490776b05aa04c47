import BankScript
import Clocks
import Foundation
import Messages

/// The form with which the owner asks for documents of a bank.
struct AskView {
    /// The months that are offered: ten years.
    static let months = 120

    /// The values that the form begins with.
    struct Choice: Sendable {
        var from: String
        var to: String
        /// The kinds that are ticked.
        var kinds: Set<DocumentKind>
        /// The accounts that are ticked; nil for all.
        var accounts: Set<AccountAlias>?
        var refetches = false
    }

    let script: BankScript
    let accounts: [AccountAlias]
    let now: Date
    let choice: Choice
    let csrf: String

    private var givesSeveral: Bool { !script.forEachPeriod.isEmpty }

    /// The month before the present one, of which most banks have a statement.
    static func lastMonth(at now: Date) -> MonthYear {
        let present = MonthYear.current(at: now, in: .current)
        return present.previous ?? present
    }

    var values: [String: Any] {
        let latest = MonthYear.current(at: now, in: .current)
        let kinds = script.kinds.sorted()
        return [
            "id": script.id, "name": script.name, "csrf": csrf, "several": givesSeveral, "refetch": choice.refetches,
            "months": latest.back(Self.months).map {
                [
                    "value": $0.description, "text": PageText.month($0), "from": $0.description == choice.from,
                    "to": $0.description == choice.to,
                ] as [String: Any]
            },
            "kinds": !givesSeveral || kinds.count < 2
                ? []
                : kinds.map {
                    ["kind": $0.rawValue, "text": $0.rawValue.uppercased(), "selected": choice.kinds.contains($0)]
                        as [String: Any]
                },
            "accounts": !givesSeveral || accounts.count < 2
                ? []
                : accounts.enumerated().map { index, alias in
                    [
                        "index": String(index), "alias": alias.description,
                        "selected": choice.accounts?.contains(alias) ?? true,
                    ] as [String: Any]
                },
        ]
    }
}

extension MonthYear {
    /// Returns this month and those before it, the latest first.
    fileprivate func back(_ count: Int) -> [MonthYear] {
        var months = [self]
        while months.count < count, let earlier = months.last?.previous { months.append(earlier) }
        return months
    }
}
