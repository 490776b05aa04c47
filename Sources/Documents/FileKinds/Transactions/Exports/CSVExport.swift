import Encodings

/// Writes CSV (RFC 4180, UTF-8, CR LF) that this module's reader reads back with the same ids.
enum CSVExport {
    static func text(_ histories: [AccountHistory]) -> String {
        var lines = [CSVColumns.ownRoles.map(\.rawValue).joined(separator: ",")]
        for history in histories {
            for transaction in history.transactions {
                let fields = CSVColumns.ownRoles.map { value($0, transaction, history) }
                lines.append(fields.map(quoted).joined(separator: ","))
            }
        }
        return lines.map { $0 + "\r\n" }.joined()
    }

    private static func value(
        _ role: CSVColumns.Role, _ transaction: Transaction, _ history: AccountHistory
    ) -> String {
        switch role {
        case .id: transaction.id
        case .account: guarded(history.account)
        case .booked: transaction.booked.description
        case .valued: transaction.valued?.description ?? ""
        case .amount: transaction.amount.description
        case .debit, .credit, .sign: ""
        case .currency: transaction.currency
        case .counterparty: guarded(transaction.counterparty)
        case .counterpartyAccount: guarded(transaction.counterpartyAccount)
        case .purpose: guarded(transaction.purpose)
        case .bankReference: guarded(transaction.bankReference)
        case .payerReference: guarded(transaction.payerReference)
        case .code: guarded(transaction.code)
        }
    }

    /// Puts an apostrophe before text that a spreadsheet would take for a formula: anybody can send a payment whose
    /// purpose is `=HYPERLINK(…)`.
    static func guarded(_ text: String) -> String { text.beginsFormula ? "'" + text : text }

    static func unguarded(_ text: String) -> String {
        let rest = String(text.unicodeScalars.dropFirst())
        return text.unicodeScalars.first == "'" && rest.beginsFormula ? rest : text
    }

    private static func quoted(_ text: String) -> String {
        guard text.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return text }
        return "\"" + text.escaping(["\"": "\"\""]) + "\""
    }
}
