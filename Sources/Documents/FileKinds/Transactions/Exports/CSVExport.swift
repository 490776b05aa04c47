import Encodings

/// Writes CSV (RFC 4180, UTF-8, CR LF) that this module's reader reads back with the same ids.
enum CSVExport {
    static func text(_ histories: [AccountHistory]) -> String {
        var result = CSVColumns.ownRoles.map(\.rawValue).joined(separator: ",") + "\r\n"
        for history in histories {
            for transaction in history.transactions {
                for (index, role) in CSVColumns.ownRoles.enumerated() {
                    if index > 0 { result += "," }
                    result += field(role, transaction, history)
                }
                result += "\r\n"
            }
        }
        return result
    }

    private static func field(
        _ role: CSVColumns.Role, _ transaction: Transaction, _ history: AccountHistory
    ) -> String {
        switch role {
        case .id: transaction.id
        case .account: text(history.account)
        case .booked: transaction.booked.description
        case .valued: transaction.valued?.description ?? ""
        case .amount: transaction.amount.description
        case .debit, .credit, .fee, .sign, .status, .balance: ""
        case .currency: transaction.currency
        case .counterparty: text(transaction.counterparty)
        case .counterpartyAccount: text(transaction.counterpartyAccount)
        case .purpose: text(transaction.purpose)
        case .bankReference: text(transaction.bankReference)
        case .payerReference: text(transaction.payerReference)
        case .code: text(transaction.code)
        case .details: text(transaction.details)
        }
    }

    /// A text of a bank or a payer, always in quotation marks.
    private static func text(_ text: String) -> String {
        guard !text.isEmpty else { return "" }
        let safe = FormulaGuard.guarded(text)
        return "\"" + (safe.utf8.contains(UInt8(ascii: "\"")) ? safe.escaping(["\"": "\"\""]) : safe) + "\""
    }
}
