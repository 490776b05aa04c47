import Markup

/// Collects the statements of an OFX document, whose elements OFX 1 writes in SGML and OFX 2 in XML.
///
/// Source: Open Financial Exchange 1.6 and 2.2, sections 11.3 and 11.4 (bank and credit card statements).
struct OFXCollector {
    private let limits: ReadingLimits
    private var transactions: [Transaction] = []
    private(set) var statements: [Statement] = []

    init(limits: ReadingLimits) { self.limits = limits }

    /// Returns the statements of an OFX 2 document.
    static func readXML(_ bytes: [UInt8], _ limits: ReadingLimits) throws(ReadingError) -> [Statement] {
        var collector = OFXCollector(limits: limits)
        try ReadingError.ofXML {
            try XMLRecords.read(
                bytes, limits: XMLLimits(depth: limits.depth, text: limits.text),
                starting: { element, depth in
                    guard depth > 0 || element.name == "OFX" else {
                        throw ReadingError(
                            .wrongKind, line: element.line, "the document is <\(element.name)>, not <OFX>")
                    }
                }, finished: { try collector.finished($0) })
        }
        return try collector.result()
    }

    /// Returns the statements of an OFX 1 document.
    static func readSGML(_ bytes: [UInt8], _ limits: ReadingLimits) throws(ReadingError) -> [Statement] {
        var collector = OFXCollector(limits: limits)
        var sgml = OFXMarkup(try TextDecoding.text(bytes), limits: limits)
        try sgml.read { element throws(ReadingError) in try collector.finished(element) }
        return try collector.result()
    }

    private func result() throws(ReadingError) -> [Statement] {
        guard !statements.isEmpty else {
            throw ReadingError(
                .syntax, "the file has no statement of a bank account or a credit card (STMTRS, CCSTMTRS)")
        }
        return statements
    }

    private mutating func finished(_ element: MarkupElement) throws(ReadingError) -> Bool {
        switch element.name {
        case "STMTTRN":
            guard transactions.count < limits.transactions else {
                throw ReadingError(
                    .tooLarge, line: element.line, "more than \(limits.transactions) transactions; split the file")
            }
            transactions.append(try transaction(element))
            return true
        case "STMTRS", "CCSTMTRS":
            statements.append(try statement(element))
            transactions = []
            return true
        case "INVSTMTRS":
            // Cash movements of a securities account have no balance of their own.
            transactions = []
            return true
        default: return false
        }
    }

    private func transaction(_ element: MarkupElement) throws(ReadingError) -> Transaction {
        func text(_ name: String) -> String { element[name]?.text.folded ?? "" }
        var made = Transaction(
            booked: try day("DTPOSTED", in: element), amount: try amount("TRNAMT", in: element),
            currency: element.first("CURRENCY", "CURSYM")?.text.folded ?? "")
        made.valued = element["DTAVAIL"].flatMap { CalendarDay(digits: $0.text.folded.utf8.prefix(8)) }
        made.counterparty =
            [text("EXTDNAME"), element.first("PAYEE", "NAME")?.text.folded ?? "", text("NAME")]
            .first { !$0.isEmpty } ?? ""
        let other = element["BANKACCTTO"] ?? element["CCACCTTO"] ?? element["BANKACCTFROM"]
        made.counterpartyAccount = other?["ACCTID"]?.text.compact ?? ""
        made.purpose = text("MEMO")
        made.payerReference = [text("CHECKNUM"), text("REFNUM")].first { !$0.isEmpty } ?? ""
        made.code = text("TRNTYPE")
        let reference = text("FITID")
        guard !reference.isEmpty else {
            throw ReadingError(
                .syntax, line: element.line,
                "a transaction (STMTTRN) without FITID, which OFX requires; ask the bank for the file again")
        }
        if TransactionIdentity.isID(reference) { made.id = reference } else { made.bankReference = reference }
        return made
    }

    private func statement(_ element: MarkupElement) throws(ReadingError) -> Statement {
        let currency = element["CURDEF"]?.text.folded ?? ""
        guard Statement.isCurrency(currency) else {
            throw ReadingError(
                .currency, line: element.line,
                "the statement's currency (CURDEF) is \(ReadingError.quoted(currency)); expected three capital letters, such as EUR"
            )
        }
        let account = element["BANKACCTFROM"] ?? element["CCACCTFROM"]
        var made = Statement(account: account?["ACCTID"]?.text.compact ?? "", currency: currency)
        made.bank = account?["BANKID"]?.text.folded ?? ""
        if let list = element["BANKTRANLIST"] {
            made.from = CalendarDay(digits: (list["DTSTART"]?.text.folded ?? "").utf8.prefix(8))
            made.to = CalendarDay(digits: (list["DTEND"]?.text.folded ?? "").utf8.prefix(8))
        }
        if let balance = element["LEDGERBAL"] {
            made.closing = .init(amount: try amount("BALAMT", in: balance), day: try day("DTASOF", in: balance))
        }
        // OFX has no opening balance. Ours is in the list of further balances (BAL), where other programs show it as such.
        for balance in element["BALLIST"]?.all("BAL") ?? [] where balance["NAME"]?.text.folded == OFXExport.opening {
            made.opening = .init(amount: try amount("VALUE", in: balance), day: try day("DTASOF", in: balance))
        }
        made.transactions = transactions
        for index in made.transactions.indices {
            let own = made.transactions[index].currency
            if own.isEmpty {
                made.transactions[index].currency = currency
            } else if !Statement.isCurrency(own) {
                throw ReadingError(
                    .currency, line: element.line, "a transaction's currency is \(ReadingError.quoted(own))")
            }
        }
        made.complete(byReference: true)
        return made
    }

    private func day(_ name: String, in element: MarkupElement) throws(ReadingError) -> CalendarDay {
        let text = element[name]?.text.folded ?? ""
        guard let day = CalendarDay(digits: text.utf8.prefix(8)) else {
            throw ReadingError(
                .date, line: element[name]?.line ?? element.line,
                "\(name) is \(ReadingError.quoted(text)); expected a date such as 20250331")
        }
        return day
    }

    private func amount(_ name: String, in element: MarkupElement) throws(ReadingError) -> Amount {
        let text = element[name]?.text.folded ?? ""
        guard let amount = Amount(text) ?? Amount(text, decimalMark: ",") else {
            throw ReadingError(
                .amount, line: element[name]?.line ?? element.line,
                "\(name) is \(ReadingError.quoted(text)); expected an amount such as -12.50")
        }
        return amount
    }
}

extension ReadingError {
    /// Runs a reading of XML, whose errors become ``ReadingError``.
    static func ofXML(_ body: () throws -> Void) throws(ReadingError) {
        do {
            try body()
        } catch let error as ReadingError {
            throw error
        } catch let error as XMLError {
            let code: Code =
                switch error.code {
                case .malformed: .syntax
                case .forbidden: .forbidden
                case .tooDeep: .tooDeep
                case .tooLarge: .tooLarge
                }
            throw ReadingError(code, line: error.line, error.message)
        } catch {
            throw ReadingError(.syntax, "\(error)")
        }
    }
}
