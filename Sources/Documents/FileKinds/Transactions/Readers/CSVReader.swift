import Encodings

/// Reads CSV whose columns were declared.
///
/// Lines before the header, in which banks state the account, are passed over: the header is the first line that has every
/// declared name. Lines without a date, such as totals, are left out with a note.
struct CSVReader {
    private let columns: CSVColumns
    private let options: ReadingOptions
    private let table: CSVLines
    private var omissions: Omissions

    static func read(_ bytes: [UInt8], _ options: ReadingOptions) throws(ReadingError) -> [Statement] {
        let (text, note) = try table(bytes, options)
        guard let columns = options.columns ?? CSVColumns.own(of: text) else {
            throw ReadingError(
                .ambiguous,
                "which column holds what? Declare them, such as --columns booked=Date,amount=Amount,purpose=Text")
        }
        var reader = CSVReader(
            columns: columns, options: options, table: try CSVLines(text, columns, options.limits),
            omissions: Omissions(options))
        if let note { reader.omissions.note(note) }
        return try reader.statements()
    }

    /// The text of a CSV file, or of a spreadsheet's table.
    static func table(_ bytes: [UInt8], _ options: ReadingOptions) throws(ReadingError) -> (text: String, note: String?)
    {
        guard SpreadsheetText.isOne(bytes) else { return try TextDecoding.decoded(bytes, page: options.encoding) }
        let sheet = try SpreadsheetText(bytes, limits: options.limits)
        return (sheet.text, sheet.note)
    }

    /// Returns whether a text is a CSV file that this module wrote.
    static func isOwn(_ text: String) -> Bool { CSVColumns.own(of: text) != nil }

    private func value(_ role: CSVColumns.Role, _ record: CSVRecords.Record) -> String {
        table.places[role].map { $0 < record.fields.count ? FormulaGuard.unguarded(record.fields[$0]).folded : "" }
            ?? ""
    }

    /// The amount's text; empty for a dash, which some banks write into the column of the other side.
    private func side(_ role: CSVColumns.Role, _ record: CSVRecords.Record) -> String {
        let text = value(role, record)
        return role != .amount && ["-", "–", "—"].contains(text) ? "" : text
    }

    private mutating func statements() throws(ReadingError) -> [Statement] {
        if table.hasLooseQuotes {
            omissions.note("quotation marks inside fields are not doubled, so each line is read as one record")
        }
        let roles: [CSVColumns.Role] = table.places[.amount] == nil ? [.debit, .credit] : [.amount]
        var records: [CSVRecords.Record] = []
        for record in table.records {
            let isEmpty = roles.allSatisfy { side($0, record).isEmpty }
            let date = value(.booked, record)
            // Totals, headings between the lines, and a last line of words.
            if WrittenDates.isWords(date) && (isEmpty || !date.isEmpty)
                || isEmpty && record.fields.count(where: { !$0.isEmpty }) == 1
            {
                omissions.note(
                    line: record.line,
                    "the line has no date, so it is left out: \(ReadingError.quoted(record.fields.joined(separator: " ").folded))"
                )
            } else {
                records.append(record)
            }
        }
        let written = records.map { value(.booked, $0) }.filter { !$0.isEmpty }
        let dates = try WrittenDates(written, order: written.isEmpty ? .dayMonthYear : options.dateOrder)
        let texts = records.flatMap { record in roles.map { side($0, record) } }
        let amounts = try WrittenAmounts(
            texts, mark: columns.decimalMark ?? options.decimalMark, currency: options.currency)
        try checkSigns(records, texts)
        var statements: [String: Statement] = [:]
        var order: [String] = []
        // Otherwise the closure would change what it reads.
        var omissions = omissions
        var pending = 0
        for record in records {
            if CSVColumns.isUnbooked(value(.status, record)) {
                pending += 1
                continue
            }
            let made = try omissions.booking { () throws(ReadingError) in
                try transaction(record, dates, amounts)
            }
            guard var made else { continue }
            let valued = value(.valued, record)
            if !valued.isEmpty {
                made.valued = omissions.value { () throws(ReadingError) in try dates.day(valued, line: record.line) }
            }
            if let sign = WrittenAmount(value(.amount, record))?.sharedSign, sign == "$", !made.currency.hasSuffix("D")
            {
                omissions.note("amounts have the sign “$”, and are written in \(made.currency)")
            }
            let stated = value(.account, record).compact
            let account = stated.isEmpty ? options.account : stated
            let key = account + " " + made.currency
            if statements[key] == nil {
                statements[key] = Statement(account: account, currency: made.currency)
                order.append(key)
            }
            statements[key]!.transactions.append(made)
        }
        if pending > 0 { omissions.note("entries that are not booked yet are left out: \(pending)") }
        if order.isEmpty, Statement.isCurrency(options.currency), !omissions.notes.isEmpty {
            order = [""]
            statements[""] = Statement(account: options.account, currency: options.currency)
        }
        var result = order.map { statements[$0]! }
        if !result.isEmpty { omissions.give(to: &result[0]) }
        for index in result.indices { result[index].complete() }
        return result
    }

    private func transaction(
        _ record: CSVRecords.Record, _ dates: WrittenDates, _ amounts: WrittenAmounts
    ) throws(ReadingError) -> Transaction {
        guard record.fields.count <= table.width else {
            throw ReadingError(
                .syntax, line: record.line,
                "the line has \(record.fields.count) fields, and the header \(table.width); a field may have the delimiter in it"
            )
        }
        let amount =
            table.places[.amount] != nil
            ? try signed(amounts.amount(value(.amount, record), line: record.line), record)
            : try sum(side(.credit, record), minus: side(.debit, record), amounts, record.line)
        var made = Transaction(
            booked: try dates.day(value(.booked, record), line: record.line), amount: amount,
            currency: try currency(of: record))
        let id = value(.id, record)
        if TransactionIdentity.isID(id) { made.id = id }
        made.counterparty = value(.counterparty, record)
        made.counterpartyAccount = value(.counterpartyAccount, record).compact
        made.purpose = value(.purpose, record)
        made.bankReference = value(.bankReference, record)
        made.payerReference = value(.payerReference, record)
        made.code = value(.code, record)
        made.details = value(.details, record)
        return made
    }

    private func currency(of record: CSVRecords.Record) throws(ReadingError) -> String {
        let stated = value(.currency, record)
        let beside = WrittenAmount(value(.amount, record))?.currency ?? ""
        guard stated.isEmpty || beside.isEmpty || stated == beside else {
            throw ReadingError(
                .currency, line: record.line,
                "the currency is \(ReadingError.quoted(stated)), and the amount's is \(beside); check the columns")
        }
        let currency = [stated, beside, options.currency].first { !$0.isEmpty } ?? ""
        guard Statement.isCurrency(currency) else {
            throw ReadingError(
                .currency, line: record.line,
                "no currency of three capital letters; declare its column, or give it with --currency")
        }
        return currency
    }

    // MARK: Signs

    private func signed(_ amount: Amount, _ record: CSVRecords.Record) throws(ReadingError) -> Amount {
        guard table.places[.sign] != nil else { return amount }
        let word = value(.sign, record)
        guard let isPayment = columns.signs[word.lowercased()] else {
            throw ReadingError(
                .ambiguous, line: record.line,
                "the sign is \(ReadingError.quoted(word)); say what it means by adding plus=\(word) or minus=\(word) to --columns"
            )
        }
        guard isPayment || !amount.isNegative else {
            throw ReadingError(
                .amount, line: record.line,
                "the amount is negative, and its sign is \(ReadingError.quoted(word)), which says that it came; check the columns"
            )
        }
        return isPayment && !amount.isNegative ? -amount : amount
    }

    /// Refuses a file whose amounts have no sign while another column has one: every payment would be a receipt.
    /// Says it where the amounts have no sign at all: the words of another column may be unknown.
    private mutating func checkSigns(_ records: [CSVRecords.Record], _ texts: [String]) throws(ReadingError) {
        guard table.places[.amount] != nil, table.places[.sign] == nil, !records.isEmpty,
            !texts.contains(where: { WrittenAmount($0)?.isNegative == true })
        else { return }
        let declared = Set(table.places.values)
        for place in 0..<min(table.width, 200) where !declared.contains(place) {
            let words = records.lazy.map { $0.fields.count > place ? $0.fields[place].folded.lowercased() : "" }
            guard words.allSatisfy({ CSVColumns.knownSigns[$0] != nil }),
                words.contains(where: { CSVColumns.knownSigns[$0] == true })
            else { continue }
            let name = table.header.count > place ? table.header[place] : String(place + 1)
            throw ReadingError(
                .ambiguous,
                "no amount has a minus sign, and the column \(ReadingError.quoted(name)) seems to say which ones were paid; add sign=\(name) to --columns"
            )
        }
        guard records.count > 1, options.columns != nil else { return }
        omissions.note(
            "no amount has a minus sign, so all are read as received; if a column says which ones were paid, name it with sign=NAME in --columns"
        )
    }

    private func sum(
        _ credit: String, minus debit: String, _ amounts: WrittenAmounts, _ line: Int
    ) throws(ReadingError) -> Amount {
        guard !credit.isEmpty || !debit.isEmpty else {
            throw ReadingError(.amount, line: line, "one of the columns debit and credit must have an amount")
        }
        let received = credit.isEmpty ? Amount.zero : try amounts.amount(credit, line: line)
        let paid = debit.isEmpty ? Amount.zero : try amounts.amount(debit, line: line)
        // Some banks write 0,00 into the other column.
        guard received == .zero || paid == .zero else {
            throw ReadingError(.amount, line: line, "only one of the columns debit and credit may have an amount")
        }
        // Some banks write debits with a minus sign in their own column.
        return paid == .zero ? received : paid.isNegative ? paid : -paid
    }
}
