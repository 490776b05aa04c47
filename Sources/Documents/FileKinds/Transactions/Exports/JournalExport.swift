import Encodings

/// Writes journals of double-entry bookkeeping as text: for beancount, and for ledger and hledger.
///
/// The other side of each transaction is `Income:Unsorted` or `Expenses:Unsorted`. Opening balances come from `Equity`,
/// and what a gap hides goes to `Equity:Missing`, so that the closing balance, which is asserted, holds.
/// Without an opening balance nothing is asserted.
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
            for entry in entries(history) { text += format(entry, name) }
            if let closing = history.closing {
                // A comment in both languages.
                text +=
                    history.opening == nil
                    ? "; \(closing.amount) \(history.currency) of \(closing.day) is not asserted: no file has an opening balance\n\n"
                    : assertion(closing, history, name)
            }
        }
        return text
    }

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
        return entries
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
            let plain = title.folded.escaping([";": ",", "(": "[", ")": "]"])
            return "\(entry.day) \(flag) \(plain)\n\(tag)\(postings)"
        }
        let tag = entry.id.isEmpty ? "" : "  id: \"\(entry.id)\"\n"
        return "\(entry.day) \(flag) \(string(entry.payee)) \(string(entry.text))\n\(tag)\(postings)"
    }

    private func assertion(_ closing: Statement.Balance, _ history: AccountHistory, _ account: String) -> String {
        let last = [closing.day, history.to, history.transactions.last?.booked].compactMap { $0 }.max() ?? closing.day
        if isBeancount {
            // beancount checks a balance at the beginning of its day.
            return "\(last.next ?? last) balance \(account)  \(closing.amount) \(history.currency)\n\n"
        }
        return """
            \(last) * Closing balance
                \(account)  0.00 \(history.currency) = \(closing.amount) \(history.currency)


            """
    }

    /// The account's name in the journal; with its currency, or a number, where several would have one name.
    private func names(of histories: [AccountHistory]) -> [String] {
        var seen: [String: Int] = [:]
        return histories.map { history in
            let letters = history.account.unicodeScalars.filter {
                (0x30...0x39).contains($0.value) || (0x41...0x5A).contains($0.value) || (0x61...0x7A).contains($0.value)
            }
            let plain = letters.isEmpty ? "Unknown" : String(String.UnicodeScalarView(letters))
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
