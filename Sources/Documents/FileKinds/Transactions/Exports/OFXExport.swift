import Encodings

/// Writes OFX 2.2, which accounting programs import.
///
/// Source: Open Financial Exchange 2.2, section 11.4. OFX limits the length of values: longer ones are cut there.
enum OFXExport {
    /// The name of the opening balance in the list of further balances, for which OFX has no field.
    static let opening = "Opening balance"

    /// Returns what an owner must know of the text: a value that OFX requires and that is not known.
    static func notes(_ histories: [AccountHistory]) -> [String] {
        let absent = histories.compactMap { history in
            refusal(of: history).map { "\(name(of: history)) is left out of the OFX file: \($0)" }
        }
        let foreign = histories.filter { refusal(of: $0) == nil }.flatMap { history in
            history.transactions.lazy.map(\.currency).filter { $0 != history.currency }
        }
        guard !foreign.isEmpty else { return absent }
        let currencies = Set(foreign).sorted().joined(separator: ", ")
        return absent + [
            "OFX requires a rate for each transaction in another currency than the account's; it is not known, and 1 stands in its place for those in \(currencies): \(foreign.count); JSON and CSV keep the currency without a rate"
        ]
    }

    /// Returns whether an account lacks what OFX requires, so that the file has only the others.
    static func lacksAccounts(_ histories: [AccountHistory]) -> Bool { histories.contains { refusal(of: $0) != nil } }

    /// Returns the text with each account that has a closing balance, which OFX requires.
    ///
    /// - Throws: when none has one.
    static func text(_ histories: [AccountHistory]) throws(ReadingError) -> String {
        let possible = histories.filter { refusal(of: $0) == nil }
        if possible.isEmpty, let first = histories.lazy.compactMap(refusal).first {
            throw ReadingError(.syntax, first)
        }
        var messages = ""
        for (index, history) in possible.enumerated() {
            guard let closing = history.closing else { continue }
            messages += response(history, closing, index + 1)
        }
        let days = possible.compactMap(\.closing?.day)
        return """
            <?xml version="1.0" encoding="UTF-8" standalone="no"?>
            <?OFX OFXHEADER="200" VERSION="220" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>
            <OFX>
            <SIGNONMSGSRSV1><SONRS><STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>\
            <DTSERVER>\(digits(days.max()))</DTSERVER><LANGUAGE>ENG</LANGUAGE></SONRS></SIGNONMSGSRSV1>
            <BANKMSGSRSV1>
            \(messages)</BANKMSGSRSV1>
            </OFX>

            """
    }

    /// Returns why an account cannot be written, and what to do; nil for one that can.
    private static func refusal(of history: AccountHistory) -> String? {
        if let absence = history.absence {
            return "\(absence), and OFX requires a closing balance; ask for other days"
        }
        guard history.closing == nil else { return nil }
        return
            "OFX requires a closing balance, and the files of one account have none (QIF and CSV never do); export CSV or JSON instead"
    }

    /// Names an account for a message: of a long number the last four characters, because messages end in logs.
    private static func name(of history: AccountHistory) -> String {
        let account = history.account
        if account.isEmpty { return "the account without a number, in \(history.currency)," }
        return account.count > 8
            ? "the account that ends with \(account.suffix(4)), in \(history.currency),"
            : "the account \(ReadingError.quoted(account)), in \(history.currency),"
    }

    private static func response(
        _ history: AccountHistory, _ closing: Statement.Balance, _ number: Int
    ) -> String {
        var text = "<STMTTRNRS><TRNUID>\(number)</TRNUID><STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>"
        text += "<STMTRS>" + field("CURDEF", history.currency, 3)
        text += "<BANKACCTFROM>" + field("BANKID", bank(of: history), 9)
        text += field("ACCTID", String((history.account.isEmpty ? "UNKNOWN" : history.account).suffix(22)), 22)
        text += "<ACCTTYPE>CHECKING</ACCTTYPE></BANKACCTFROM>\n"
        text += "<BANKTRANLIST>" + field("DTSTART", digits(history.from ?? closing.day), 8)
        text += field("DTEND", digits(history.to ?? closing.day), 8) + "\n"
        for transaction in history.transactions { text += line(transaction, history) }
        text += "</BANKTRANLIST>\n"
        text += "<LEDGERBAL>" + field("BALAMT", closing.amount.description, 32)
        text += field("DTASOF", digits(closing.day), 8) + "</LEDGERBAL>"
        if let balance = history.opening, !history.isOpeningComputed {
            text += "<BALLIST><BAL>" + field("NAME", opening, 32)
            text += field("DESC", "The balance before the first transaction", 80)
            text += "<BALTYPE>DOLLAR</BALTYPE>" + field("VALUE", balance.amount.description, 32)
            text += field("DTASOF", digits(balance.day), 8) + "</BAL></BALLIST>"
        }
        return text + "</STMTRS></STMTTRNRS>\n"
    }

    private static func line(_ transaction: Transaction, _ history: AccountHistory) -> String {
        var text = "<STMTTRN><TRNTYPE>\(transaction.amount.isNegative ? "DEBIT" : "CREDIT")</TRNTYPE>"
        text += field("DTPOSTED", digits(transaction.booked), 8)
        if let valued = transaction.valued { text += field("DTAVAIL", digits(valued), 8) }
        text += field("TRNAMT", transaction.amount.description, 32) + field("FITID", transaction.id, 255)
        text += field("REFNUM", transaction.payerReference, 32) + field("NAME", transaction.counterparty, 32)
        if transaction.counterparty.unicodeScalars.count > 32 {
            text += field("EXTDNAME", transaction.counterparty, 100)
        }
        text += field("MEMO", transaction.purpose, 255)
        if transaction.currency != history.currency {
            // The amount is in this currency (section 5.2); ORIGCURRENCY would say that it was converted. The rate is required, and
            // not known.
            text += "<CURRENCY><CURRATE>1</CURRATE>" + field("CURSYM", transaction.currency, 3) + "</CURRENCY>"
        }
        return text + "</STMTTRN>\n"
    }

    /// The bank's number from a German IBAN, else what the file says, e.g. a BIC.
    private static func bank(of history: AccountHistory) -> String {
        if history.account.hasPrefix("DE"), history.account.utf8.count == 22 {
            return String(history.account.dropFirst(4).prefix(8))
        }
        return history.bank.isEmpty ? "UNKNOWN" : history.bank
    }

    private static func digits(_ day: CalendarDay?) -> String {
        (day?.description ?? "1970-01-01").filter { $0 != "-" }
    }

    private static func field(_ name: String, _ text: String, _ length: Int) -> String {
        guard !text.isEmpty else { return "" }
        // XML cannot hold noncharacters (XML 1.0, section 2.2). Control characters are in no text.
        let allowed = text.unicodeScalars.lazy.filter { $0.value & 0xFFFE != 0xFFFE }
        let cut = String(String.UnicodeScalarView(allowed.prefix(length)))
        let escaped = cut.escaping(["&": "&amp;", "<": "&lt;", ">": "&gt;"])
        return "<\(name)>\(escaped)</\(name)>"
    }
}
