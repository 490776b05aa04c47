/// Reads QIF, Quicken's interchange format: records of lines that begin with a letter, each ended by `^`.
///
/// Source: Intuit, Quicken Interchange Format. It has neither currency nor balances nor ids, and does not say its decimal
/// mark. `!Account` names the account of the bookings that follow; `!Option:MDY` and `!Option:DMY` the order of dates.
struct QIFReader {
    private struct Record {
        let line: Int
        let account: String
        let fields: [Character: String]
        /// The amounts of a split's parts.
        let parts: [String]
        /// The order of dates that the file said before the record.
        let order: ReadingOptions.DateOrder?
        /// The line of a second date or amount: the record is two, whose “^” is missing.
        let secondLine: Int?
    }

    private let options: ReadingOptions
    private var omissions: Omissions
    private var records: [Record] = []
    private var account = ""
    /// The accounts of the list that was read last: of several, none is that of the bookings after it.
    private var listed = 0
    private var section = ""
    private var sections: Set<String> = []
    private var hasAccount = false
    private var investmentLine: Int?
    private var statedOrder: ReadingOptions.DateOrder?

    static func read(_ bytes: [UInt8], _ options: ReadingOptions) throws(ReadingError) -> [Statement] {
        guard Statement.isCurrency(options.currency) else {
            throw ReadingError(.ambiguous, "QIF names no currency; give it with --currency, such as --currency EUR")
        }
        var reader = QIFReader(options: options, omissions: Omissions(options))
        let (text, note) = try TextDecoding.decoded(bytes, page: options.encoding)
        if let note { reader.omissions.note(note) }
        try reader.collect(text)
        return try reader.statements()
    }

    private mutating func collect(_ text: String) throws(ReadingError) {
        var fields: [Character: String] = [:]
        var parts: [String] = []
        var second: Int?
        var start = 1
        var number = 0
        for raw in text.lines {
            number += 1
            let line = raw.folded
            guard let letter = line.first else { continue }
            guard line.utf8.count <= options.limits.text else {
                throw ReadingError(.tooLarge, line: number, "a line is longer than \(options.limits.text) bytes")
            }
            if letter == "!" {
                if section.isEmpty, !fields.isEmpty {
                    omissions.note(line: start, "text before the first line that begins with “!” is left out")
                    fields = [:]
                }
                begin(line.lowercased(), number)
            } else if letter == "^" {
                try finish(fields, parts, second, start, number)
                (fields, parts, second) = ([:], [], nil)
            } else {
                if fields.isEmpty { start = number }
                // Of the lines of a split (S, E, $) the amounts are compared with the whole. Those of an address (A) are not needed.
                if letter == "$" { parts.append(String(line.dropFirst()).folded) }
                if letter == "D" || letter == "T", fields[letter] != nil { second = second ?? number }
                if fields[letter] == nil { fields[letter] = String(line.dropFirst()).folded }
            }
        }
        guard fields.isEmpty else {
            throw ReadingError(
                .syntax, line: start, "the last record does not end with “^”; the file is cut off, so export it again")
        }
    }

    private mutating func begin(_ name: String, _ line: Int) {
        switch name {
        case "!option:mdy": statedOrder = .monthDayYear
        case "!option:dmy": statedOrder = .dayMonthYear
        case "!option:ymd": statedOrder = .yearMonthDay
        case let name where name.hasPrefix("!option:") || name.hasPrefix("!clear:"): break
        default:
            section = name
            if name == "!account" { listed = 0 }
            hasAccount = hasAccount || Self.isAccount(name)
            if name.hasPrefix("!type:invst") { investmentLine = investmentLine ?? line }
        }
    }

    private mutating func finish(
        _ fields: [Character: String], _ parts: [String], _ second: Int?, _ start: Int, _ line: Int
    ) throws(ReadingError) {
        if section == "!account" {
            account = fields["N"] ?? ""
            listed += 1
        } else if Self.isAccount(section), !fields.isEmpty {
            guard records.count < options.limits.transactions else {
                throw ReadingError(.tooLarge, line: line, "more than \(options.limits.transactions) transactions")
            }
            guard listed <= 1 || !options.account.isEmpty else {
                throw ReadingError(
                    .ambiguous, line: start,
                    "the file lists \(listed) accounts, and does not say whose these bookings are; give the account with --account"
                )
            }
            sections.insert(section)
            let name = account.isEmpty ? String(section.dropFirst("!type:".count)) : account
            records.append(
                Record(
                    line: start, account: listed > 1 ? "" : name, fields: fields, parts: parts, order: statedOrder,
                    secondLine: second))
        } else if section.isEmpty, fields["T"] != nil || fields["U"] != nil {
            throw ReadingError(
                .syntax, line: start,
                "a booking stands before “!Type:”, which says what it belongs to; add a line such as !Type:Bank before it"
            )
        }
    }

    private func statements() throws(ReadingError) -> [Statement] {
        var omissions = omissions
        if let investmentLine {
            guard hasAccount else {
                throw ReadingError(
                    .wrongKind, line: investmentLine,
                    "an investment account (!Type:Invst) is not read; export the bank account")
            }
            omissions.note(line: investmentLine, "an investment account (!Type:Invst) is left out")
        }
        guard hasAccount else {
            throw ReadingError(
                .wrongKind,
                "the file has no “!Type:Bank”, “!Type:CCard”, “!Type:Cash” or “!Type:Oth”; it is not a QIF file of an account"
            )
        }
        let dates = try dates()
        let amounts = try WrittenAmounts(
            records.lazy.map(Self.amount), mark: options.decimalMark, currency: options.currency)
        // Without a name, the kind of the account tells two from one another, and is not its name otherwise.
        var records = records
        if account.isEmpty, sections.count < 2 {
            records = records.map {
                .init(
                    line: $0.line, account: "", fields: $0.fields, parts: $0.parts, order: $0.order,
                    secondLine: $0.secondLine)
            }
        } else if account.isEmpty {
            omissions.note("the file names no account, so each kind of account is one: \(sections.count)")
        }
        let names = Set(records.map(\.account))
        var statements: [String: Statement] = [:]
        var order: [String] = []
        for record in records {
            // The account that the person gave names the only one of the file, but not each of several.
            let isOpen = record.account.isEmpty || names.count == 1
            let name = isOpen && !options.account.isEmpty ? options.account : record.account
            if statements[name] == nil {
                statements[name] = Statement(account: name, currency: options.currency)
                order.append(name)
            }
            let made = try omissions.booking { () throws(ReadingError) in
                try transaction(record, dates, amounts)
            }
            guard let made else { continue }
            noteParts(of: record, made.amount, amounts, &omissions)
            if isOpening(record), statements[name]!.opening == nil, statements[name]!.transactions.isEmpty {
                statements[name]!.opening = .init(amount: made.amount, day: made.booked)
            } else {
                statements[name]!.transactions.append(made)
            }
        }
        var result = order.map { statements[$0]! }
        if result.isEmpty {
            let name = options.account.isEmpty ? account : options.account
            result = [Statement(account: name, currency: options.currency)]
        }
        omissions.give(to: &result[0])
        for index in result.indices { result[index].complete() }
        return result
    }

    /// The dates for each order that the file says. A file that says one says it for all of its records.
    private func dates() throws(ReadingError) -> [ReadingOptions.DateOrder?: WrittenDates] {
        let stated = Set(records.compactMap(\.order))
        var result: [ReadingOptions.DateOrder?: WrittenDates] = [:]
        for order in Set(records.map(\.order)) {
            let written = records.filter { $0.order == order }.map { $0.fields["D"] ?? "" }
            let own = order ?? (stated.count > 1 ? nil : stated.first ?? statedOrder)
            result[order] = try WrittenDates(written, order: options.dateOrder ?? own)
        }
        return result
    }

    private func transaction(
        _ record: Record, _ dates: [ReadingOptions.DateOrder?: WrittenDates], _ amounts: WrittenAmounts
    ) throws(ReadingError) -> Transaction {
        if let line = record.secondLine {
            throw ReadingError(
                .syntax, line: line,
                "a record has a second date (D) or amount (T): the line “^” before it is missing; export the file again"
            )
        }
        let text = Self.amount(of: record)
        guard !text.isEmpty else {
            throw ReadingError(.amount, line: record.line, "a record has no amount (T); export the file again")
        }
        try WrittenAmounts.check(text, isIn: options.currency, line: record.line)
        var made = Transaction(
            booked: try dates[record.order]!.day(record.fields["D"] ?? "", line: record.line),
            amount: try amounts.amount(text, line: record.line), currency: options.currency)
        made.counterparty = record.fields["P"] ?? ""
        made.purpose = record.fields["M"] ?? ""
        made.payerReference = record.fields["N"] ?? ""
        made.code = record.fields["L"] ?? ""
        return made
    }

    /// Says it where the amounts of a record contradict one another.
    private func noteParts(
        of record: Record, _ amount: Amount, _ amounts: WrittenAmounts, _ omissions: inout Omissions
    ) {
        func read(_ text: String) -> Amount? { WrittenAmount(text).flatMap { amounts.amount(of: $0) } }
        let parts = record.parts.compactMap(read)
        let sum = parts.reduce(.zero, +)
        if !parts.isEmpty, parts.count == record.parts.count, sum != amount {
            omissions.note(
                line: record.line,
                "the parts of a split add up to \(sum), and the booking has \(amount); the booking's amount is taken")
        }
        if let other = record.fields["U"].flatMap(read), record.fields["T"] != nil, other != amount {
            omissions.note(
                line: record.line,
                "a booking has two amounts, \(amount) (T) and \(other) (U); the first is taken")
        }
        if record.fields["P"]?.uppercased().hasPrefix("**VOID**") == true, amount != .zero {
            omissions.note(
                line: record.line, "a booking that is marked as void has the amount \(amount), and is counted")
        }
    }

    /// Returns whether a record is the balance with which its account begins: Quicken writes it as a booking of the account with
    /// itself.
    private func isOpening(_ record: Record) -> Bool {
        guard record.fields["P"]?.lowercased() == "opening balance", let category = record.fields["L"],
            category.hasPrefix("["), category.hasSuffix("]")
        else { return false }
        return record.account.isEmpty || category.dropFirst().dropLast() == record.account
    }

    private static func amount(of record: Record) -> String { record.fields["T"] ?? record.fields["U"] ?? "" }

    private static func isAccount(_ section: String) -> Bool {
        ["!type:bank", "!type:ccard", "!type:cash"].contains(section) || section.hasPrefix("!type:oth")
    }
}
