/// Field 86 with words between slashes: `/NAME/A. Tester/REMI/Rent/`.
///
/// Sources: SWIFT, Standards MT category 9, field 86, codes; the descriptions of ABN AMRO, ING, Rabobank, Knab and bunq,
/// and those of Belgian and Nordic banks that use SWIFT's codes.
struct SlashInformation {
    private var parts: [String: String] = [:]

    private static let codes: Set<String> = [
        "ACCW", "BENM", "BIC", "CHGS", "CNTP", "CSID", "EREF", "EXCH", "IBAN", "INIT", "IREF", "ISDT", "KREF", "MARF",
        "NAME", "OCMT", "ORDP", "PREF", "PURP", "REMI", "RTRN", "SVCL", "TRCD", "TRTP", "ULTB", "ULTC", "ULTD",
    ]
    /// Codes of a party's name, of which a purpose may have the letters.
    private static let codesOfParties: Set<String> = ["ADDR", "CITY", "CTRY", "ID"]

    /// Returns nil for a text that does not begin with a code.
    init?(_ lines: [Substring]) {
        let text = Self.joined(lines)
        guard Self.code(text[...], after: "") != nil else { return nil }
        var code = ""
        var rest = text[...]
        var value = ""
        func end(_ parts: inout [String: String]) {
            let plain = value.trimmingSlashes
            if parts[code, default: ""].isEmpty {
                parts[code] = plain
            } else if !plain.isEmpty {
                parts[code]! += " " + plain
            }
            value = ""
        }
        while let first = rest.first {
            if first == "/", let next = Self.code(rest, after: code) {
                if !code.isEmpty { end(&parts) }
                code = next
                rest = rest.dropFirst(next.count + 1)
            } else {
                value.append(rest.removeFirst())
            }
        }
        end(&parts)
    }

    /// The code between two slashes at the start of a text.
    private static func code(_ text: Substring, after current: String) -> String? {
        guard text.first == "/", let end = text.dropFirst().prefix(6).firstIndex(of: "/") else { return nil }
        let code = String(text[text.index(after: text.startIndex)..<end])
        if codesOfParties.contains(code) { return ["", "REMI", "EREF"].contains(current) ? nil : code }
        return codes.contains(code) ? code : nil
    }

    /// Lines of full length go on in the next one; others end a word.
    private static func joined(_ lines: [Substring]) -> String {
        lines.reduce(into: "") { text, line in
            text += line.utf8.count >= 64 ? String(line) : line + " "
        }
    }

    /// Puts the parts into the transaction's fields.
    func describe(_ transaction: inout Transaction) {
        var name = parts["NAME"] ?? ""
        var account = parts["IBAN"] ?? ""
        // The other party in one: account, BIC, name and town.
        if let party = parts["CNTP"]?.split(separator: "/", omittingEmptySubsequences: false).map(\.folded) {
            if account.isEmpty { account = party[0] }
            if name.isEmpty, party.count > 2 { name = party[2] }
        }
        for code in ["ORDP", "BENM", "ACCW"] where name.isEmpty {
            name = parts[code].map { String($0.split(separator: "/").last ?? "") } ?? ""
        }
        transaction.counterparty = name.folded
        if !account.isEmpty { transaction.counterpartyAccount = account.compact }
        var purpose = parts["REMI"] ?? ""
        if purpose.hasPrefix("USTD//") { purpose = String(purpose.dropFirst(6)) }
        if purpose.hasPrefix("STRD/") {
            // The issuer of the reference stands before it: /REMI/STRD/CUR/123/.
            purpose = purpose.split(separator: "/").dropFirst().filter { $0 != "CUR" }.joined(separator: " ")
        }
        transaction.purpose = purpose.folded
        if transaction.purpose.isEmpty { transaction.purpose = (parts["TRTP"] ?? "").folded }
        if let reference = parts["EREF"]?.folded, !reference.isEmpty, reference != "NOTPROVIDED" {
            transaction.payerReference = reference
        }
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
