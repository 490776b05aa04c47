/// Field 86 with labels: `SEPA OVERBOEKING  IBAN: NL…  NAAM: A. Tester  OMSCHRIJVING: Rent`.
struct LabelledInformation {
    /// The labels of some banks, in capitals and without the colon.
    struct Dialect {
        let names: [String]
        let accounts: [String]
        let purposes: [String]
        let references: [String]
        let others: [String]
        /// Every label with its colon, the longest first: “IBAN AUFTRAGGEBER” is not the end of “AUFTRAGGEBER”.
        let labels: [[Character]]

        init(
            names: [String], accounts: [String], purposes: [String], references: [String], others: [String]
        ) {
            (self.names, self.accounts, self.purposes) = (names, accounts, purposes)
            (self.references, self.others) = (references, others)
            labels = (names + accounts + purposes + references + others).sorted { $0.count > $1.count }
                .map { Array($0 + ":") }
        }
    }

    private static let dialects = [dutch, german, french]

    private let dialect: Dialect
    private var parts: [(label: String, text: String)] = []

    /// Returns nil for a text that names no party by a label.
    init?(_ lines: [Substring]) {
        let text = lines.map(String.init).joined(separator: " ").replacing("/NAAM:", with: " NAAM:")
        guard text.contains(":") else { return nil }
        let capitals = Array(text.uppercased())
        let letters = Array(text)
        // A letter such as ß becomes two capitals, and then the places differ.
        guard capitals.count == letters.count else { return nil }
        for dialect in Self.dialects {
            let parts = Self.parts(of: letters, capitals, dialect)
            guard parts.contains(where: { dialect.names.contains($0.label) }),
                parts.contains(where: { (dialect.purposes + dialect.accounts).contains($0.label) })
            else { continue }
            (self.dialect, self.parts) = (dialect, parts)
            return
        }
        return nil
    }

    /// Splits a text at a dialect's labels. What stands before the first has the label “”.
    private static func parts(
        of letters: [Character], _ capitals: [Character], _ dialect: Dialect
    ) -> [(label: String, text: String)] {
        var parts = [(label: "", text: "")]
        var index = 0
        while index < letters.count {
            let isStart = index == 0 || letters[index - 1] == " "
            if isStart, let label = dialect.labels.first(where: { capitals[index...].starts(with: $0) }) {
                parts.append((String(label.dropLast()), ""))
                index += label.count
            } else {
                parts[parts.count - 1].text.append(letters[index])
                index += 1
            }
        }
        return parts.map { ($0.label, $0.text.folded) }
    }

    /// Puts the parts into the transaction's fields.
    func describe(_ transaction: inout Transaction) {
        var used: Set<String> = []
        func first(_ labels: [String]) -> String {
            for label in labels {
                guard let text = parts.first(where: { $0.label == label && !$0.text.isEmpty })?.text else { continue }
                used.insert(label)
                return text
            }
            return ""
        }
        transaction.counterparty = first(dialect.names)
        let account = first(dialect.accounts)
        if !account.isEmpty { transaction.counterpartyAccount = account.compact }
        transaction.purpose = first(dialect.purposes + [""])
        let reference = first(dialect.references)
        if !reference.isEmpty { transaction.payerReference = reference }
        transaction.details = parts.filter { !used.contains($0.label) && !$0.text.isEmpty }
            .map { $0.label.isEmpty ? $0.text : "\($0.label) \($0.text)" }.joined(separator: "; ")
    }
}
