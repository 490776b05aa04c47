import Encodings
import Markup

/// Reads CAMT.053 statements, CAMT.052 reports and CAMT.054 notifications, in every version of the namespace.
///
/// Source: ISO 20022, camt.052.001, camt.053.001 and camt.054.001. One entry (`Ntry`) is one transaction, as it is on paper: a batch of
/// many payments booked as one sum stays one, with the texts of all. Entries that are not booked yet are left out and
/// counted. A document inside an envelope, and one without a namespace, are read.
struct CAMTReader {
    private let options: ReadingOptions
    private var omissions: Omissions
    private var hasDocument = false
    /// True once the element below a document without a namespace has said what it is.
    private var isKnown = false
    private var root: MarkupElement?
    private var transactions: [Transaction] = []
    /// The transactions whose entry has no date.
    private var undated: [Int] = []
    private var unbooked = 0
    /// The amounts of the entries that are not booked, and the number of payments in all entries.
    private var unbookedAmounts: [Amount] = []
    private var paymentCount = 0
    /// True when the bookings are the payments of batches.
    private var hasSplit = false
    /// The numbers of statements whose last page has come, and of those that have others.
    private var openPages: [String: Int] = [:]
    private var ownAccount = ""
    private var ownCurrency = ""
    private var statements: [Statement] = []

    /// The most elements around a document in an envelope.
    private static let envelopes = 4
    /// The most payments of a batch whose texts are kept.
    private static let payments = 50

    static func read(_ bytes: [UInt8], _ options: ReadingOptions) throws(ReadingError) -> [Statement] {
        let (mended, note) = try XMLText.mended(bytes, page: options.encoding)
        var reader = CAMTReader(options)
        if let note { reader.omissions.note(note) }
        try ReadingError.ofXML {
            try XMLRecords.read(
                mended, limits: XMLLimits(depth: options.limits.depth, text: options.limits.text),
                starting: { try reader.started($0, depth: $1) }, finished: { try reader.finished($0) })
        }
        guard reader.hasDocument else { throw reader.wrongKind }
        for (number, index) in reader.openPages {
            reader.statements[index].notes.append(
                "the statement \(number) has more pages, and its last one is not in the file; download all of them")
        }
        guard !reader.statements.isEmpty else {
            throw ReadingError(
                .syntax, "the document has no statement (Stmt), no report (Rpt) and no notification (Ntfctn)")
        }
        return reader.statements
    }

    private init(_ options: ReadingOptions) { (self.options, omissions) = (options, Omissions(options)) }

    private mutating func started(_ element: MarkupElement, depth: Int) throws(ReadingError) {
        if hasDocument {
            guard !isKnown else { return }
            isKnown = true
            guard ["BkToCstmrStmt", "BkToCstmrAcctRpt", "BkToCstmrDbtCdtNtfctn"].contains(element.name) else {
                throw wrongKind
            }
            return
        }
        if depth == 0 { root = element }
        guard element.name == "Document" else {
            if depth >= Self.envelopes { throw wrongKind }
            return
        }
        root = element
        hasDocument = true
        let message = element.namespace.split(separator: ":").last.map(String.init) ?? ""
        guard !element.namespace.isEmpty else { return }
        isKnown = true
        guard element.namespace.hasPrefix("urn:iso:std:iso:20022:tech:xsd:"),
            ["camt.052.001.", "camt.053.001.", "camt.054.001."].contains(where: { message.hasPrefix($0) }),
            CalendarDay.number(message.utf8.suffix(2)) != nil
        else { throw wrongKind }
    }

    private var wrongKind: ReadingError {
        let namespace = root?.namespace ?? ""
        // A namespace has no account number, and its digits say what the document is.
        let shown = namespace.unicodeScalars.prefix(80).filter { $0.value > 0x20 && $0.value < 0x7F }
        let name = root?.name ?? ""
        let seen =
            namespace.isEmpty
            ? "<\(name)> without a namespace" : "<\(name)> of “\(String(String.UnicodeScalarView(shown)))”"
        return ReadingError(
            .wrongKind, line: root?.line,
            "the document is \(seen); expected camt.053, camt.052 or camt.054 (urn:iso:std:iso:20022:tech:xsd:camt.053.001.…)"
        )
    }

    private mutating func finished(_ element: MarkupElement) throws(ReadingError) -> Bool {
        switch element.name {
        case "Acct":
            // It stands before the entries, whose parties may be the account's owner.
            ownAccount = element.first("Id", "IBAN")?.text.compact ?? ""
            ownCurrency = element["Ccy"]?.text.folded ?? ""
            return false
        case "Ntry":
            let details = element.all("NtryDtls").flatMap { $0.all("TxDtls") }
            paymentCount += max(1, details.count)
            guard isBooked(element) else {
                unbooked += 1
                if let amount = try? amount(of: element).0 { unbookedAmounts.append(amount) }
                return true
            }
            guard transactions.count < options.limits.transactions else {
                throw ReadingError(
                    .tooLarge, line: element.line,
                    "more than \(options.limits.transactions) transactions; split the file")
            }
            // The closure may not read what it changes.
            var omissions = omissions
            let made = try omissions.booking { () throws(ReadingError) in try transaction(element, details) }
            if var made {
                made.valued = omissions.value { () throws(ReadingError) in try day(element["ValDt"]) }
                let isUndated = try day(element["BookgDt"]) == nil
                if isUndated, let valued = made.valued { made.booked = valued }
                let first = transactions.count
                if options.splitsBatches, details.count > 1 {
                    transactions += payments(of: made, element, details, &omissions)
                } else {
                    transactions.append(made)
                }
                if isUndated, made.valued == nil { undated += first..<transactions.count }
                if transactions.count > first + 1 { hasSplit = true }
            }
            self.omissions = omissions
            return true
        case "Stmt", "Rpt", "Ntfctn":
            statements.append(try statement(element))
            (transactions, undated, unbooked, ownAccount, ownCurrency) = ([], [], 0, "", "")
            (unbookedAmounts, paymentCount, hasSplit) = ([], 0, false)
            return true
        default: return false
        }
    }

    /// The status is a code, a bank's own word, or text; the first versions may leave it out.
    private func isBooked(_ entry: MarkupElement) -> Bool {
        guard let status = entry["Sts"] else { return true }
        let word = (status["Cd"] ?? status["Prtry"] ?? status).text.folded.uppercased()
        return word.isEmpty || ["BOOK", "BOOKED", "POSTED"].contains(word)
    }

    /// - Returns: the transaction without its value date, and with a day of no meaning when it has no booking date.
    private func transaction(
        _ entry: MarkupElement, _ details: [MarkupElement]
    ) throws(ReadingError) -> Transaction {
        let (amount, currency) = try amount(of: entry)
        let booked = try day(entry["BookgDt"]) ?? CalendarDay(year: 1900, month: 1, day: 1)!
        var made = Transaction(booked: booked, amount: amount, currency: currency)
        made.bankReference = entry["AcctSvcrRef"]?.text.folded ?? ""
        made.code = code(entry["BkTxCd"])
        let isReversal = ["true", "1"].contains(entry["RvslInd"]?.text.folded)
        if details.count == 1 {
            add(details[0], isReversal, to: &made)
        } else if details.count > 1 {
            addBatch(details, isReversal, to: &made)
        }
        if made.purpose.isEmpty { made.purpose = entry["AddtlNtryInf"]?.text.folded ?? "" }
        return made
    }

    /// Returns the payments of a batch, if they add up to it; otherwise the batch, and a note.
    private func payments(
        of batch: Transaction, _ entry: MarkupElement, _ details: [MarkupElement], _ omissions: inout Omissions
    ) -> [Transaction] {
        let isReversal = ["true", "1"].contains(entry["RvslInd"]?.text.folded)
        var sum = Amount.zero
        var payments: [Transaction] = []
        for detail in details {
            let written = detail.first("AmtDtls", "TxAmt", "Amt") ?? detail["Amt"]
            guard let written, let amount = Amount(written.text.folded), !amount.isNegative,
                (written.attributes["Ccy"] ?? batch.currency) == batch.currency
            else { break }
            let isDebit = detail["CdtDbtInd"].map { $0.text.folded == "DBIT" } ?? batch.amount.isNegative
            var payment = Transaction(
                booked: batch.booked, amount: isDebit ? -amount : amount, currency: batch.currency)
            (payment.valued, payment.code) = (batch.valued, batch.code)
            payment.bankReference = detail.first("Refs", "AcctSvcrRef")?.text.folded ?? batch.bankReference
            add(detail, isReversal, to: &payment)
            sum = sum + payment.amount
            payments.append(payment)
        }
        guard payments.count == details.count, sum == batch.amount else {
            omissions.note(
                line: entry.line, "a batch stays one booking, because the amounts of its payments do not add up to it")
            return [batch]
        }
        return payments
    }

    /// Joins the names, texts and references of a batch's payments; a name that all have is the other party.
    private func addBatch(_ details: [MarkupElement], _ isReversal: Bool, to made: inout Transaction) {
        let payments = details.prefix(Self.payments).map { detail in
            var payment = made
            add(detail, isReversal, to: &payment)
            return payment
        }
        let first = payments[0]
        let isOneParty = payments.allSatisfy {
            $0.counterparty == first.counterparty && $0.counterpartyAccount == first.counterpartyAccount
        }
        if isOneParty {
            (made.counterparty, made.counterpartyAccount) = (first.counterparty, first.counterpartyAccount)
        }
        var texts = payments.map { payment in
            let reference = payment.purpose.contains(payment.payerReference) ? "" : payment.payerReference
            let text = [payment.purpose, reference].filter { !$0.isEmpty }.joined(separator: " ")
            return isOneParty || payment.counterparty.isEmpty
                ? text : text.isEmpty ? payment.counterparty : "\(payment.counterparty): \(text)"
        }.filter { !$0.isEmpty }
        let more = details.count - payments.count
        if more > 0 { texts.append(more.counted("more payment")) }
        made.purpose = texts.joined(separator: "; ")
    }

    private func add(_ details: MarkupElement, _ isReversal: Bool, to made: inout Transaction) {
        if let reference = details.first("Refs", "EndToEndId")?.text.folded, reference != "NOTPROVIDED" {
            made.payerReference = reference
        }
        if made.bankReference.isEmpty { made.bankReference = details.first("Refs", "AcctSvcrRef")?.text.folded ?? "" }
        if made.code.isEmpty { made.code = code(details["BkTxCd"]) }
        let parties = details["RltdPties"]
        func account(_ side: String) -> String {
            let id = parties?["\(side)Acct"]?["Id"]
            return (id?["IBAN"] ?? id?.first("Othr", "Id"))?.text.compact ?? ""
        }
        // Of a receipt the other party is the debtor, of a payment the creditor. A reversal has the sides of the payment
        // that it takes back. The account's owner is never the other party.
        var side = made.amount.isNegative != isReversal ? "Cdtr" : "Dbtr"
        let other = side == "Cdtr" ? "Dbtr" : "Cdtr"
        if !ownAccount.isEmpty, account(side) == ownAccount, account(other) != ownAccount { side = other }
        func name(_ element: MarkupElement?) -> String {
            (element?["Nm"] ?? element?.first("Pty", "Nm") ?? element?.first("Agt", "FinInstnId", "Nm"))?.text.folded
                ?? ""
        }
        let direct = name(parties?[side])
        made.counterparty = direct.isEmpty ? name(parties?["Ultmt\(side)"]) : direct
        made.counterpartyAccount = account(side)
        let remittance = details["RmtInf"]
        let structured = (remittance?.all("Strd") ?? []).flatMap { part in
            part.all("RfrdDocInf").compactMap { $0["Nb"]?.text.folded }
                + [part.first("CdtrRefInf", "Ref"), part.first("CdtrRefInf", "CdtrRef")].compactMap { $0?.text.folded }
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

    private mutating func statement(_ element: MarkupElement) throws(ReadingError) -> Statement {
        let identification = element["Acct"]?["Id"]
        let account =
            identification?["IBAN"] ?? identification?.first("Othr", "Id")
            ?? identification?.first("PrtryAcct", "Id") ?? identification?["BBAN"]
        var balances: [String: (Statement.Balance, String)] = [:]
        // Also of a balance whose sign is missing.
        var lastDay: CalendarDay?
        for balance in element.all("Bal") {
            let kind =
                balance.first("Tp", "CdOrPrtry", "Cd") ?? balance.first("Tp", "CdOrPrtry", "Prtry")
                ?? balance.first("Tp", "Cd")
            guard let kind = kind?.text.folded else { continue }
            if kind == "CLBD", let day = try? day(balance["Dt"]) { lastDay = max(lastDay ?? day, day) }
            var omissions = omissions
            let read = omissions.value { () throws(ReadingError) -> (Statement.Balance, String)? in
                guard let day = try day(balance["Dt"]) else { return nil }
                let (amount, currency) = try amount(of: balance)
                return (.init(amount: amount, day: day), currency)
            }
            self.omissions = omissions
            guard let read else { continue }
            // Some banks write the balances of each day: the first opens, and the last closes.
            if let kept = balances[kind] {
                let (day, before) = (read.0.day, kept.0.day)
                if kept.1 == read.1, day == before, kept.0.amount != read.0.amount, kind == "OPBD" || kind == "CLBD" {
                    self.omissions.note(
                        line: balance.line,
                        "a second balance \(kind) of \(day) is \(read.0.amount), and the first \(kept.0.amount); the first is taken"
                    )
                }
                guard kept.1 == read.1, kind == "CLBD" ? day > before : day < before else { continue }
            }
            balances[kind] = read
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
        // One envelope may hold a statement and a notification of the same entries.
        made.isInterim = element.name != "Stmt"
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
        if unbooked > 0 { omissions.note("entries that are not booked yet are left out: \(unbooked)") }
        try date(with: made.closing?.day ?? made.to ?? lastDay)
        compare(&made, with: element["TxsSummry"])
        omissions.give(to: &made)
        made.transactions = transactions
        made.complete()
        notePages(element, of: made)
        return made
    }

    /// Compares the entries with the balances of a report, and with the sums that the document states. The balances of a
    /// statement are compared when the files are joined.
    private mutating func compare(_ made: inout Statement, with summary: MarkupElement?) {
        guard omissions.unreadable == 0, transactions.allSatisfy({ $0.currency == made.currency }) else { return }
        guard let opening = made.opening, let closing = made.closing else {
            guard let difference = difference(to: summary) else { return }
            omissions.note(line: summary?.line, difference)
            made.isContradictory = true
            return
        }
        let sum = transactions.reduce(opening.amount) { $0 + $1.amount }
        if sum == closing.amount {
            // A payment and its return may both be missing. The balances have more weight than the summary.
            guard let difference = difference(to: summary) else { return }
            omissions.note(line: summary?.line, "\(difference), although the balances agree")
        } else if made.isInterim {
            omissions.note(
                "the report does not add up: its entries lead from \(opening.amount) to \(sum) \(made.currency), and the closing balance is \(closing.amount)"
            )
            made.isContradictory = true
        }
    }

    /// Returns how the entries differ from the sums that the document states; nil when they do not, or it states none.
    private func difference(to summary: MarkupElement?) -> String? {
        guard let summary, !hasSplit else { return nil }
        func side(_ name: String) -> StatedSums.Side {
            let part = summary[name]
            return .init(
                count: part?["NbOfNtries"].flatMap { CalendarDay.number($0.text.folded.utf8) },
                sum: part?["Sum"].flatMap { Amount($0.text.folded) })
        }
        var sums = StatedSums(debits: side("TtlDbtNtries"), credits: side("TtlCdtNtries"))
        sums.count = side("TtlNtries").count
        // Some banks count the payments of batches, and some leave out what is not booked.
        if sums.count == paymentCount || total(of: sums) == paymentCount {
            (sums.count, sums.debits.count, sums.credits.count) = (nil, nil, nil)
        }
        let booked = transactions.map(\.amount)
        return sums.difference(to: booked) == nil ? nil : sums.difference(to: booked + unbookedAmounts)
    }

    private func total(of sums: StatedSums) -> Int? {
        guard sums.debits.count != nil || sums.credits.count != nil else { return nil }
        return (sums.debits.count ?? 0) + (sums.credits.count ?? 0)
    }

    /// Remembers a statement of several pages until its last one comes.
    private mutating func notePages(_ element: MarkupElement, of made: Statement) {
        // Some banks give each page a number of its own: this one goes on where that one ended.
        if let opening = made.opening {
            openPages = openPages.filter { entry in
                let page = statements[entry.value]
                return page.account != made.account || page.currency != made.currency
                    || page.closing?.amount != opening.amount
            }
        }
        guard let isLast = element["StmtPgntn"]?["LastPgInd"]?.text.folded else { return }
        let number = "\(made.number) \(made.account)".folded
        openPages[number] = ["true", "1"].contains(isLast) ? nil : statements.count
    }

    /// Books entries without a date (camt.052 allows them) on the last day of their statement.
    private mutating func date(with day: CalendarDay?) throws(ReadingError) {
        guard !undated.isEmpty else { return }
        guard let day else {
            throw ReadingError(.date, "an entry (Ntry) without a booking date (BookgDt), in a statement without a day")
        }
        for index in undated { transactions[index].booked = day }
        omissions.note("entries without a date are booked on \(day), the last day of their statement: \(undated.count)")
    }

    private func amount(of element: MarkupElement) throws(ReadingError) -> (Amount, String) {
        // The schema has each of them once, and nothing in them; of two, either may be meant.
        guard
            ["Amt", "CdtDbtInd"].allSatisfy({ name in
                element.children.count { $0.name == name } <= 1 && element[name]?.children.isEmpty != false
            })
        else {
            throw ReadingError(
                .amount, line: element.line,
                "<\(element.name)> has several amounts (Amt) or signs (CdtDbtInd), or one with elements in it; the file is damaged"
            )
        }
        let text = element["Amt"]?.text.folded ?? ""
        guard let amount = Amount(text), !amount.isNegative else {
            throw ReadingError(
                .amount, line: element["Amt"]?.line ?? element.line,
                "an amount (Amt) is \(ReadingError.figure(text)); expected one such as 12.50")
        }
        let currency = element["Amt"]?.attributes["Ccy"] ?? ownCurrency
        guard Statement.isCurrency(currency) else {
            throw ReadingError(
                .currency, line: element.line,
                "an amount's currency (Ccy) is \(ReadingError.quoted(currency)); expected three capital letters, such as EUR"
            )
        }
        switch element["CdtDbtInd"]?.text.folded {
        case "CRDT": return (amount, currency)
        case "DBIT": return (-amount, currency)
        // Zero has no sign.
        case nil where amount == .zero: return (amount, currency)
        case let seen:
            throw ReadingError(
                .amount, line: element.line, "CdtDbtInd is \(ReadingError.quoted(seen ?? "")); expected CRDT or DBIT")
        }
    }

    private func day(_ element: MarkupElement?) throws(ReadingError) -> CalendarDay? {
        guard let element, let text = (element["Dt"] ?? element["DtTm"])?.text.folded else { return nil }
        guard let day = CalendarDay(iso: text) else {
            throw ReadingError(
                .date, line: element.line, "a date is \(ReadingError.figure(text)); expected one such as 2025-03-31")
        }
        return day
    }
}
