import Encodings

/// Writes journals of double-entry bookkeeping as text: for beancount, and for ledger and hledger.
///
/// The other side of each transaction is `Income:Unsorted` or `Expenses:Unsorted`. Opening balances come from `Equity`,
/// and what a gap hides goes to `Equity:Missing`, so that the closing balances, which are asserted, hold. A comment names a
/// balance that is not asserted: one to which the bookings do not lead, and any without an opening balance.
struct JournalExport {
    private struct Entry {
        let day: CalendarDay
        let isCertain: Bool
        let payee: String
        let text: String
        let id: String
        let amount: Amount
        let currency: String
        let other: String
    }

    private let isBeancount: Bool

    /// The most bytes of a title. ledger 3.3 refuses lines of more than 4096 (`MAX_LINE` in its `textual.cc`).
    private static let titleLength = 3000
    /// The most characters of an account's name that come from its number.
    private static let nameLength = 100

    static func beancount(_ histories: [AccountHistory]) -> String { JournalExport(isBeancount: true).text(histories) }
    static func ledger(_ histories: [AccountHistory]) -> String { JournalExport(isBeancount: false).text(histories) }

    private func text(_ histories: [AccountHistory]) -> String {
        let names = names(of: histories)
        var text = ""
        if isBeancount {
            let first = histories.flatMap { [$0.from, $0.opening?.day, $0.transactions.first?.booked] }.compactMap {
                $0
            }.min()
            for name in names + ["Equity:Opening-Balances", "Equity:Missing", "Income:Unsorted", "Expenses:Unsorted"] {
                text += "\(first ?? CalendarDay(year: 1970, month: 1, day: 1)!) open \(name)\n"
            }
            text += "\n"
        }
        for (history, name) in zip(histories, names) {
            var balances = history.balances[...]
            // In the order of days: ledger checks a balance where it stands in the file.
            for entry in entries(history) {
                while let balance = balances.first, balance.day < entry.day {
                    text += assertion(balance, on: balance.day, history, name)
                    balances = balances.dropFirst()
                }
                text += format(entry, name)
            }
            for balance in balances { text += assertion(balance, on: balance.day, history, name) }
            for other in history.unreached {
                text += "; the balance \(other.sentence(in: history.currency))\n\n"
            }
            guard let closing = history.closing else { continue }
            let last =
                [closing.day, history.to, history.transactions.last?.booked].compactMap { $0 }.max() ?? closing.day
            // A comment in both languages.
            text +=
                history.opening == nil
                ? "; \(closing.amount) \(history.currency) of \(closing.day) is not asserted: no file has an opening balance\n\n"
                : assertion(closing, on: last, history, name)
        }
        return text
    }

    /// In the order of days.
    private func entries(_ history: AccountHistory) -> [Entry] {
        var entries: [Entry] = []
        if let opening = history.opening, opening.amount != .zero {
            let first =
                [opening.day, history.from, history.transactions.first?.booked].compactMap { $0 }.min() ?? opening.day
            entries.append(
                Entry(
                    day: first, isCertain: true, payee: "Opening balance",
                    text: history.isOpeningComputed ? "The closing balance less the transactions" : "", id: "",
                    amount: opening.amount,
                    currency: history.currency, other: "Equity:Opening-Balances"))
        }
        for transaction in history.transactions {
            entries.append(
                Entry(
                    day: transaction.booked, isCertain: true, payee: transaction.counterparty,
                    text: transaction.purpose,
                    id: transaction.id, amount: transaction.amount, currency: transaction.currency,
                    other: transaction.amount.isNegative ? "Expenses:Unsorted" : "Income:Unsorted"))
        }
        for gap in history.gaps {
            guard let difference = gap.difference else { continue }
            entries.append(
                Entry(
                    day: gap.day, isCertain: false, payee: "Missing", text: gap.message, id: "", amount: difference,
                    currency: history.currency, other: "Equity:Missing"))
        }
        return entries.enumerated().sorted { ($0.element.day, $0.offset) < ($1.element.day, $1.offset) }.map(\.element)
    }

    private func format(_ entry: Entry, _ account: String) -> String {
        let flag = entry.isCertain ? "*" : "!"
        let postings = """
                \(account)  \(entry.amount) \(entry.currency)
                \(entry.other)  \(-entry.amount) \(entry.currency)


            """
        guard isBeancount else {
            let title = [entry.payee, entry.text].filter { !$0.isEmpty }.joined(separator: " | ")
            let tag = entry.id.isEmpty ? "" : "    ; id: \(entry.id)\n"
            // A semicolon begins a comment, and an opening parenthesis a code.
            let plain = Self.cut(title.folded.escaping([";": ",", "(": "[", ")": "]"]))
            return "\(entry.day) \(flag) \(plain)\n\(tag)\(postings)"
        }
        let tag = entry.id.isEmpty ? "" : "  id: \"\(entry.id)\"\n"
        return "\(entry.day) \(flag) \(string(entry.payee)) \(string(entry.text))\n\(tag)\(postings)"
    }

    private func assertion(
        _ balance: Statement.Balance, on day: CalendarDay, _ history: AccountHistory, _ account: String
    ) -> String {
        if isBeancount {
            // beancount checks a balance at the beginning of its day.
            let next = day.next?.description ?? "2200-01-01"
            return "\(next) balance \(account)  \(balance.amount) \(history.currency)\n\n"
        }
        return """
            \(day) * Closing balance
                \(account)  0.00 \(history.currency) = \(balance.amount) \(history.currency)


            """
    }

    /// A title without what is too long for ledger.
    private static func cut(_ title: String) -> String {
        guard title.utf8.count > titleLength else { return title }
        var (kept, length) = (String.UnicodeScalarView(), 0)
        for scalar in title.unicodeScalars {
            length += UTF8.width(scalar)
            if length > titleLength { break }
            kept.append(scalar)
        }
        return String(kept) + "…"
    }

    /// The account's name in the journal; with its currency, or a number, where several would have one name.
    private func names(of histories: [AccountHistory]) -> [String] {
        var seen: [String: Int] = [:]
        return histories.map { history in
            let letters = history.account.unicodeScalars.filter {
                (0x30...0x39).contains($0.value) || (0x41...0x5A).contains($0.value) || (0x61...0x7A).contains($0.value)
            }
            let plain =
                letters.isEmpty ? "Unknown" : String(String.UnicodeScalarView(letters.prefix(Self.nameLength)))
            let hasSeveral = histories.count { $0.account == history.account } > 1
            let name =
                "Assets:Bank:\(plain.prefix(1).uppercased())\(plain.dropFirst())"
                + (hasSeveral ? "-\(history.currency)" : "")
            let number = seen[name, default: 0] + 1
            seen[name] = number
            return number == 1 ? name : "\(name)-\(number)"
        }
    }

    private func string(_ text: String) -> String {
        "\"" + text.folded.escaping(["\\": "\\\\", "\"": "\\\""]) + "\""
    }
}
