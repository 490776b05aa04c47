/// Field 86 with words between slashes: `/NAME/A. Tester/REMI/Rent/`.
///
/// Sources: SWIFT, Standards MT category 9, field 86, codes; the descriptions of ABN AMRO, ING, Rabobank, Knab and bunq,
/// and those of Belgian and Nordic banks that use SWIFT's codes.
struct SlashInformation {
    private var parts: [(code: String, text: String)] = []

    private static let codes: Set<String> = [
        "ACCW", "BENM", "BIC", "CHGS", "CNTP", "CSID", "EREF", "EXCH", "IBAN", "INIT", "IREF", "ISDT", "KREF", "MARF",
        "NAME", "OCMT", "ORDP", "PREF", "PURP", "REMI", "RTRN", "SVCL", "TRCD", "TRTP", "ULTB", "ULTC", "ULTD",
    ]
    /// Codes of a party's name, of which a purpose may have the letters.
    private static let codesOfParties: Set<String> = ["ADDR", "CITY", "CTRY", "ID"]

    /// Returns nil for a text that does not begin with a code.
    init?(_ lines: [Substring]) {
        let text = Self.joined(lines)
        // A bank's own code may begin the text, if codes that are known follow.
        guard let start = Self.code(text[...], after: "") ?? Self.ownCode(text) else { return nil }
        parts.append((start, ""))
        var rest = text.dropFirst(start.utf8.count + 1)
        while let first = rest.first {
            if first == "/", let next = Self.code(rest, after: parts[parts.count - 1].code) {
                parts.append((next, ""))
                rest = rest.dropFirst(next.count + 1)
            } else {
                parts[parts.count - 1].text.append(rest.removeFirst())
            }
        }
        parts = parts.map { ($0.code, $0.text.trimmingSlashes) }
    }

    /// The code between two slashes at the start of a text.
    private static func code(_ text: Substring, after current: String) -> String? {
        guard text.first == "/", let end = text.dropFirst().prefix(6).firstIndex(of: "/") else { return nil }
        let code = String(text[text.index(after: text.startIndex)..<end])
        if codesOfParties.contains(code) { return ["", "REMI", "EREF"].contains(current) ? nil : code }
        return codes.contains(code) ? code : nil
    }

    private static func ownCode(_ text: String) -> String? {
        guard text.hasPrefix("/") else { return nil }
        let code = text.dropFirst().prefix { $0 != "/" }
        guard code.utf8.count == 4, code.allSatisfy({ ("A"..."Z").contains($0) }),
            ["/NAME/", "/REMI/", "/IBAN/"].contains(where: { text.contains($0) })
        else { return nil }
        return String(code)
    }

    /// Lines of full length go on in the next one; others end a word.
    private static func joined(_ lines: [Substring]) -> String {
        lines.reduce(into: "") { text, line in
            text += line.utf8.count >= 64 ? String(line) : line + " "
        }
    }

    /// Puts the parts into the transaction's fields.
    func describe(_ transaction: inout Transaction) {
        // The texts of each code in one, and what is not used of them.
        var texts: [String: String] = [:]
        for (code, text) in parts where !text.isEmpty {
            texts[code] = [texts[code], text].compactMap(\.self).joined(separator: " ")
        }
        func take(_ code: String) -> String { texts.removeValue(forKey: code) ?? "" }
        var name = take("NAME").folded
        var account = take("IBAN").compact
        // The other party in one: account, BIC, name and town.
        if let party = texts["CNTP"]?.split(separator: "/", omittingEmptySubsequences: false).map(\.folded) {
            var left = party
            if account.isEmpty { (account, left[0]) = (party[0].compact, "") }
            if name.isEmpty, party.count > 2 { (name, left[2]) = (party[2], "") }
            texts["CNTP"] = left.filter { !$0.isEmpty }.joined(separator: " ")
        }
        for code in ["ORDP", "BENM", "ACCW"] where name.isEmpty {
            guard let party = texts[code]?.split(separator: "/").map(\.folded), let last = party.last else { continue }
            name = last
            texts[code] = party.dropLast().joined(separator: " ")
        }
        transaction.counterparty = name
        if !account.isEmpty { transaction.counterpartyAccount = account }
        var purpose = take("REMI")
        if purpose.hasPrefix("USTD//") { purpose = String(purpose.dropFirst(6)) }
        if purpose.hasPrefix("STRD/") {
            // The issuer of the reference stands before it: /REMI/STRD/CUR/123/.
            purpose = purpose.split(separator: "/").dropFirst().filter { $0 != "CUR" }.joined(separator: " ")
        }
        transaction.purpose = purpose.folded
        if transaction.purpose.isEmpty { transaction.purpose = take("TRTP").folded }
        let reference = take("EREF").folded
        if !reference.isEmpty, reference != "NOTPROVIDED" { transaction.payerReference = reference }
        var seen: Set<String> = []
        transaction.details = parts.map(\.code).filter { seen.insert($0).inserted }
            .compactMap { code in texts[code].flatMap { $0.isEmpty ? nil : "\(code) \($0.folded)" } }
            .joined(separator: "; ")
    }
}

extension String {
    fileprivate var trimmingSlashes: String {
        var rest = self[...]
        while let first = rest.first, first == "/" || first == " " { rest.removeFirst() }
        while let last = rest.last, last == "/" || last == " " { rest.removeLast() }
        return String(rest)
    }
}
