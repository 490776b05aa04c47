import Markup

/// Reads CAMT.053 statements and CAMT.052 reports, in every version of the namespace.
///
/// Source: ISO 20022, camt.052.001 and camt.053.001. One entry (`Ntry`) is one transaction, as it is on paper: a batch of
/// many payments booked as one sum stays one. Entries that are not booked yet are left out.
struct CAMTReader {
    private let limits: ReadingLimits
    private var isReport = false
    private var transactions: [Transaction] = []
    private var statements: [Statement] = []

    static func read(_ bytes: [UInt8], _ limits: ReadingLimits) throws(ReadingError) -> [Statement] {
        var reader = CAMTReader(limits: limits)
        try ReadingError.ofXML {
            try XMLRecords.read(
                bytes, limits: XMLLimits(depth: limits.depth, text: limits.text),
                starting: { if $1 == 0 { try reader.begin($0) } }, finished: { try reader.finished($0) })
        }
        guard !reader.statements.isEmpty else {
            throw ReadingError(.syntax, "the document has no statement (Stmt) and no report (Rpt)")
        }
        return reader.statements
    }

    private init(limits: ReadingLimits) { self.limits = limits }

    private mutating func begin(_ root: MarkupElement) throws(ReadingError) {
        let message = root.namespace.split(separator: ":").last.map(String.init) ?? ""
        isReport = message.hasPrefix("camt.052.001.")
        guard root.name == "Document", root.namespace.hasPrefix("urn:iso:std:iso:20022:tech:xsd:"),
            isReport || message.hasPrefix("camt.053.001."), CalendarDay.number(message.utf8.suffix(2)) != nil
        else {
            let seen =
                root.namespace.isEmpty
                ? "<\(root.name)> without a namespace" : "<\(root.name)> of \(ReadingError.quoted(root.namespace))"
            throw ReadingError(
                .wrongKind, line: root.line,
                "the document is \(seen); expected camt.053 or camt.052 (urn:iso:std:iso:20022:tech:xsd:camt.053.001.…)"
            )
        }
    }

    private mutating func finished(_ element: MarkupElement) throws(ReadingError) -> Bool {
        switch element.name {
        case "Ntry":
            let status = element.first("Sts", "Cd")?.text.folded ?? element["Sts"]?.text.folded ?? ""
            guard status == "BOOK" else { return true }
            guard transactions.count < limits.transactions else {
                throw ReadingError(
                    .tooLarge, line: element.line, "more than \(limits.transactions) transactions; split the file")
            }
            transactions.append(try transaction(element))
            return true
        case "Stmt", "Rpt":
            statements.append(try statement(element))
            transactions = []
            return true
        default: return false
        }
    }

    private func transaction(_ entry: MarkupElement) throws(ReadingError) -> Transaction {
        let (amount, currency) = try amount(of: entry)
        let valued = try day(entry["ValDt"])
        guard let booked = try day(entry["BookgDt"]) ?? valued else {
            throw ReadingError(.date, line: entry.line, "an entry (Ntry) without a booking date (BookgDt)")
        }
        var made = Transaction(booked: booked, amount: amount, currency: currency)
        made.valued = valued
        made.bankReference = entry["AcctSvcrRef"]?.text.folded ?? ""
        made.code = code(entry["BkTxCd"])
        let details = entry.all("NtryDtls").flatMap { $0.all("TxDtls") }
        if details.count == 1 { add(details[0], to: &made) }
        if made.purpose.isEmpty { made.purpose = entry["AddtlNtryInf"]?.text.folded ?? "" }
        return made
    }

    private func add(_ details: MarkupElement, to made: inout Transaction) {
        if let reference = details.first("Refs", "EndToEndId")?.text.folded, reference != "NOTPROVIDED" {
            made.payerReference = reference
        }
        if made.bankReference.isEmpty { made.bankReference = details.first("Refs", "AcctSvcrRef")?.text.folded ?? "" }
        if made.code.isEmpty { made.code = code(details["BkTxCd"]) }
        // Of a receipt the other party is the debtor, of a payment the creditor.
        let side = made.amount.isNegative ? "Cdtr" : "Dbtr"
        let parties = details["RltdPties"]
        func name(_ element: MarkupElement?) -> String {
            (element?["Nm"] ?? element?.first("Pty", "Nm"))?.text.folded ?? ""
        }
        let direct = name(parties?[side])
        made.counterparty = direct.isEmpty ? name(parties?["Ultmt\(side)"]) : direct
        if let account = parties?["\(side)Acct"]?["Id"] {
            made.counterpartyAccount = (account["IBAN"] ?? account.first("Othr", "Id"))?.text.compact ?? ""
        }
        let remittance = details["RmtInf"]
        let structured = (remittance?.all("Strd") ?? []).flatMap { part in
            [part.first("CdtrRefInf", "Ref"), part.first("CdtrRefInf", "CdtrRef")].compactMap { $0?.text.folded }
                + part.all("AddtlRmtInf").map(\.text.folded)
        }
        let texts = (remittance?.all("Ustrd") ?? []).map(\.text.folded) + structured
        made.purpose = texts.filter { !$0.isEmpty }.joined(separator: " ")
        if made.purpose.isEmpty { made.purpose = details["AddtlTxInf"]?.text.folded ?? "" }
    }

    private func code(_ element: MarkupElement?) -> String {
        let domain = element?["Domn"]
        let parts = [domain?["Cd"], domain?.first("Fmly", "Cd"), domain?.first("Fmly", "SubFmlyCd")]
        let code = parts.compactMap { $0?.text.folded }.joined(separator: "-")
        return code.isEmpty ? element?.first("Prtry", "Cd")?.text.folded ?? "" : code
    }

    private func statement(_ element: MarkupElement) throws(ReadingError) -> Statement {
        let identification = element["Acct"]?["Id"]
        let account =
            identification?["IBAN"] ?? identification?.first("Othr", "Id")
            ?? identification?.first("PrtryAcct", "Id") ?? identification?["BBAN"]
        var balances: [String: (Statement.Balance, String)] = [:]
        for balance in element.all("Bal") {
            let kind = balance.first("Tp", "CdOrPrtry", "Cd") ?? balance.first("Tp", "Cd")
            guard let kind = kind?.text.folded, balances[kind] == nil, let day = try day(balance["Dt"]) else {
                continue
            }
            let (amount, currency) = try amount(of: balance)
            balances[kind] = (.init(amount: amount, day: day), currency)
        }
        let stated = element["Acct"]?["Ccy"]?.text.folded ?? (balances["OPBD"] ?? balances["PRCD"])?.1
        let amounts = [transactions.first?.currency, element.first("Bal", "Amt")?.attributes["Ccy"]]
        let currency = stated ?? amounts.lazy.compactMap(\.self).first ?? ""
        guard Statement.isCurrency(currency) else {
            throw ReadingError(.currency, line: element.line, "a statement without a currency (Acct, Ccy)")
        }
        var made = Statement(account: account?.text.compact ?? "", currency: currency)
        let servicer = element["Acct"]?.first("Svcr", "FinInstnId")
        made.bank = (servicer?["BICFI"] ?? servicer?["BIC"])?.text.folded ?? ""
        made.number = (element["LglSeqNb"] ?? element["ElctrncSeqNb"] ?? element["Id"])?.text.folded ?? ""
        made.isInterim = isReport
        if let period = element["FrToDt"] {
            made.from = CalendarDay(iso: period["FrDtTm"]?.text.folded ?? period["FrDt"]?.text.folded ?? "")
            made.to = CalendarDay(iso: period["ToDtTm"]?.text.folded ?? period["ToDt"]?.text.folded ?? "")
        }
        // A balance in another currency is a conversion for information.
        func own(_ kinds: String...) -> Statement.Balance? {
            kinds.lazy.compactMap { balances[$0] }.first { $0.1 == currency }?.0
        }
        made.opening = own("OPBD", "PRCD")
        made.closing = own("CLBD")
        made.transactions = transactions
        made.complete()
        return made
    }

    private func amount(of element: MarkupElement) throws(ReadingError) -> (Amount, String) {
        let text = element["Amt"]?.text.folded ?? ""
        guard let amount = Amount(text), !amount.isNegative else {
            throw ReadingError(
                .amount, line: element["Amt"]?.line ?? element.line,
                "an amount (Amt) is \(ReadingError.quoted(text)); expected one such as 12.50")
        }
        let currency = element["Amt"]?.attributes["Ccy"] ?? ""
        guard Statement.isCurrency(currency) else {
            throw ReadingError(
                .currency, line: element.line,
                "an amount's currency (Ccy) is \(ReadingError.quoted(currency)); expected three capital letters, such as EUR"
            )
        }
        switch element["CdtDbtInd"]?.text.folded {
        case "CRDT": return (amount, currency)
        case "DBIT": return (-amount, currency)
        case let seen:
            throw ReadingError(
                .amount, line: element.line, "CdtDbtInd is \(ReadingError.quoted(seen ?? "")); expected CRDT or DBIT")
        }
    }

    private func day(_ element: MarkupElement?) throws(ReadingError) -> CalendarDay? {
        guard let element, let text = (element["Dt"] ?? element["DtTm"])?.text.folded else { return nil }
        guard let day = CalendarDay(iso: text) else {
            throw ReadingError(
                .date, line: element.line, "a date is \(ReadingError.quoted(text)); expected one such as 2025-03-31")
        }
        return day
    }
}
