/// Reads CSV whose columns were declared.
///
/// Lines before the header, in which banks state the account, are passed over: the header is the first line that has every
/// declared name. Every line after it has as many fields.
enum CSVReader {
    static func read(_ bytes: [UInt8], _ options: ReadingOptions) throws(ReadingError) -> [Statement] {
        let text = try TextDecoding.text(bytes)
        guard let columns = options.columns ?? (isOwn(text) ? CSVColumns.own : nil) else {
            throw ReadingError(
                .ambiguous,
                "which column holds what? Declare them, such as --columns booked=Date,amount=Amount,purpose=Text")
        }
        let (places, records) = try table(text, columns, options.limits)
        func value(_ role: CSVColumns.Role, _ record: CSVRecords.Record) -> String {
            places[role].map { CSVExport.unguarded(record.fields[$0]).folded } ?? ""
        }
        let dates = try WrittenDates(
            records.map { value(.booked, $0) }, order: records.isEmpty ? .dayMonthYear : options.dateOrder)
        let amountRoles: [CSVColumns.Role] = places[.amount] == nil ? [.debit, .credit] : [.amount]
        let amounts = try WrittenAmounts(
            records.flatMap { record in amountRoles.map { value($0, record) } }, mark: columns.decimalMark)
        var statements: [String: Statement] = [:]
        var order: [String] = []
        for record in records {
            let currency = value(.currency, record).isEmpty ? options.currency : value(.currency, record)
            guard Statement.isCurrency(currency) else {
                throw ReadingError(
                    .currency, line: record.line,
                    "no currency of three capital letters; declare its column, or give it with --currency")
            }
            let amount: Amount
            if places[.amount] != nil {
                amount = try amounts.amount(value(.amount, record), line: record.line)
            } else {
                amount = try sum(value(.credit, record), minus: value(.debit, record), amounts, record.line)
            }
            var made = Transaction(
                booked: try dates.day(value(.booked, record), line: record.line), amount: amount, currency: currency)
            let valued = value(.valued, record)
            if !valued.isEmpty { made.valued = try dates.day(valued, line: record.line) }
            let id = value(.id, record)
            if TransactionIdentity.isID(id) { made.id = id }
            made.counterparty = value(.counterparty, record)
            made.counterpartyAccount = value(.counterpartyAccount, record).compact
            made.purpose = value(.purpose, record)
            made.bankReference = value(.bankReference, record)
            made.payerReference = value(.payerReference, record)
            made.code = value(.code, record)
            let stated = value(.account, record).compact
            let account = stated.isEmpty ? options.account : stated
            let key = account + " " + currency
            if statements[key] == nil {
                statements[key] = Statement(account: account, currency: currency)
                order.append(key)
            }
            statements[key]!.transactions.append(made)
        }
        return order.map { key in
            var statement = statements[key]!
            statement.complete()
            return statement
        }
    }

    /// Returns whether a text is a CSV file that this module wrote.
    static func isOwn(_ text: String) -> Bool {
        text.hasPrefix(CSVColumns.ownRoles.map(\.rawValue).joined(separator: ","))
    }

    private static func table(
        _ text: String, _ columns: CSVColumns, _ limits: ReadingLimits
    ) throws(ReadingError) -> ([CSVColumns.Role: Int], [CSVRecords.Record]) {
        let (delimiter, places, width, headerLine) = try header(text, columns)
        var records: [CSVRecords.Record] = []
        // What precedes the header may have quotation marks of its own.
        let body =
            text.utf8.split(separator: 0x0A, maxSplits: headerLine, omittingEmptySubsequences: false)
            .dropFirst(headerLine).first.map { String(Substring($0)) } ?? ""
        try CSVRecords.read(body, delimiter: delimiter, limits: limits, from: headerLine + 1) {
            record throws(ReadingError) in
            guard record.fields.count == width else {
                throw ReadingError(
                    .syntax, line: record.line,
                    "the line has \(record.fields.count) fields, and the header \(width); the file is damaged")
            }
            guard records.count < limits.transactions else {
                throw ReadingError(
                    .tooLarge, line: record.line, "more than \(limits.transactions) transactions; split the file")
            }
            records.append(record)
        }
        return (places, records)
    }

    private static func header(
        _ text: String, _ columns: CSVColumns
    ) throws(ReadingError) -> (UInt8, [CSVColumns.Role: Int], Int, Int) {
        var number = 0
        for line in text.utf8.split(separator: 0x0A, maxSplits: 50, omittingEmptySubsequences: false).prefix(50) {
            number += 1
            guard line.count < 64 << 10 else { continue }
            for delimiter in CSVRecords.delimiters {
                var fields: [String] = []
                // A line of the preamble need not be CSV.
                try? CSVRecords.read(String(Substring(line)), delimiter: delimiter, limits: ReadingLimits()) {
                    fields = $0.fields.map(\.folded)
                }
                let places = columns.names.compactMapValues { fields.firstIndex(of: $0) }
                guard places.count == columns.names.count else { continue }
                for name in columns.names.values where fields.count(where: { $0 == name }) > 1 {
                    throw ReadingError(.ambiguous, line: number, "the header has \(ReadingError.quoted(name)) twice")
                }
                return (delimiter, places, fields.count, number)
            }
        }
        let names = columns.names.values.sorted().map { ReadingError.quoted($0) }.joined(separator: ", ")
        throw ReadingError(
            .syntax, "none of the first 50 lines has the columns \(names); compare them with the file's header")
    }

    private static func sum(
        _ credit: String, minus debit: String, _ amounts: WrittenAmounts, _ line: Int
    ) throws(ReadingError) -> Amount {
        guard credit.isEmpty != debit.isEmpty else {
            throw ReadingError(.amount, line: line, "exactly one of the columns debit and credit must have an amount")
        }
        let amount = try amounts.amount(credit.isEmpty ? debit : credit, line: line)
        // Some banks write debits with a minus sign in their own column.
        return credit.isEmpty && !amount.isNegative ? -amount : amount
    }
}
