/// Reads CSV whose columns were declared.
///
/// Lines before the header, in which banks state the account, are passed over: the header is the first line that has every
/// declared name. Lines without a date, such as totals, are left out with a note.
struct CSVReader {
    private let columns: CSVColumns
    private let options: ReadingOptions
    private let table: CSVLines
    private var omissions: Omissions
    /// True when only receipts are marked, as `12.50 CR`, so that those without a mark are payments.
    private var isUnmarkedPaid = false
    /// True when each of several credits has a minus sign, which then says nothing.
    private var isCreditSigned = false
    /// True when fees are paid with a minus sign, so that those without one came back.
    private var isFeeSigned = false

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
        let sheet = try SpreadsheetText(bytes, titles: options.columns?.titles ?? [], limits: options.limits)
        return (sheet.text, sheet.note)
    }

    /// Returns whether a text is a CSV file that this module wrote.
    static func isOwn(_ text: String) -> Bool { CSVColumns.own(of: text) != nil }

    private func value(_ role: CSVColumns.Role, _ record: CSVRecords.Record) -> String {
        table.place(role).map { field($0, record) } ?? ""
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
        let sides: [CSVColumns.Role] = table.places[.credit] == nil ? [.debit] : [.debit, .credit]
        let roles = table.places[.amount] == nil ? sides : [.amount]
        var records: [CSVRecords.Record] = []
        let summary = SummaryLines(summaries(roles))
        for record in table.records {
            let isEmpty = roles.allSatisfy { side($0, record).isEmpty }
            let date = value(.booked, record)
            if WrittenDates.isWords(date) { try checkHeader(record) }
            // Totals, headings between the lines, and a last line of words.
            if let reason = summary.left[record.line] ?? undatedTotal(record, date, isEmpty) {
                // The word alone says it: before it may stand an account, whose digits are hidden.
                let word = record.fields.first(where: SummaryLines.isNamed) ?? record.fields.joined(separator: " ")
                omissions.note(line: record.line, "\(reason): \(ReadingError.quoted(word.folded))")
            } else if WrittenDates.isWords(date) && (isEmpty || !date.isEmpty || isWithoutAmount(record, roles))
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
        guard
            records.isEmpty || table.places[.currency] != nil || Statement.isCurrency(options.currency)
                || records.contains(where: { !besideCurrency($0).isEmpty })
        else {
            throw ReadingError(
                .ambiguous, "no column has the currency; give it with --currency, such as --currency EUR")
        }
        noteColumns(records, summary)
        let balanceColumn = try balances(in: records)
        try checkSplits(records, roles, balanceColumn)
        let written = records.map { value(.booked, $0) }.filter { !$0.isEmpty }
        let dates = try WrittenDates(written, order: written.isEmpty ? .dayMonthYear : options.dateOrder)
        if written.contains(where: WrittenDates.namesListopad) {
            omissions.note("“listopad” in dates is read as November, as in Polish and Czech; in Croatian it is October")
        }
        try checkSwallowedLines(dates)
        if let line = cutOffLine(roles) {
            omissions.note(
                line: line,
                "the file ends inside this line, and its amount has fewer decimals than the others, so it may be cut off; download the file again"
            )
        }
        let amounts = try amounts(in: records, roles, balanceColumn)
        if WrittenAmounts.areFilled(records.lazy.flatMap { [self] record in roles.map { side($0, record) } }) {
            omissions.note(
                "amounts have no decimal mark and are filled with zeros, so their last digits may be cents; they are read as they stand"
            )
        }
        try checkSigns(records, roles)
        let isReversed = try reversedDebits(records)
        try findFeeSigns(records)
        findCreditSigns(records, dates, amounts, isReversed, balanceColumn)
        noteStatus(records)
        var result: [Statement] = []
        var places: [String: Int] = [:]
        // Otherwise the closure would change what it reads.
        var omissions = omissions
        var pending = 0
        var rows: [Int: [CSVBalances.Row]] = [:]
        var place = 0
        for record in records {
            if CSVColumns.isUnbooked(value(.status, record)) {
                pending += 1
                continue
            }
            let written = balanceColumn.map { field($0.place, record) } ?? ""
            if !written.isEmpty, roles.allSatisfy({ side($0, record).isEmpty }) {
                omissions.note(
                    line: record.line, "the line has a balance and no amount, so it is not a transaction")
                continue
            }
            let made = try omissions.booking { () throws(ReadingError) in
                try transaction(record, dates, amounts, isReversed)
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
            // Most lines are of the account of the line before.
            if result.isEmpty || result[place].account != account || result[place].currency != made.currency {
                place = places[account + " " + made.currency] ?? result.count
            }
            if place == result.count {
                places[account + " " + made.currency] = place
                result.append(Statement(account: account, currency: made.currency))
            }
            result[place].transactions.append(made)
            if balanceColumn != nil {
                let balance: Amount? =
                    written.isEmpty
                    ? nil
                    : omissions.value { () throws(ReadingError) in
                        try amounts.amount(written, in: made.currency, line: record.line, name: "the balance")
                    }
                rows[place, default: []].append(
                    .init(line: record.line, booked: made.booked, amount: made.amount, balance: balance))
            }
        }
        if let balanceColumn, omissions.unreadable == 0 {
            for place in result.indices {
                guard let finding = CSVBalances.finding(in: rows[place] ?? []) else { continue }
                note(finding, balanceColumn, &result[place], &omissions)
            }
        }
        for (account, balances) in summary.balances {
            let name = account.isEmpty ? options.account : account
            let places = result.indices.filter { result[$0].account == name }
            // An account of several currencies has several balances.
            if places.count == 1 { give(balances.opening, balances.closing, to: &result[places[0]]) }
        }
        if pending > 0 { omissions.note("entries that are not booked yet are left out: \(pending)") }
        // A month without transactions is a month.
        if result.isEmpty, Statement.isCurrency(options.currency) {
            result = [Statement(account: options.account, currency: options.currency)]
        }
        if !result.isEmpty { omissions.give(to: &result[0]) }
        let stated = StatedDays.range(in: table.preamble, dates)
        for index in result.indices { result[index].complete(stated: stated) }
        return result
    }

    private func transaction(
        _ record: CSVRecords.Record, _ dates: WrittenDates, _ amounts: WrittenAmounts, _ isReversed: Bool?
    ) throws(ReadingError) -> Transaction {
        guard record.fields.count <= table.width else {
            throw ReadingError(
                .syntax, line: record.line,
                "the line has \(record.fields.count) fields, and the header \(table.width); a field may have the delimiter in it"
            )
        }
        let currency = try currency(of: record)
        let amount =
            table.place(.amount) != nil
            ? try signed(amounts.amount(value(.amount, record), in: currency, line: record.line), record)
            : try sum(side(.credit, record), minus: side(.debit, record), amounts, currency, isReversed, record.line)
        let fee = try fee(of: record, amounts, currency)
        var made = Transaction(
            booked: try dates.day(value(.booked, record), line: record.line),
            amount: isFeeSigned ? amount + fee : amount - fee, currency: currency)
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

    /// Finds out whether fees are paid with a minus sign, as in files of PayPal, where those without one came back.
    ///
    /// - Throws: `ambiguous` when fewer have a minus sign than have none.
    private mutating func findFeeSigns(_ records: [CSVRecords.Record]) throws(ReadingError) {
        guard table.place(.fee) != nil else { return }
        let fees = records.compactMap { record -> (line: Int, isNegative: Bool)? in
            guard let written = WrittenAmount(side(.fee, record)), written.hasValue else { return nil }
            return (record.line, written.isNegative)
        }
        let paid = fees.count(where: \.isNegative)
        isFeeSigned = paid > 0
        guard paid > 0, let first = fees.first(where: { !$0.isNegative }) else { return }
        guard paid * 2 >= fees.count else {
            throw ReadingError(
                .ambiguous, line: fees.first(where: \.isNegative)?.line,
                "most fees have no minus sign and some have one, so which ones were paid cannot be told; declare a column of net amounts as amount=, or leave fee= out of --columns"
            )
        }
        omissions.note(
            line: first.line,
            "some fees have a minus sign, so those without one are read as given back: \(fees.count - paid)")
    }

    /// Finds out whether the minus signs of credits say what was paid, and says it. The balances decide; where they do not, several
    /// signs are the bank's way of writing credits, and a single one may be a receipt that was taken back.
    private mutating func findCreditSigns(
        _ records: [CSVRecords.Record], _ dates: WrittenDates, _ amounts: WrittenAmounts, _ isReversed: Bool?,
        _ balances: BalanceColumn?
    ) {
        guard table.places[.amount] == nil, table.places[.credit] != nil else { return }
        let credits = records.compactMap { WrittenAmount(side(.credit, $0)) }.filter(\.hasValue)
        let negative = credits.count(where: \.isNegative)
        guard negative > 0 else { return }
        let isEach = negative == credits.count && !credits.contains(where: \.isMarkedPaid)
        isCreditSigned = false
        let asPaid = isEach ? balances.flatMap { contradictions(records, dates, amounts, isReversed, $0) } : nil
        isCreditSigned = isEach
        let asReceived = isEach ? balances.flatMap { contradictions(records, dates, amounts, isReversed, $0) } : nil
        if let asPaid, let asReceived, asPaid != asReceived {
            isCreditSigned = asReceived < asPaid
        } else {
            isCreditSigned = isEach && negative > 1
        }
        omissions.note(
            isCreditSigned
                ? "all amounts in the column of credits have a minus sign, and are read as received: \(negative)"
                : "amounts in the column of credits that have a minus sign are read as paid: \(negative)")
    }

    /// The places where the balances contradict the amounts with the signs as they are read now; nil without balances.
    private func contradictions(
        _ records: [CSVRecords.Record], _ dates: WrittenDates, _ amounts: WrittenAmounts, _ isReversed: Bool?,
        _ balances: BalanceColumn
    ) -> Int? {
        var rows: [String: [CSVBalances.Row]] = [:]
        for record in records where !CSVColumns.isUnbooked(value(.status, record)) {
            guard let made = try? transaction(record, dates, amounts, isReversed) else { continue }
            let balance = WrittenAmount(field(balances.place, record)).flatMap { amounts.amount(of: $0) }
            rows[value(.account, record).compact + " " + made.currency, default: []].append(
                .init(line: record.line, booked: made.booked, amount: made.amount, balance: balance))
        }
        let findings = rows.values.compactMap { CSVBalances.finding(in: $0) }
        return findings.isEmpty ? nil : findings.reduce(0) { $0 + $1.contradictions.count }
    }

    /// Says it where a status is not known: its lines count.
    private mutating func noteStatus(_ records: [CSVRecords.Record]) {
        guard table.places[.status] != nil else { return }
        var counts: [String: Int] = [:]
        for record in records where counts.count <= UndeclaredColumns.mostWords {
            counts[value(.status, record), default: 0] += 1
        }
        // One word for all lines tells none of them apart.
        guard (2...UndeclaredColumns.mostWords).contains(counts.count) else { return }
        let unknown = counts.filter {
            !$0.key.isEmpty && !CSVColumns.isUnbooked($0.key) && !CSVColumns.isBooked($0.key)
        }
        for (word, count) in unknown.sorted(by: { $0.key < $1.key }) {
            omissions.note(
                "lines with the status \(ReadingError.quoted(word)), which is not known, are counted: \(count); delete them from the file if they are not booked"
            )
        }
    }

    private func fee(
        of record: CSVRecords.Record, _ amounts: WrittenAmounts, _ currency: String
    ) throws(ReadingError) -> Amount {
        let text = side(.fee, record)
        guard !text.isEmpty else { return .zero }
        let fee = try amounts.amount(text, in: currency, line: record.line, name: "the fee")
        guard let written = WrittenAmount(text), fee != .zero else { return fee }
        let isForeign =
            written.currency.isEmpty
            ? written.sharedSign == "$" && !currency.hasSuffix("D") : written.currency != currency
        guard !isForeign else {
            throw ReadingError(
                .currency, line: record.line,
                "the currency is \(currency), and the fee is \(ReadingError.figure(text)); leave fee= out of --columns, or correct the line"
            )
        }
        return fee
    }

    private func currency(of record: CSVRecords.Record) throws(ReadingError) -> String {
        let stated = statedCurrency(record)
        let beside = besideCurrency(record)
        guard stated.isEmpty || beside.isEmpty || stated == beside else {
            throw ReadingError(
                .currency, line: record.line,
                "the currency is \(ReadingError.quoted(stated)), and the amount's is \(beside); check the columns")
        }
        // Three letters may be a word: “1,5 TSD” are thousands.
        guard beside.isEmpty || CurrencyDecimals.of(beside) != nil || [stated, options.currency].contains(beside) else {
            // Only one currency can be given.
            let remedy =
                options.currency.isEmpty
                ? "give it with --currency"
                : "put the currencies into a column of their own, and declare it as currency="
            throw ReadingError(
                .currency, line: record.line,
                "\(ReadingError.quoted(beside)) stands beside the amount, and is not a currency that is known; if it is one, \(remedy)"
            )
        }
        let currency = !stated.isEmpty ? stated : !beside.isEmpty ? beside : options.currency
        guard Statement.isCurrency(currency) else {
            throw ReadingError(
                .currency, line: record.line,
                "no currency of three capital letters; declare its column, or give it with --currency")
        }
        return currency
    }

    /// Finds out the decimal mark. The balances show it where the amounts leave it open, or have no mark at all.
    private func amounts(
        in records: [CSVRecords.Record], _ roles: [CSVColumns.Role], _ balances: BalanceColumn?
    ) throws(ReadingError) -> WrittenAmounts {
        let mark = columns.decimalMark ?? options.decimalMark
        func currency(_ record: CSVRecords.Record) -> String {
            let stated = statedCurrency(record)
            let beside = stated.isEmpty ? besideCurrency(record) : ""
            return !stated.isEmpty ? stated : !beside.isEmpty ? beside : options.currency
        }
        let sides = table.place(.fee) == nil ? roles : roles + [.fee]
        var texts: [WrittenAmounts.Written] = []
        texts.reserveCapacity(records.count * sides.count)
        for record in records {
            let currency = currency(record)
            for role in sides { texts.append((text: side(role, record), currency: currency)) }
        }
        var further: [WrittenAmounts.Written] = []
        if let balances {
            further = records.map { (text: field(balances.place, $0), currency: currency($0)) }
        }
        let showsMark = texts.contains { amount in
            WrittenAmount(amount.text).map { $0.digits.contains(".") || $0.digits.contains(",") } ?? false
        }
        do throws(ReadingError) {
            return try WrittenAmounts(
                written: showsMark ? texts : texts + further, mark: mark, currency: options.currency)
        } catch {
            guard error.code == .ambiguous, showsMark, !further.isEmpty,
                let amounts = try? WrittenAmounts(written: texts + further, mark: mark, currency: options.currency)
            else { throw error }
            return amounts
        }
    }

    /// - Throws: `ambiguous` for a file of commas whose amounts seem to have one, without quotation marks around them.
    private func checkSplits(
        _ records: [CSVRecords.Record], _ roles: [CSVColumns.Role], _ balances: BalanceColumn?
    ) throws(ReadingError) {
        guard table.delimiter == UInt8(ascii: ","), columns.decimalMark ?? options.decimalMark != "." else { return }
        let figures: [CSVColumns.Role] = [.debit, .credit, .amount, .fee, .balance]
        let known = Set(figures.compactMap { table.places[$0] } + [balances?.place].compactMap(\.self))
        let parted = records.filter { record in
            let stated = [statedCurrency(record), besideCurrency(record), options.currency].first { !$0.isEmpty }
            return CurrencyDecimals.of(stated ?? "") != 0
        }
        let splits = SplitAmounts(parted, places: roles.compactMap { table.places[$0] }, known: known)
        guard let line = splits.line else { return }
        throw ReadingError(
            .ambiguous, line: line,
            "the amount has no decimals, and the next field may have its decimals, as a comma ends a field here; put amounts with a comma in quotation marks, or say --decimal-mark . if they have none"
        )
    }

    // MARK: Lines

    /// - Throws: `ambiguous` for a field in quotation marks that has other bookings in it, because a mark is missing or too many.
    private func checkSwallowedLines(_ dates: WrittenDates) throws(ReadingError) {
        guard let booked = table.places[.booked] else { return }
        // Only a field with line ends makes a record of several lines.
        let records = table.records
        let long = records.indices.filter { index in
            index + 1 == records.count || records[index + 1].line > records[index].line + 1
        }
        let width = records.map { $0.fields.count }.max() ?? 0
        for record in long.map({ records[$0] }) {
            for (place, field) in record.fields.enumerated() where field.utf8.contains(0x0A) {
                let lines = field.utf8.split(separator: 0x0A)
                // Where a closing mark is missing, the field's first line has delimiters in it. In a text of several lines it has none.
                let rest = lines.first?.count(where: { $0 == table.delimiter }) ?? 0
                let hasRest = rest > 0 && rest >= width - 1 - place
                for line in lines.dropFirst().prefix(100) {
                    let parts = line.split(separator: table.delimiter, omittingEmptySubsequences: false)
                    guard parts.count > booked + 1, hasRest || parts.count >= width else { continue }
                    let date = String(Substring(parts[booked])).folded
                    guard !date.isEmpty, (try? dates.day(date, line: record.line)) != nil else { continue }
                    throw ReadingError(
                        .ambiguous, line: record.line,
                        "a field in quotation marks has lines in it that look like bookings, so a quotation mark is missing or too many; correct this line, or download the file again"
                    )
                }
            }
        }
    }

    /// The last line of a file that ends inside it, if its amount has fewer decimals than all others: it may be cut off.
    private func cutOffLine(_ roles: [CSVColumns.Role]) -> Int? {
        guard !table.endsWhole, table.records.count > 2, let last = table.records.last,
            let place = roles.compactMap({ table.places[$0] }).first(where: { $0 == last.fields.count - 1 })
        else { return nil }
        let own = decimals(of: last.fields[place])
        let others = table.records.dropLast().compactMap { $0.fields.count > place ? $0.fields[place] : nil }
        let written = others.filter { !$0.isEmpty }
        let isShort = !written.isEmpty && written.allSatisfy { decimals(of: $0) > own }
        return isShort && !last.fields[place].isEmpty ? last.line : nil
    }

    private func decimals(of text: String) -> Int {
        let bytes = Array(text.utf8)
        let mark = bytes.lastIndex { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") }
        return mark.map { bytes.count - 1 - $0 } ?? 0
    }

    // MARK: Balances

    private struct BalanceColumn {
        let place: Int
        let name: String
        /// False for a column that only its title tells.
        let isDeclared: Bool
    }

    private func field(_ place: Int, _ record: CSVRecords.Record) -> String {
        place < record.cells.count ? record.cells[place] : ""
    }

    /// The column of balances: the one that is declared, or the only one that has the title of one and holds amounts.
    private func balances(in records: [CSVRecords.Record]) throws(ReadingError) -> BalanceColumn? {
        func isAmount(_ place: Int, _ record: CSVRecords.Record) -> Bool {
            let text = field(place, record)
            return text.isEmpty || WrittenAmount(text) != nil
        }
        if let place = table.places[.balance] {
            if let odd = records.first(where: { !isAmount(place, $0) }) {
                throw ReadingError(
                    .amount, line: odd.line,
                    "the balance is \(ReadingError.figure(field(place, odd))); leave “balance” out of --columns if the column has other things"
                )
            }
            return BalanceColumn(place: place, name: columns.names[.balance] ?? "", isDeclared: true)
        }
        let declared = Set(table.places.values)
        let titled = table.header.indices.filter { place in
            ColumnTitles.role(of: table.header[place])?.role == .balance && !declared.contains(place)
        }
        guard let place = titled.first, titled.count == 1, records.allSatisfy({ isAmount(place, $0) }) else {
            return nil
        }
        return BalanceColumn(place: place, name: table.header[place], isDeclared: false)
    }

    /// Gives a statement its balances, and says where they contradict its amounts.
    private func note(
        _ finding: CSVBalances.Finding, _ column: BalanceColumn, _ statement: inout Statement,
        _ omissions: inout Omissions
    ) {
        let name = ReadingError.quoted(column.name)
        let remedy =
            table.places[.status] == nil
            ? "if a column says that they are not booked, add status=NAME to --columns"
            : "no word in the column of the status says that they are not booked, so they are counted; delete them from the file if they are not"
        if finding.isUnsure {
            omissions.note(
                "the lines fit the column \(name) in more than one order, so the opening and the closing balance are not known"
            )
            return
        }
        // A column that agrees nowhere holds something else than the balances of these lines.
        if !column.isDeclared, finding.agreements == 0, !finding.contradictions.isEmpty {
            omissions.note(
                "the column \(name) does not follow from the amounts, so it is not checked; if it is the balance after each line, add balance=\(column.name) to --columns"
            )
            return
        }
        for (line, sentence) in finding.contradictions { omissions.note(line: line, sentence) }
        if finding.contradictions.count > finding.agreements, table.places[.account] == nil {
            omissions.note(
                "if the file has the lines of several accounts, name their column with account=NAME in --columns")
        }
        if finding.uncounted > 0 {
            omissions.note(
                "lines without a balance that the balances around them do not count: \(finding.uncounted); \(remedy)"
            )
        }
        if finding.open > 0 {
            omissions.note(
                "lines after the last balance have none: \(finding.open); \(remedy)"
            )
        }
        statement.isContradictory = !finding.contradictions.isEmpty
        let days = statement.transactions.map(\.booked)
        guard let first = days.min(), let last = days.max() else { return }
        statement.opening = finding.opening.map { .init(amount: $0, day: first) }
        statement.closing = finding.closing.map { .init(amount: $0, day: last) }
    }

    /// The currency that stands beside the amount; empty without one.
    private func besideCurrency(_ record: CSVRecords.Record) -> String {
        for role in [CSVColumns.Role.amount, .debit, .credit] where table.place(role) != nil {
            if let written = WrittenAmount(side(role, record)), !written.currency.isEmpty { return written.currency }
        }
        return ""
    }

    /// The column's currency; small letters are read as capitals.
    private func statedCurrency(_ record: CSVRecords.Record) -> String {
        let text = value(.currency, record)
        if Statement.isCurrency(text) { return text }
        let capitals = text.uppercased()
        return Statement.isCurrency(capitals) ? capitals : text
    }

    // MARK: Lines and columns that are not transactions

    /// The first line of a payment to a credit card, in a file whose few amounts with a minus sign are all such payments.
    private func receivedAsPaid(_ records: [CSVRecords.Record]) -> Int? {
        guard table.places[.amount] != nil, table.places[.sign] == nil, table.places[.balance] == nil else {
            return nil
        }
        let paid = records.filter { record in
            WrittenAmount(value(.amount, record))?.isNegative == true
        }
        guard let first = paid.first, paid.count * 2 <= records.count else { return nil }
        let isReceipt = paid.allSatisfy { record in
            record.fields.contains { text in
                let lower = text.lowercased()
                return Self.receipts.contains { lower.contains($0) }
                    || Self.payments.contains(SummaryLines.bareWord(lower.folded))
            }
        }
        return isReceipt ? first.line : nil
    }

    /// The words of card issuers for a payment to the card.
    private static let receipts = [
        "thank you", "payment received", "payment from", "automatic payment", "ach deposit", "autopay", "pymt",
        "einzahlung per lastschrift", "zahlung erhalten", "zahlungseingang", "besten dank",
        "betaling ontvangen", "merci", "paiement reçu", "pago recibido", "pagamento ricevuto",
    ]

    /// The words that are all that some issuers write.
    private static let payments: Set<String> = [
        "payment", "payments", "online payment", "mobile payment", "internet payment", "electronic payment",
        "ach payment", "direct debit", "direct debit payment", "zahlung", "einzahlung", "betaling", "paiement", "pago",
        "pagamento", "inbetalning", "innbetaling", "indbetaling", "spłata",
    ]

    /// Returns whether words stand where the amount should: a footer has them.
    private func isWithoutAmount(_ record: CSVRecords.Record, _ roles: [CSVColumns.Role]) -> Bool {
        roles.allSatisfy { role in
            let text = side(role, record)
            return WrittenAmount(text) == nil && !text.contains(where: \.isNumber)
        }
    }

    private func undatedTotal(_ record: CSVRecords.Record, _ date: String, _ isEmpty: Bool) -> String? {
        date.isEmpty && !isEmpty && SummaryLines.hasTotalWord(record.fields.map { SummaryLines.bareWord($0.folded) })
            ? "the line is the total of the others, so it is left out" : nil
    }

    /// The lines that have a day, with their amounts; none if an amount cannot be read, or no line may be a total.
    private func summaries(_ roles: [CSVColumns.Role]) -> [SummaryLines.Line] {
        guard table.records.contains(where: { $0.fields.contains(where: SummaryLines.isNamed) }) else { return [] }
        let dated = table.records.filter { !WrittenDates.isWords(value(.booked, $0)) }
        let texts = dated.flatMap { record in roles.map { side($0, record) } }
        guard let amounts = try? WrittenAmounts(texts, mark: columns.decimalMark ?? options.decimalMark) else {
            return []
        }
        var lines: [SummaryLines.Line] = []
        for record in dated {
            let read = roles.compactMap { role -> Amount? in
                let text = side(role, record)
                return text.isEmpty && roles.count > 1
                    ? .zero : WrittenAmount(text).flatMap { amounts.amount(of: $0) }
            }
            guard read.count == roles.count else { return [] }
            let isPayment = columns.signs[value(.sign, record).lowercased()] == true
            let signed = isPayment ? read.map { $0.isNegative ? $0 : -$0 } : read
            lines.append(
                .init(
                    line: record.line, words: record.fields.map { SummaryLines.word($0.folded) }, amounts: signed,
                    account: value(.account, record).compact))
        }
        return withoutCounted(lines, dated, amounts)
    }

    /// Takes their words from the lines that the balance before them, or after them in a file that begins with the newest,
    /// leads to: these are bookings.
    private func withoutCounted(
        _ lines: [SummaryLines.Line], _ dated: [CSVRecords.Record], _ amounts: WrittenAmounts
    ) -> [SummaryLines.Line] {
        guard let column = try? balances(in: dated) else { return lines }
        let balances = dated.map { record in
            WrittenAmount(field(column.place, record)).flatMap { amounts.amount(of: $0) }
        }
        func leads(from step: Int, to index: Int) -> Bool {
            let sides = lines[index].amounts
            let debit = sides[0].isNegative ? sides[0] : -sides[0]
            let amount = sides.count > 1 ? sides[1] + debit : table.places[.amount] == nil ? -sides[0] : sides[0]
            guard amount != .zero, balances.indices.contains(index + step), let before = balances[index + step] else {
                return false
            }
            return before + amount == balances[index]
        }
        let rising = lines.indices.count { leads(from: -1, to: $0) }
        let falling = lines.indices.count { leads(from: 1, to: $0) }
        return lines.indices.map { index in
            let line = lines[index]
            // Where both orders fit, the first line may be the opening balance.
            let isOpen = rising == falling && !SummaryLines.hasTotalWord(line.words)
            let isCounted =
                rising >= falling && leads(from: -1, to: index) || falling >= rising && leads(from: 1, to: index)
            return isCounted && !isOpen
                ? .init(line: line.line, words: [], amounts: line.amounts, account: line.account) : line
        }
    }

    private func give(_ opening: Amount, _ closing: Amount, to statement: inout Statement) {
        let days = statement.transactions.map(\.booked)
        guard let first = days.min(), let last = days.max(), statement.opening == nil, statement.closing == nil else {
            return
        }
        (statement.opening, statement.closing) = (.init(amount: opening, day: first), .init(amount: closing, day: last))
    }

    /// - Throws: `ambiguous` for a second header whose columns stand elsewhere: the lines below it would be read wrongly.
    private func checkHeader(_ record: CSVRecords.Record) throws(ReadingError) {
        guard !table.header.isEmpty, !columns.titles.isEmpty else { return }
        let fields = record.fields.map(\.folded)
        let places = columns.names.compactMapValues { fields.firstIndex(of: $0) }
        guard places.count == columns.names.count, places != table.places else { return }
        throw ReadingError(
            .ambiguous, line: record.line,
            "a second header has the columns in another order; make a file of the lines from here on")
    }

    /// Says what in other columns and lines speaks against the result.
    private mutating func noteColumns(_ records: [CSVRecords.Record], _ summary: SummaryLines) {
        if let first = summary.counted.first {
            omissions.note(
                line: first,
                "a line that calls itself a total or a balance counts as a transaction, because the other lines do not show that it is a sum; delete it from the file if it is not a transaction"
                    + (summary.counted.count > 1 ? " (\(summary.counted.count) such lines)" : ""))
        }
        guard options.columns != nil else { return }
        let others = UndeclaredColumns(header: table.header, records: records, declared: Set(table.places.values))
        if table.places[.currency] == nil, !options.currency.isEmpty,
            let sentence = others.currencies(than: options.currency)
        {
            omissions.note(sentence)
        }
        if table.places[.account] == nil, let sentence = others.accounts() { omissions.note(sentence) }
        if table.places[.status] == nil, let sentence = others.pending() { omissions.note(sentence) }
        let isNet = table.places[.amount].map { place in
            table.header.indices.contains(place) && ColumnTitles.isNet(table.header[place])
        }
        if isNet != true, let sentence = others.fees() { omissions.note(sentence) }
        let figures: [CSVColumns.Role] = [.amount, .debit, .credit, .fee, .balance]
        let titles = figures.compactMap { table.places[$0] }.filter(table.header.indices.contains).map {
            table.header[$0]
        }
        if let title = titles.first(where: ColumnTitles.isScaled) {
            omissions.note(
                "the title \(ReadingError.quoted(title)) may say that the amounts are in another unit, such as cents or thousands; they are read as they stand"
            )
        }
        let account = records.first { record in
            // 1,23457E+13 is what a spreadsheet program makes of a long number.
            guard table.places[.account] != nil else { return false }
            let text = value(.account, record)
            return text.contains("E+") && text.allSatisfy { $0.isNumber || ".,E+".contains($0) }
        }
        if let account {
            omissions.note(
                line: account.line,
                "the account is \(ReadingError.figure(value(.account, account))): a spreadsheet program has shortened it, so several accounts may look like one; take the bank's own file"
            )
        }
        if let line = receivedAsPaid(records) {
            omissions.note(
                line: line,
                "amounts with a minus sign call themselves payments that were received, so this may be a credit card whose purchases have no sign; if it is, write debit=\(columns.names[.amount] ?? "") instead of amount= in --columns"
            )
        }
    }

    // MARK: Signs

    /// Some columns of debits have a reversed payment, whose sign is not that of the others.
    ///
    /// - Returns: true when a debit with a minus sign came, false when one without came; nil when all debits have one sign.
    /// - Throws: `ambiguous` when as many have a minus sign as have none.
    private mutating func reversedDebits(_ records: [CSVRecords.Record]) throws(ReadingError) -> Bool? {
        guard table.places[.amount] == nil else { return nil }
        let signs = records.compactMap { record -> (line: Int, isNegative: Bool)? in
            // A mark, as in “12.50 CR”, says itself what it is.
            guard let written = WrittenAmount(side(.debit, record)), written.hasValue, !written.isMarkedReceived,
                !written.isMarkedPaid
            else { return nil }
            return (record.line, written.isNegative)
        }
        let negative = signs.count(where: \.isNegative)
        // The only column of a credit card: a payment to the card has a minus sign.
        if table.places[.credit] == nil {
            try checkCredits(records)
            guard negative * 2 <= signs.count else {
                throw ReadingError(
                    .ambiguous,
                    "most debits have a minus sign, and no column of credits is declared; write amount=\(columns.names[.debit] ?? "") instead of debit= in --columns if the minus sign says what was paid"
                )
            }
            return true
        }
        guard negative > 0, negative < signs.count else { return nil }
        guard negative * 2 != signs.count else {
            throw ReadingError(
                .ambiguous,
                "half of the debits have a minus sign, and half have none, so which ones were paid cannot be told; correct the file, or read another format of the bank"
            )
        }
        let isReversed = negative * 2 < signs.count
        for sign in signs where sign.isNegative == isReversed {
            omissions.note(
                line: sign.line,
                "the debit \(isReversed ? "has a minus sign" : "has no minus sign"), and most others \(isReversed ? "have none" : "have one"), so it is read as received"
            )
        }
        return isReversed
    }

    /// - Throws: `ambiguous` where a column that is not declared has what was received.
    private func checkCredits(_ records: [CSVRecords.Record]) throws(ReadingError) {
        func has(_ text: String) -> Bool { WrittenAmount(text)?.hasValue == true }
        let declared = Set(table.places.values)
        for place in 0..<min(table.width, 200) where !declared.contains(place) {
            guard records.contains(where: { has(field(place, $0)) }) else { continue }
            let isTitled =
                table.header.indices.contains(place) && ColumnTitles.role(of: table.header[place])?.role == .credit
            // Each line has its amount in one of the two columns.
            let isOther =
                records.contains { has(side(.debit, $0)) }
                && records.allSatisfy { has(field(place, $0)) != has(side(.debit, $0)) }
            guard isTitled || isOther else { continue }
            let name = table.header.indices.contains(place) ? table.header[place] : String(place + 1)
            throw ReadingError(
                .ambiguous,
                "the column \(ReadingError.quoted(name)) seems to have what was received; add credit=\(name) to --columns"
            )
        }
    }

    private func signed(_ amount: Amount, _ record: CSVRecords.Record) throws(ReadingError) -> Amount {
        guard table.place(.sign) != nil else {
            return isUnmarkedPaid && WrittenAmount(value(.amount, record))?.isMarkedReceived == false ? -amount : amount
        }
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
    private mutating func checkSigns(
        _ records: [CSVRecords.Record], _ roles: [CSVColumns.Role]
    ) throws(ReadingError) {
        guard table.places[.amount] != nil, table.places[.sign] == nil, !records.isEmpty,
            !records.contains(where: { record in
                roles.contains { WrittenAmount(side($0, record))?.isNegative == true }
            })
        else { return }
        // The sign may be in a column that is declared as a text.
        let declared = Set(table.places.filter { ![.code, .purpose, .details].contains($0.key) }.values)
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
        let marked = records.flatMap { record in
            roles.compactMap { WrittenAmount(side($0, record))?.isMarkedReceived }
        }
        if marked.contains(true), marked.contains(false) {
            isUnmarkedPaid = true
            omissions.note(
                "only some amounts are marked as received (CR), so those without a mark are read as paid: \(marked.count { !$0 })"
            )
            return
        }
        guard records.count > 1, options.columns != nil else { return }
        omissions.note(
            "no amount has a minus sign, so all are read as received; if a column says which ones were paid, name it with sign=NAME in --columns"
        )
    }

    private func sum(
        _ credit: String, minus debit: String, _ amounts: WrittenAmounts, _ currency: String, _ isReversed: Bool?,
        _ line: Int
    ) throws(ReadingError) -> Amount {
        guard !credit.isEmpty || !debit.isEmpty else {
            throw ReadingError(
                .amount, line: line,
                table.places[.credit] == nil
                    ? "the column \(ReadingError.quoted(columns.names[.debit] ?? "")) has no amount; if another column has what was received, add credit=NAME to --columns"
                    : "one of the columns debit and credit must have an amount")
        }
        let written = credit.isEmpty ? Amount.zero : try amounts.amount(credit, in: currency, line: line)
        let received = isCreditSigned ? -written : written
        let paid = debit.isEmpty ? Amount.zero : try amounts.amount(debit, in: currency, line: line)
        // Some banks write 0,00 into the other column.
        guard received == .zero || paid == .zero else {
            throw ReadingError(.amount, line: line, "only one of the columns debit and credit may have an amount")
        }
        if let written = WrittenAmount(debit), paid != .zero, written.isMarkedReceived || written.isMarkedPaid {
            return paid.isNegative == written.isMarkedPaid ? paid : -paid
        }
        if let isReversed { return paid == .zero ? received : isReversed ? -paid : paid }
        // Some banks write debits with a minus sign in their own column.
        return paid == .zero ? received : paid.isNegative ? paid : -paid
    }
}
