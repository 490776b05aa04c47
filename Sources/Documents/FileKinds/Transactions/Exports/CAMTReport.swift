import Crypto
import Encodings

/// Bookings that came from an interface instead of a file, as a file that this module's reader and others' read.
///
/// Without balances it is a report (ISO 20022, camt.052.001.02), which need not have any. Where every booking says the balance
/// after it, it is a statement (camt.053.001.02) with the balances before and after. Entries that are not booked yet are marked
/// as pending (`PDNG`): readers leave them out, so they count once, when they are booked.
package struct CAMTReport: Sendable, Hashable {
    /// One booking, or one that is still pending.
    package struct Entry: Sendable, Hashable {
        /// The interface's own name for it; the same one in every answer.
        package var id: String
        package var booked: CalendarDay
        package var valued: CalendarDay?
        /// Positive when the account received it.
        package var amount: Amount
        /// Three capital letters of ISO 4217.
        package var currency: String
        package var counterparty = ""
        package var purpose = ""
        /// The balance after it.
        package var balance: Amount?
        package var isPending = false

        package init(id: String, booked: CalendarDay, amount: Amount, currency: String) {
            (self.id, self.booked, self.amount, self.currency) = (id, booked, amount, currency)
        }
    }

    /// The account's number or id, as the interface has it.
    package var account: String
    package var currency: String
    package var from: CalendarDay
    package var to: CalendarDay
    /// In the interface's order.
    package var entries: [Entry]
    /// The moment at which the file is made, as in ISO 8601.
    package var made: String

    package init(
        account: String, currency: String, from: CalendarDay, to: CalendarDay, entries: [Entry], made: String
    ) {
        (self.account, self.currency, self.from, self.to) = (account, currency, from, to)
        (self.entries, self.made) = (entries, made)
    }

    /// Returns the file's text.
    ///
    /// - Throws: ``ReadingError`` when the balances after the bookings do not follow from one another.
    package func text() throws(ReadingError) -> String {
        let ordered = try inOrder()
        let (root, part) = ordered.balances == nil ? ("BkToCstmrAcctRpt", "Rpt") : ("BkToCstmrStmt", "Stmt")
        let message = ordered.balances == nil ? "camt.052.001.02" : "camt.053.001.02"
        let name = Self.reference("\(account) \(from) \(to)")
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <Document xmlns="urn:iso:std:iso:20022:tech:xsd:\(message)"><\(root)>
            <GrpHdr><MsgId>\(name)</MsgId><CreDtTm>\(made)</CreDtTm></GrpHdr>
            <\(part)><Id>\(name)</Id><CreDtTm>\(made)</CreDtTm>
            <FrToDt><FrDtTm>\(from)T00:00:00</FrDtTm><ToDtTm>\(to)T23:59:59</ToDtTm></FrToDt>
            <Acct><Id><Othr><Id>\(Self.escaped(Self.reference(account, atMost: 34), 34))</Id></Othr></Id>\
            <Ccy>\(currency)</Ccy></Acct>

            """
        if let (opening, closing) = ordered.balances {
            text += balance("OPBD", opening, from) + balance("CLBD", closing, to)
        }
        for entry in ordered.entries { text += Self.line(entry) }
        return text + "</\(part)></\(root)></Document>\n"
    }

    /// Returns the entries from the oldest to the latest, and the balances before and after them where each has one.
    private func inOrder() throws(ReadingError) -> (entries: [Entry], balances: (Amount, Amount)?) {
        let booked = entries.filter { !$0.isPending }
        guard booked.contains(where: { $0.balance != nil }) else {
            // Interfaces list from the latest or from the oldest; those of one day keep that order.
            let isDescending = zip(entries, entries.dropFirst()).contains { $0.booked > $1.booked }
            let ordered = isDescending ? Array(entries.reversed()) : entries
            return (
                ordered.enumerated().sorted { ($0.element.booked, $0.offset) < ($1.element.booked, $1.offset) }
                    .map(\.element), nil
            )
        }
        for candidate in [booked, booked.reversed()] {
            let follows = zip(candidate, candidate.dropFirst()).allSatisfy { earlier, later in
                guard let before = earlier.balance, let after = later.balance else { return false }
                return before + later.amount == after
            }
            guard follows, let first = candidate.first, let before = first.balance, let after = candidate.last?.balance
            else { continue }
            return (candidate + entries.filter(\.isPending), (before - first.amount, after))
        }
        throw ReadingError(
            .amount, "the balances after the bookings do not follow from one another, so a booking is missing or twice")
    }

    private func balance(_ kind: String, _ amount: Amount, _ day: CalendarDay) -> String {
        "<Bal><Tp><CdOrPrtry><Cd>\(kind)</Cd></CdOrPrtry></Tp>\(Self.amount(amount, currency))"
            + "<Dt><Dt>\(day)</Dt></Dt></Bal>\n"
    }

    private static func line(_ entry: Entry) -> String {
        let reference = reference(entry.id)
        var text = "<Ntry>\(amount(entry.amount, entry.currency))<Sts>\(entry.isPending ? "PDNG" : "BOOK")</Sts>"
        text += "<BookgDt><Dt>\(entry.booked)</Dt></BookgDt>"
        if let valued = entry.valued { text += "<ValDt><Dt>\(valued)</Dt></ValDt>" }
        if !reference.isEmpty { text += "<AcctSvcrRef>\(escaped(reference, 35))</AcctSvcrRef>" }
        text += "<BkTxCd><Prtry><Cd>NTAV</Cd></Prtry></BkTxCd>"
        let party = entry.amount.isNegative ? "Cdtr" : "Dbtr"
        var details = ""
        if !entry.counterparty.isEmpty {
            details += "<RltdPties><\(party)><Nm>\(escaped(entry.counterparty, 70))</Nm></\(party)></RltdPties>"
        }
        let parts = chunks(of: entry.purpose, 140)
        if !parts.isEmpty {
            details += "<RmtInf>" + parts.map { "<Ustrd>\(escaped($0, 140))</Ustrd>" }.joined() + "</RmtInf>"
        }
        if !details.isEmpty { text += "<NtryDtls><TxDtls>\(details)</TxDtls></NtryDtls>" }
        return text + "</Ntry>\n"
    }

    private static func amount(_ amount: Amount, _ currency: String) -> String {
        let magnitude = amount.isNegative ? -amount : amount
        return
            "<Amt Ccy=\"\(currency)\">\(magnitude)</Amt><CdtDbtInd>\(amount.isNegative ? "DBIT" : "CRDT")</CdtDbtInd>"
    }

    /// Returns a text as a reference of at most 35 characters (Max35Text): a UUID without its hyphens, and a digest of what is
    /// longer, which is the same for the same text.
    private static func reference(_ id: String, atMost limit: Int = 35) -> String {
        let clean = cleaned(id)
        if clean.unicodeScalars.count <= limit { return clean }
        let compact = clean.filter { $0 != "-" }
        if compact.unicodeScalars.count <= limit { return compact }
        return Base16.encode(SHA256.hash(data: Array(id.utf8)).prefix(16))
    }

    private static func chunks(of text: String, _ length: Int) -> [String] {
        var rest = Array(cleaned(text).unicodeScalars)
        var parts: [String] = []
        while !rest.isEmpty, parts.count < 10 {
            // A space at the end of a part would be lost to readers that trim.
            var end = min(length, rest.count)
            if end < rest.count, let space = rest[..<end].lastIndex(of: " "), space > 0 { end = space }
            parts.append(String(String.UnicodeScalarView(rest[..<end])))
            rest.removeFirst(end)
            while rest.first == " " { rest.removeFirst() }
        }
        return parts
    }

    /// Folds white space, and leaves out what XML cannot hold (XML 1.0, section 2.2).
    private static func cleaned(_ text: String) -> String {
        text.unicodeScalars.split { $0.properties.isWhitespace || $0.value < 0x20 || $0.value == 0x7F }.map { part in
            String(String.UnicodeScalarView(part.filter { $0.value & 0xFFFE != 0xFFFE }))
        }.filter { !$0.isEmpty }.joined(separator: " ")
    }

    private static func escaped(_ text: String, _ length: Int) -> String {
        String(String.UnicodeScalarView(cleaned(text).unicodeScalars.prefix(length)))
            .escaping(["&": "&amp;", "<": "&lt;", ">": "&gt;"])
    }
}
