import Markup

/// Collects the statements of an OFX document, whose elements OFX 1 writes in SGML and OFX 2 in XML.
///
/// Source: Open Financial Exchange 1.6 and 2.2, sections 11.3 and 11.4 (bank and credit card statements). Amounts are
/// read at the end, when the decimal mark of all of them is known.
struct OFXCollector {
    private struct WrittenBalance {
        let amount: String
        let line: Int
        let day: CalendarDay
    }

    private struct WrittenBooking {
        let amount: String
        let line: Int
        var made: Transaction
        /// The reference of the booking that this one replaces or deletes.
        let corrected: String
        let isDeletion: Bool
    }

    private struct WrittenStatement {
        var statement: Statement
        let bookings: [WrittenBooking]
        let opening: WrittenBalance?
        let closing: WrittenBalance?
    }

    private let options: ReadingOptions
    private var omissions: Omissions
    private var bookings: [WrittenBooking] = []
    private var statements: [WrittenStatement] = []
    private var count = 0
    private var hasInvestments = false
    private var pending = 0
    /// The code of an answer that the bank's server calls an error, if one was given.
    private var refusal: (line: Int, code: String)?

    private init(_ options: ReadingOptions) { (self.options, omissions) = (options, Omissions(options)) }

    /// Returns the statements of a document. One with a header of XML whose body is SGML, as some banks write it, is read
    /// as SGML.
    static func read(_ bytes: [UInt8], isXML: Bool, _ options: ReadingOptions) throws(ReadingError) -> [Statement] {
        guard isXML else { return try readSGML(bytes, options) }
        do throws(ReadingError) {
            return try readXML(bytes, options)
        } catch {
            guard error.code == .syntax || error.code == .encoding,
                let statements = try? readSGML(bytes, options)
            else { throw error }
            return statements
        }
    }

    private static func readXML(_ bytes: [UInt8], _ options: ReadingOptions) throws(ReadingError) -> [Statement] {
        var collector = OFXCollector(options)
        let (mended, note) = try XMLText.mended(bytes, page: options.encoding)
        if let note { collector.omissions.note(note) }
        try ReadingError.ofXML {
            try XMLRecords.read(
                mended, limits: XMLLimits(depth: options.limits.depth, text: options.limits.text),
                starting: { element, depth in
                    guard depth > 0 || element.name == "OFX" else {
                        throw ReadingError(
                            .wrongKind, line: element.line, "the document is <\(element.name)>, not <OFX>")
                    }
                }, finished: { try collector.finished($0) })
        }
        return try collector.result()
    }

    private static func readSGML(_ bytes: [UInt8], _ options: ReadingOptions) throws(ReadingError) -> [Statement] {
        var collector = OFXCollector(options)
        let (text, note) = try TextDecoding.decoded(bytes, page: options.encoding)
        if let note { collector.omissions.note(note) }
        var sgml = OFXMarkup(text, limits: options.limits)
        try sgml.read { element throws(ReadingError) in try collector.finished(element) }
        for oddity in sgml.oddities { collector.omissions.note(line: oddity.line, oddity.sentence) }
        return try collector.result()
    }

    private func result() throws(ReadingError) -> [Statement] {
        guard !statements.isEmpty else {
            throw ReadingError(
                .syntax, "the file has no statement of a bank account or a credit card (STMTRS, CCSTMTRS)")
        }
        let texts = statements.flatMap { written -> [WrittenAmounts.Written] in
            (written.bookings.map(\.amount) + [written.opening?.amount, written.closing?.amount].compactMap(\.self))
                .map { (text: $0, currency: written.statement.currency) }
        }
        // This module's own files have decimal points, also before three digits.
        let isOwn = count > 0 && statements.allSatisfy { $0.bookings.allSatisfy { !$0.made.id.isEmpty } }
        let amounts = try WrittenAmounts(written: texts, mark: isOwn ? "." : options.decimalMark, allowsBoth: true)
        var result: [Statement] = []
        var references: [String: Set<String>] = [:]
        var omissions = omissions
        if let refusal {
            omissions.note(
                line: refusal.line,
                "the bank's server answered with the error \(ReadingError.quoted(refusal.code)), so bookings may be missing; download the file again"
            )
        }
        if hasInvestments { omissions.note("a securities account (INVSTMTRS) is left out") }
        for written in statements {
            var made = written.statement
            func amount(_ name: String, _ text: String, _ line: Int) throws(ReadingError) -> Amount {
                try amounts.amount(text, in: written.statement.currency, line: line, name: name)
            }
            func balance(_ name: String, _ balance: WrittenBalance?) -> Statement.Balance? {
                omissions.value { () throws(ReadingError) -> Statement.Balance? in
                    guard let balance else { return nil }
                    return .init(amount: try amount(name, balance.amount, balance.line), day: balance.day)
                }
            }
            var oddSigns = 0
            for booking in corrected(written.bookings, &omissions) {
                let read = try omissions.booking { () throws(ReadingError) in
                    try WrittenAmounts.check(booking.amount, isIn: booking.made.currency, line: booking.line)
                    return try amount("TRNAMT", booking.amount, booking.line)
                }
                guard let read else { continue }
                var transaction = booking.made
                transaction.amount = read
                if read > .zero && transaction.code == "DEBIT" || read.isNegative && transaction.code == "CREDIT" {
                    oddSigns += 1
                }
                made.transactions.append(transaction)
            }
            if oddSigns > 0 {
                omissions.note(
                    "amounts of the type DEBIT without a minus sign, or of CREDIT with one, are read by their sign: \(oddSigns)"
                )
            }
            let referenced = made.transactions.filter { !$0.bankReference.isEmpty }
            let isUnique = Set(referenced.map(\.bankReference)).count == referenced.count
            let alike = isUnique ? 0 : referenced.count - Set(referenced).count
            if alike > 0 {
                omissions.note(
                    "bookings that are alike in all, also in the reference (FITID) that only one may have, are all counted: \(alike)"
                )
            }
            let named = "\(made.account) \(made.currency) \(made.bank) \(made.kind)"
            let known = references[named, default: []]
            let again = referenced.count { known.contains($0.bankReference) }
            if again > 0 {
                omissions.note(
                    "two statements of one account in this file have bookings with the same reference (FITID), which only one may have, and all are counted: \(again)"
                )
            }
            references[named] = known.union(referenced.map(\.bankReference))
            made.opening = balance("VALUE", written.opening)
            made.closing = balance("BALAMT", written.closing)
            omissions.give(to: &made)
            made.complete(byReference: true)
            result.append(made)
        }
        return result
    }

    /// Returns the bookings without those that a later one in the list replaces or deletes (section 11.4.4.2, CORRECTFITID).
    private func corrected(_ bookings: [WrittenBooking], _ omissions: inout Omissions) -> [WrittenBooking] {
        let corrections = bookings.filter { !$0.corrected.isEmpty }
        guard !corrections.isEmpty else { return bookings }
        // A correction may be corrected itself. One with the reference of what it corrects does not replace itself.
        let known = Set(bookings.filter { $0.corrected != $0.made.bankReference }.map(\.made.bankReference))
        let replaced = Set(corrections.map(\.corrected)).intersection(known)
        for correction in corrections where !known.contains(correction.corrected) {
            omissions.note(
                line: correction.line,
                "a booking corrects one that is not in this file; where another file has that one, both are counted")
        }
        if !replaced.isEmpty {
            omissions.note("bookings that the bank has corrected are left out: \(replaced.count)")
        }
        return bookings.filter { booking in
            let reference = booking.made.bankReference
            let isReplaced = booking.corrected != reference && replaced.contains(reference)
            return !isReplaced && (booking.corrected.isEmpty || !booking.isDeletion)
        }
    }

    private mutating func finished(_ element: MarkupElement) throws(ReadingError) -> Bool {
        switch element.name {
        case "STATUS":
            if element["SEVERITY"]?.text.folded.uppercased() == "ERROR" {
                refusal = (element.line, element["CODE"]?.text.folded ?? "")
            }
            return false
        case "STMTTRN":
            guard count < options.limits.transactions else {
                throw ReadingError(
                    .tooLarge, line: element.line,
                    "more than \(options.limits.transactions) transactions; split the file")
            }
            count += 1
            let made = try omissions.booking { () throws(ReadingError) in try Self.booking(element) }
            if let made { bookings.append(made) }
            return true
        case "STMTTRNP":
            pending += 1
            return true
        case "STMTRS", "CCSTMTRS":
            statements.append(try statement(element))
            bookings = []
            return true
        case "INVSTMTRS":
            // Cash movements of a securities account have no balance of their own.
            hasInvestments = true
            bookings = []
            return true
        default: return false
        }
    }

    private static func booking(_ element: MarkupElement) throws(ReadingError) -> WrittenBooking {
        func text(_ name: String) -> String { element[name]?.text.folded ?? "" }
        let currency = element.first("CURRENCY", "CURSYM")?.text.folded ?? ""
        guard currency.isEmpty || Statement.isCurrency(currency) else {
            throw ReadingError(
                .currency, line: element.line, "a transaction's currency is \(ReadingError.quoted(currency))")
        }
        let amounts = element.all("TRNAMT").map(\.text.folded)
        guard Set(amounts).count <= 1 else {
            throw ReadingError(
                .amount, line: element.line,
                "a transaction has several amounts (TRNAMT): \(amounts.map { ReadingError.figure($0) }.joined(separator: ", "))"
            )
        }
        var made = Transaction(booked: try day("DTPOSTED", in: element), amount: .zero, currency: currency)
        made.valued = element["DTAVAIL"].flatMap { CalendarDay(digits: $0.text.folded.utf8.prefix(8)) }
        made.counterparty =
            [text("EXTDNAME"), element.first("PAYEE", "NAME")?.text.folded ?? "", text("NAME")]
            .first { !$0.isEmpty } ?? ""
        let other = element["BANKACCTTO"] ?? element["CCACCTTO"] ?? element["BANKACCTFROM"]
        made.counterpartyAccount = other?["ACCTID"]?.text.compact ?? ""
        made.purpose = text("MEMO")
        made.payerReference = [text("CHECKNUM"), text("REFNUM")].first { !$0.isEmpty } ?? ""
        made.code = text("TRNTYPE")
        made.details = conversion(of: element)
        // OFX requires a FITID. Some banks leave it out where the line is a balance; its texts identify it then.
        let reference = text("FITID")
        if TransactionIdentity.isID(reference) { made.id = reference } else { made.bankReference = reference }
        return WrittenBooking(
            amount: text("TRNAMT"), line: element["TRNAMT"]?.line ?? element.line, made: made,
            corrected: text("CORRECTFITID"), isDeletion: text("CORRECTACTION").uppercased() == "DELETE")
    }

    /// Returns the currency that a booking had before its bank converted it, and the rate, in words; empty without them.
    ///
    /// Of both, TRNAMT stands in the account's currency for ORIGCURRENCY, and in the other one for CURRENCY (section 5.2). Banks
    /// write the rate in either direction, so no amount is computed from it.
    private static func conversion(of element: MarkupElement) -> String {
        let original = element["ORIGCURRENCY"]
        let rate = (original ?? element["CURRENCY"])?["CURRATE"]?.text.folded ?? ""
        let symbol = original?["CURSYM"]?.text.folded ?? ""
        var parts: [String] = []
        if !symbol.isEmpty { parts.append("original currency \(symbol)") }
        // A rate of 1 stands where a rate is required and not known.
        let isOpen = original == nil && Amount(rate) == Amount("1")
        if !rate.isEmpty, !isOpen { parts.append("rate \(rate)") }
        return parts.joined(separator: ", ")
    }

    private mutating func statement(_ element: MarkupElement) throws(ReadingError) -> WrittenStatement {
        let stated = element["CURDEF"]?.text.folded ?? ""
        let currency = stated.isEmpty ? options.currency : stated
        guard Statement.isCurrency(currency) else {
            throw ReadingError(
                .currency, line: element.line,
                "the statement's currency (CURDEF) is \(ReadingError.quoted(currency)); expected three capital letters, such as EUR, or --currency"
            )
        }
        let account = element["BANKACCTFROM"] ?? element["CCACCTFROM"]
        var made = Statement(account: account?["ACCTID"]?.text.compact ?? "", currency: currency)
        made.bank = account?["BANKID"]?.text.folded ?? ""
        made.kind = account?["ACCTTYPE"]?.text.folded.uppercased() ?? ""
        if let list = element["BANKTRANLIST"] {
            made.from = CalendarDay(digits: (list["DTSTART"]?.text.folded ?? "").utf8.prefix(8))
            made.to = CalendarDay(digits: (list["DTEND"]?.text.folded ?? "").utf8.prefix(8))
        }
        let closing = omissions.value { () throws(ReadingError) in
            try Self.balance("BALAMT", in: element["LEDGERBAL"])
        }
        // OFX has no opening balance. Ours is in the list of further balances (BAL), where other programs show it as such.
        let ours = element["BALLIST"]?.all("BAL").first { $0["NAME"]?.text.folded == OFXExport.opening }
        let opening = omissions.value { () throws(ReadingError) in try Self.balance("VALUE", in: ours) }
        if pending > 0 { omissions.note("entries that are not booked yet are left out: \(pending)") }
        pending = 0
        omissions.give(to: &made)
        for index in bookings.indices where bookings[index].made.currency.isEmpty {
            bookings[index].made.currency = currency
        }
        return WrittenStatement(statement: made, bookings: bookings, opening: opening, closing: closing)
    }

    /// - Throws: ``ReadingError`` for a balance that a bank left empty, or whose day it does not know.
    private static func balance(
        _ name: String, in element: MarkupElement?
    ) throws(ReadingError) -> WrittenBalance? {
        guard let element else { return nil }
        let amount = element[name]?.text.folded ?? ""
        guard !amount.isEmpty else {
            throw ReadingError(.amount, line: element.line, "a balance (\(element.name)) has no amount (\(name))")
        }
        return WrittenBalance(
            amount: amount, line: element[name]?.line ?? element.line, day: try day("DTASOF", in: element))
    }

    private static func day(_ name: String, in element: MarkupElement) throws(ReadingError) -> CalendarDay {
        let text = element[name]?.text.folded ?? ""
        // Some banks write 2025-03-01.
        guard let day = CalendarDay(digits: text.utf8.prefix(8)) ?? CalendarDay(iso: text) else {
            throw ReadingError(
                .date, line: element[name]?.line ?? element.line,
                "\(name) is \(ReadingError.figure(text.prefix(8))); expected a date such as 20250331")
        }
        return day
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
