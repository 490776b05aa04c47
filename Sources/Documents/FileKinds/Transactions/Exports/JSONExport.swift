import Encodings

/// Writes one line of JSON. Amounts are strings, for JSON's numbers are floating-point numbers.
enum JSONExport {
    static func text(_ histories: [AccountHistory]) -> String {
        let value: JSONValue = ["accounts": .array(histories.map(account))]
        return value.compactText() + "\n"
    }

    private static func account(_ history: AccountHistory) -> JSONValue {
        var members: [String: JSONValue] = [
            "account": .string(history.account), "currency": .string(history.currency),
            "transactions": .array(history.transactions.map(transaction)),
            "gaps": .array(
                history.gaps.map { gap in
                    var members: [String: JSONValue] = [
                        "day": .string(gap.day.description), "message": .string(gap.message),
                    ]
                    members["difference"] = gap.difference.map { .string($0.description) }
                    return .object(members)
                }),
        ]
        if !history.bank.isEmpty { members["bank"] = .string(history.bank) }
        members["from"] = history.from.map { .string($0.description) }
        members["to"] = history.to.map { .string($0.description) }
        members["opening"] = history.opening.map { opening in
            guard history.isOpeningComputed else { return balance(opening) }
            return .object(
                (balance(opening).objectValue ?? [:]).merging(["computed": .bool(true)]) { $1 })
        }
        members["closing"] = history.closing.map(balance)
        if !history.notes.isEmpty { members["notes"] = .array(history.notes.map { .string($0) }) }
        if history.unreadable > 0 { members["unreadable"] = .number(Double(history.unreadable)) }
        return .object(members)
    }

    private static func balance(_ balance: Statement.Balance) -> JSONValue {
        ["amount": .string(balance.amount.description), "day": .string(balance.day.description)]
    }

    private static func transaction(_ transaction: Transaction) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(transaction.id), "booked": .string(transaction.booked.description),
            "amount": .string(transaction.amount.description), "currency": .string(transaction.currency),
        ]
        members["valued"] = transaction.valued.map { .string($0.description) }
        for (name, text) in [
            ("counterparty", transaction.counterparty), ("counterparty_account", transaction.counterpartyAccount),
            ("purpose", transaction.purpose), ("bank_reference", transaction.bankReference),
            ("payer_reference", transaction.payerReference), ("code", transaction.code),
            ("details", transaction.details),
        ] where !text.isEmpty {
            members[name] = .string(text)
        }
        return .object(members)
    }
}
