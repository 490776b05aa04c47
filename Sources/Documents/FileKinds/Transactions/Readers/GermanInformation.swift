/// Field 86 as German banks structure it: a code of three digits, then subfields `?00` to `?63`.
///
/// Source: Deutsche Kreditwirtschaft, DFÜ agreement, annex 3, chapter 8.2. The purpose carries SEPA's own parts, such as
/// `EREF+` and `SVWZ+`.
struct GermanInformation {
    private var subfields: [Int: String] = [:]

    /// Returns nil for a text without subfields.
    init?(_ lines: [Substring]) {
        // Lines are broken after 65 characters, also inside words.
        let text = lines.joined()
        guard CalendarDay.number(text.utf8.prefix(3)) != nil, let separator = text.utf8.dropFirst(3).first,
            separator == UInt8(ascii: "?") || separator == UInt8(ascii: ">") || separator == UInt8(ascii: "@")
        else { return nil }
        for part in text.dropFirst(3).split(separator: Character(Unicode.Scalar(separator))) {
            guard let number = CalendarDay.number(part.utf8.prefix(2)) else { continue }
            subfields[number, default: ""] += part.dropFirst(2)
        }
        guard !subfields.isEmpty else { return nil }
    }

    /// Puts the subfields into the transaction's fields.
    func describe(_ transaction: inout Transaction) {
        let purpose = (Array(20...29) + Array(60...63)).compactMap { subfields[$0] }.joined()
        let parts = Self.parts(of: purpose)
        transaction.purpose = (parts["SVWZ"] ?? parts[""] ?? "").folded
        if transaction.purpose.isEmpty { transaction.purpose = subfields[0]?.folded ?? "" }
        if let reference = parts["EREF"]?.folded, !reference.isEmpty, reference != "NOTPROVIDED" {
            transaction.payerReference = reference
        }
        transaction.counterparty = [subfields[32], subfields[33]].compactMap { $0 }.joined().folded
        let account = parts["IBAN"]?.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? subfields[31] ?? ""
        transaction.counterpartyAccount = account.compact
    }

    /// Splits a purpose at SEPA's marks. What stands before the first is under the empty name.
    private static func parts(of purpose: String) -> [String: String] {
        let names = [
            "EREF", "KREF", "MREF", "CRED", "DEBT", "SVWZ", "ABWA", "ABWE", "IBAN", "BIC", "COAM", "OAMT", "PURP",
        ]
        var parts: [String: String] = [:]
        var name = ""
        var rest = purpose[...]
        while !rest.isEmpty {
            if let found = names.first(where: { rest.hasPrefix($0 + "+") }) {
                name = found
                rest = rest.dropFirst(found.count + 1)
            } else {
                parts[name, default: ""].append(rest.removeFirst())
            }
        }
        return parts
    }
}
