/// The formats in which transactions leave.
package enum TransactionExport: String, Sendable, Hashable, CaseIterable {
    case json
    case csv
    case ofx
    case beancount
    /// For ledger and hledger.
    case ledger

    /// Returns what the owner must know of the file's text, each as a sentence.
    package func notes(_ histories: [AccountHistory]) -> [String] { self == .ofx ? OFXExport.notes(histories) : [] }

    /// Returns whether the file's text lacks accounts, each of which ``notes(_:)`` names.
    package func lacksAccounts(_ histories: [AccountHistory]) -> Bool {
        self == .ofx && OFXExport.lacksAccounts(histories)
    }

    /// Returns the file's text.
    ///
    /// - Throws: ``ReadingError`` for OFX when none of the accounts has a closing balance of the days asked for.
    package func text(_ histories: [AccountHistory]) throws(ReadingError) -> String {
        switch self {
        case .json: JSONExport.text(histories)
        case .csv: CSVExport.text(histories)
        case .ofx: try OFXExport.text(histories)
        case .beancount: JournalExport.beancount(histories)
        case .ledger: JournalExport.ledger(histories)
        }
    }
}
