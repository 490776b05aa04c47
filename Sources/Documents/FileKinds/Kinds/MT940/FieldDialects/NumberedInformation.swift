/// Field 86 with numbered subfields: perhaps a code of three digits, then `?20…?32…`.
///
/// Sources: Deutsche Kreditwirtschaft, DFÜ agreement, annex 3, chapter 8.2, for Germany, whose purposes carry SEPA's own
/// parts, such as `EREF+` and `SVWZ+`; the descriptions of mBank, PKO and ING for Poland, which write `<`, `~` or `>` for
/// `?` and the account in 38.
struct NumberedInformation {
    private var subfields: [Int: String] = [:]
    /// The bank's code of three digits before the first subfield.
    private var code = ""

    private static let separators = Set("?>@~<^".utf8)
    private static let purpose = Array(20...29) + Array(60...65)
    private static let known = Set(purpose + Array(0...12) + Array(30...38))
    /// The length of a subfield: a shorter one ends where its line did.
    private static let length = 27

    /// Returns nil for a text without subfields.
    init?(_ lines: [Substring]) {
        // Lines are broken after 65 characters, also inside words.
        let text = Array(lines.joined().utf8)
        let start = CalendarDay.number(text.prefix(3)) != nil ? 3 : 0
        guard text.count > start + 3, Self.separators.contains(text[start]), Self.number(text, start) != nil else {
            return nil
        }
        let separator = text[start]
        code = String(decoding: text.prefix(start), as: UTF8.self)
        var parts: [(number: Int, text: [UInt8])] = []
        var index = start
        while index < text.count {
            // A question mark in a text has no number of a subfield behind it.
            if text[index] == separator, let number = Self.number(text, index) {
                parts.append((number, []))
                index += 3
            } else {
                parts[parts.count - 1].text.append(text[index])
                index += 1
            }
        }
        // Without a code, one mark alone may be text.
        guard start == 3 || parts.count > 1 else { return nil }
        let width = max(Self.length, parts.map(\.text.count).max() ?? 0)
        func joined(_ numbers: [Int]) -> String {
            let chosen = numbers.flatMap { number in parts.filter { $0.number == number } }
            var result = ""
            for (place, part) in chosen.enumerated() {
                let text = String(decoding: part.text, as: UTF8.self)
                result += text
                // What fills its subfield goes on in the next; what is shorter ended there.
                let isFull = text.count >= Self.length && text.count >= min(width, 35)
                if place + 1 < chosen.count, !isFull { result += " " }
            }
            return result
        }
        for number in Set(parts.map(\.number)) { subfields[number] = joined([number]) }
        subfields[20] = joined(Self.purpose)
        subfields[32] = joined([32, 33])
    }

    /// The number of a subfield behind a mark.
    private static func number(_ text: [UInt8], _ mark: Int) -> Int? {
        guard mark + 2 < text.count, let number = CalendarDay.number(text[(mark + 1)...(mark + 2)]) else { return nil }
        return known.contains(number) ? number : nil
    }

    /// Puts the subfields into the transaction's fields.
    func describe(_ transaction: inout Transaction) {
        var parts = Self.parts(of: subfields[20] ?? "")
        func take(_ name: String) -> String { parts.removeValue(forKey: name)?.folded ?? "" }
        var left = subfields.filter { [0, 10, 30, 34].contains($0.key) || (1...12).contains($0.key) }
        transaction.purpose = [take(""), take("SVWZ")].filter { !$0.isEmpty }.joined(separator: " ")
        if transaction.purpose.isEmpty { transaction.purpose = left.removeValue(forKey: 0)?.folded ?? "" }
        let reference = take("EREF")
        if !reference.isEmpty, reference != "NOTPROVIDED" { transaction.payerReference = reference }
        transaction.counterparty = (subfields[32] ?? "").folded
        let stated = parts["IBAN"]?.split(whereSeparator: \.isWhitespace).first.map(String.init)
        let accounts = [stated, subfields[38], subfields[31]].compactMap { $0?.compact }.filter { !$0.isEmpty }
        transaction.counterpartyAccount = accounts.first ?? ""
        var details = [code]
        details += left.sorted { $0.key < $1.key }.map { $0.value.folded }
        details += accounts.dropFirst().filter { $0 != accounts[0] }
        details += [35, 36, 37].compactMap { subfields[$0]?.folded }
        details += parts.filter { $0.key != "IBAN" || $0.value.compact != stated }.sorted { $0.key < $1.key }
            .compactMap { $0.value.folded.isEmpty ? nil : "\($0.key) \($0.value.folded)" }
        transaction.details = details.filter { !$0.isEmpty }.joined(separator: "; ")
    }

    private static let names = [
        "EREF", "KREF", "MREF", "CRED", "DEBT", "SVWZ", "ABWA", "ABWE", "IBAN", "BIC", "COAM", "OAMT", "PURP",
    ]

    /// Splits a purpose at SEPA's marks. What stands before the first is under the empty name.
    private static func parts(of purpose: String) -> [String: String] {
        // Savings banks write “SVWZ: ” for “SVWZ+”.
        let isOfColons = purpose.hasPrefix("EREF: ") || purpose.contains("SVWZ: ")
        var parts: [String: String] = [:]
        var name = ""
        let bytes = Array(purpose.utf8)
        var (start, index) = (0, 0)
        while index < bytes.count {
            // A mark is capitals and a plus; of most letters the first look says that none begins there.
            guard (0x41...0x5A).contains(bytes[index]),
                let found = names.first(where: { known in
                    let end = index + known.utf8.count
                    guard end < bytes.count, bytes[index..<end].elementsEqual(known.utf8) else { return false }
                    let isColon = isOfColons && bytes[end] == 0x3A && end + 1 < bytes.count && bytes[end + 1] == 0x20
                    return bytes[end] == 0x2B || isColon
                })
            else {
                index += 1
                continue
            }
            parts[name, default: ""] += String(decoding: bytes[start..<index], as: UTF8.self)
            name = found
            index += found.utf8.count + 1
            start = index
        }
        parts[name, default: ""] += String(decoding: bytes[start...], as: UTF8.self)
        return parts
    }
}
