/// Field 86 with labels: `SEPA OVERBOEKING  IBAN: NL…  NAAM: A. Tester  OMSCHRIJVING: Rent`.
///
/// Sources: ABN AMRO's description of MT940, as its statements were until 2014 and those of smaller banks still are; Knab's
/// statements, `Invoice 7 REK: NL…/NAAM: A. Tester`.
struct LabelledInformation {
    private var parts: [String: String] = [:]

    private static let labels = [
        "IBAN", "REK", "BIC", "NAAM", "OMSCHRIJVING", "KENMERK", "MACHTIGING", "INCASSANT", "BETALINGSKENM.", "VOOR",
    ]

    /// Returns nil for a text that names no party by a label.
    init?(_ lines: [Substring]) {
        let text = lines.map(String.init).joined(separator: " ").replacing("/NAAM:", with: " NAAM:")
        guard text.contains("NAAM:"), ["IBAN:", "REK:", "OMSCHRIJVING:"].contains(where: { text.contains($0) }) else {
            return nil
        }
        var label = ""
        for word in text.split(separator: " ") {
            if word.hasSuffix(":"), Self.labels.contains(String(word.dropLast())) {
                label = String(word.dropLast())
            } else {
                parts[label, default: ""] += (parts[label] == nil ? "" : " ") + word
            }
        }
    }

    /// Puts the parts into the transaction's fields.
    func describe(_ transaction: inout Transaction) {
        transaction.counterparty = (parts["NAAM"] ?? "").folded
        if let account = (parts["IBAN"] ?? parts["REK"])?.compact { transaction.counterpartyAccount = account }
        transaction.purpose = (parts["OMSCHRIJVING"] ?? parts["BETALINGSKENM."] ?? parts[""] ?? "").folded
        if let reference = parts["KENMERK"]?.folded { transaction.payerReference = reference }
    }
}
