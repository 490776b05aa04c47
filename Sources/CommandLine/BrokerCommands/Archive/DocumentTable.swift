import Archive
import Foundation
import Terminal

/// Documents as a table of at most 80 columns.
struct DocumentTable {
    private static let widths = [10, 7, 5, 18, 18, 9]

    /// Why a document's file is not named.
    static let absence = "its file is missing, or was changed since it was filed"

    let console: Console

    func header() {
        console.line(Self.row(["id", "month", "kind", "bank", "account", "size"]), .faint)
    }

    func line(_ document: ArchivedDocument) {
        console.line(
            Self.row([
                document.id, document.period?.description ?? "-", document.kind.rawValue, document.bank,
                document.account.isEmpty ? "-" : document.account, Self.size(document.bytes),
            ]))
    }

    /// The documents for a terminal, as wide as it is.
    static func table(of documents: [ArchivedDocument], at now: Date) -> Table {
        var table = Table("ID", "MONTH", "KIND", "BANK", "ACCOUNT", "SIZE", "FILED")
        for document in documents {
            table.add(
                document.id, document.period?.description ?? "", document.kind.rawValue, document.bank,
                document.account, size(document.bytes), document.filedAt.date.ago(at: now))
        }
        return table
    }

    /// The fields in columns with two spaces between. A long text ends with “…”; JSON has it whole.
    static func row(_ fields: [String]) -> String {
        var text = ""
        for (field, width) in zip(fields, widths) {
            let shown = field.count > width ? field.prefix(width - 1) + "…" : field[...]
            text += shown + String(repeating: " ", count: width - shown.count + 2)
        }
        while text.last == " " { text.removeLast() }
        return text
    }

    /// A size with a unit, such as `1.4 MB`.
    static func size(_ bytes: Int) -> String {
        switch bytes {
        case ..<1000: "\(bytes) B"
        case ..<1_000_000: "\(bytes / 1000) kB"
        default: "\(bytes / 1_000_000).\(bytes % 1_000_000 / 100_000) MB"
        }
    }

    /// A line cut to 80 columns, without line ends.
    static func cut(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.count > 76 ? "    " + line.prefix(75) + "…" : "    " + line
    }
}
