/// Reads MT940 statements and MT942 reports.
///
/// Source: SWIFT, Standards MT category 9; fields 20, 25, 28, 60, 61, 62, 86, 13D. Text outside SWIFT's own character set,
/// control characters between messages, and blank lines are accepted, because banks write them, and so are small letters,
/// decimal points, fields that go on in the next line, and the 30th of February of interest days.
struct SWIFTReader {
    private struct Field {
        let tag: Substring
        let line: Int
        var lines: [Substring]
    }

    private let limits: ReadingLimits
    /// The currency of a message without a balance, as the person gave it.
    private let currency: String
    private var omissions: Omissions
    private var statements: [Statement] = []
    private var current: Statement?
    private var count = 0
    private var awaitsInformation = false
    /// Bookings of the message that are only expected (marks EC and ED).
    private var expected = 0
    private var sums = StatedSums()
    /// The account, currency and closing balance of the page before, whose statement goes on.
    private var page: (account: String, currency: String, balance: Statement.Balance)?
    private var isLastPage = true
    /// True when the message goes on with the statement of a page before (field 60M).
    private var opensAsPage = false
    /// True when the field before described a booking: some banks write one text as several fields 86.
    private var goesOn = false
    /// True when the last line has an end: one without may be half a line.
    private var endsWhole = true

    static func read(_ bytes: [UInt8], _ options: ReadingOptions) throws(ReadingError) -> [Statement] {
        let limits = options.limits
        var reader = SWIFTReader(options)
        var field: Field?
        var number = 0
        var (text, note) = try TextDecoding.decoded(bytes, page: options.encoding)
        // The dialogue of FinTS writes “@@” for the end of a line, and some programs keep it.
        if text.hasPrefix("@@:") { text = text.replacing("@@", with: "\n") }
        if let note { reader.omissions.note(note) }
        reader.endsWhole = text.last?.isNewline == true || text.hasSuffix("-}") || text.hasSuffix("-")
        for raw in text.lines {
            number += 1
            let line = unwrapped(raw)
            if let (tag, content) = tag(line) {
                if let field { try reader.add(field) }
                field = Field(tag: tag, line: number, lines: [content])
            } else if line == "-", let tag = field?.tag, tag == "86" || tag == "61", reader.expectsClosing {
                // A line of a text: the message cannot end before its closing balance.
                field!.lines.append(line)
            } else if line == "-" || line.hasPrefix("-}") {
                if let field { try reader.add(field) }
                field = nil
                try reader.end(number)
            } else if field != nil {
                guard field!.lines.count < 100, line.utf8.count <= limits.text else {
                    throw ReadingError(
                        .tooLarge, line: number, "field :\(field!.tag): is longer than 100 lines; the file is damaged")
                }
                if !line.isEmpty { field!.lines.append(line) }
            }
        }
        if let field { try reader.add(field) }
        try reader.end(number)
        guard !reader.statements.isEmpty else {
            throw ReadingError(.syntax, "the file has no statement: no field :25: with an account")
        }
        if reader.page != nil {
            reader.statements[reader.statements.count - 1].notes.append(
                "the last statement has more pages (field :62M:), and they are not in the file; download all of them")
        }
        return reader.statements
    }

    private init(_ options: ReadingOptions) {
        (limits, currency, omissions) = (options.limits, options.currency, Omissions(options))
    }

    private var expectsClosing: Bool {
        guard let current else { return false }
        return current.opening != nil && current.closing == nil && !current.isInterim && !current.transactions.isEmpty
    }

    /// The line without control characters, and without the envelope `{1:…}{2:…}{4:` before the first field.
    private static func unwrapped(_ line: Substring) -> Substring {
        var line = line
        while let first = line.unicodeScalars.first, first.value < 0x20 { line = line.dropFirst() }
        if line.hasPrefix("{"), let start = line.utf8.lastIndex(of: UInt8(ascii: "{")), line[start...].hasPrefix("{4:")
        {
            line = line[start...].dropFirst(3)
        }
        while let last = line.unicodeScalars.last, last.value < 0x20 { line = line.dropLast() }
        return line
    }

    private static func tag(_ line: Substring) -> (Substring, Substring)? {
        guard line.utf8.first == UInt8(ascii: ":"),
            let end = line.utf8.dropFirst().prefix(4).firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let tag = line[line.utf8.index(after: line.startIndex)..<end]
        guard CalendarDay.number(tag.utf8.prefix(2)) != nil, (2...3).contains(tag.utf8.count) else { return nil }
        return (tag, line[line.utf8.index(after: end)...])
    }

    private mutating func add(_ field: Field) throws(ReadingError) {
        var field = field
        // What looked like a line of text was the end of the message.
        while field.lines.count > 1, field.lines.last == "-" { field.lines.removeLast() }
        let content = field.lines[0]
        if field.tag != "86" { goesOn = false }
        switch field.tag {
        case "20":
            try end(field.line)
            current = Statement(account: "", currency: "")
        case "25", "25P":
            // Some banks leave out field 20, which begins a message.
            if current?.account.isEmpty == false, current?.opening != nil { try end(field.line) }
            if current == nil { current = Statement(account: "", currency: "") }
            try setAccount(content)
        case "28", "28C": current?.number = content.folded
        case "60F", "60M":
            if let (balance, currency) = omissions.value({ () throws(ReadingError) in try Self.balance(field) }) {
                current?.currency = currency
                current?.opening = balance
                opensAsPage = field.tag == "60M"
            }
        case "34F":
            let currency = content.prefix(3)
            if Statement.isCurrency(currency) { current?.currency = String(currency) }
            current?.isInterim = true
        case "13D": current?.isInterim = true
        case "61":
            guard current != nil else {
                throw ReadingError(
                    .syntax, line: field.line, "field :61: stands before field :20:; the file is damaged")
            }
            guard count < limits.transactions else {
                throw ReadingError(
                    .tooLarge, line: field.line, "more than \(limits.transactions) transactions; split the file")
            }
            count += 1
            awaitsInformation = false
            // The closure may not read what it changes.
            var omissions = omissions
            let made = try omissions.booking { () throws(ReadingError) in try SWIFTBooking(field.lines, field.line) }
            if let made {
                if let oddity = made.oddity { omissions.note(line: field.line, oddity) }
                if made.isExpected {
                    expected += 1
                } else {
                    current?.transactions.append(made.transaction)
                    awaitsInformation = true
                }
            }
            self.omissions = omissions
        case "86": addInformation(field)
        case "90C", "90D":
            guard let stated = Self.sum(field) else { break }
            if field.tag == "90D" { sums.debits = stated } else { sums.credits = stated }
        case "62F", "62M":
            isLastPage = field.tag == "62F"
            current?.closing = omissions.value { () throws(ReadingError) in try Self.balance(field).0 }
            if let currency = try? Self.balance(field).1, let statement = current {
                guard statement.currency.isEmpty || statement.currency == currency else {
                    throw ReadingError(
                        .currency, line: field.line,
                        "the closing balance is in \(currency), and the statement in \(statement.currency); the file is damaged"
                    )
                }
                current?.currency = currency
            }
        default: break
        }
    }

    /// Some banks write the currency after the account: `51210600/9223382012EUR`.
    private mutating func setAccount(_ text: Substring) throws(ReadingError) {
        var account = text.compact
        let currency = account.suffix(3)
        if Statement.isCurrency(currency), account.dropLast(3).last?.isNumber == true {
            current?.currency = String(currency)
            account.removeLast(3)
        }
        current?.account = account
    }

    private mutating func end(_ line: Int) throws(ReadingError) {
        guard var statement = current else { return }
        current = nil
        guard !statement.account.isEmpty else {
            throw ReadingError(
                .syntax, line: line, "a message without field :25: (the account); it is cut off or damaged")
        }
        if statement.currency.isEmpty { statement.currency = currency }
        guard Statement.isCurrency(statement.currency) else {
            throw ReadingError(
                .currency, line: line,
                "a message whose field :60F: or :34F: names no currency; give it with --currency, such as --currency EUR"
            )
        }
        if !statement.isInterim, statement.opening == nil || statement.closing == nil {
            let missing = statement.opening == nil ? ":60F: (opening balance)" : ":62F: (closing balance)"
            // A file that ends inside a line lacks more than that.
            guard endsWhole || statement.closing != nil else {
                throw ReadingError(
                    .syntax, line: line, "a message without \(missing); it is cut off, so download it again")
            }
            omissions.note(line: line, "a message has no field \(missing), so its bookings cannot be checked")
        }
        if expected > 0 { omissions.note("bookings that are only expected are left out: \(expected)") }
        // The sums of a later page may be those of all pages (field 28C, number/page).
        let page = statement.number.split(separator: "/").dropFirst().last.flatMap { Int($0) } ?? 1
        if expected == 0, omissions.unreadable == 0, page == 1,
            let difference = sums.difference(to: statement.transactions.map(\.amount))
        {
            omissions.note(line: line, difference)
            statement.isContradictory = true
        }
        compareWithPage(&statement, line)
        Self.setYears(of: &statement)
        (expected, sums, isLastPage) = (0, StatedSums(), true)
        omissions.give(to: &statement)
        for index in statement.transactions.indices { statement.transactions[index].currency = statement.currency }
        statement.complete()
        statements.append(statement)
    }

    /// Puts entries into the year whose days the balances enclose: a value that is dated back by half a year or more does not
    /// tell the year of its entry, which has no year of its own.
    private static func setYears(of statement: inout Statement) {
        guard let opening = statement.opening?.day, let closing = statement.closing?.day, opening <= closing else {
            return
        }
        for index in statement.transactions.indices {
            let made = statement.transactions[index]
            guard made.booked < opening || made.booked > closing, let valued = made.valued, valued != made.booked
            else { continue }
            let days = (opening.year...closing.year).compactMap {
                CalendarDay(year: $0, month: made.booked.month, day: made.booked.day)
            }
            if let day = days.first(where: { $0 >= opening && $0 <= closing }) {
                statement.transactions[index].booked = day
            }
        }
    }

    /// Says it where a page (fields 60M and 62M) does not go on where the one before ended. Some banks open each page with
    /// field 60F.
    private mutating func compareWithPage(_ statement: inout Statement, _ line: Int) {
        let before = page
        let number = statement.number.split(separator: "/").dropFirst().last.flatMap { Int($0) } ?? 1
        if opensAsPage, number > 1, !statements.contains(where: { $0.account == statement.account }) {
            omissions.note(
                line: line,
                "the file begins with page \(number) of the statement (field :60M:), and the pages before it are not in the file; download all of them"
            )
        }
        opensAsPage = false
        page = isLastPage ? nil : statement.closing.map { (statement.account, statement.currency, $0) }
        guard let before, before.account == statement.account, before.currency == statement.currency,
            let opening = statement.opening, opening.amount != before.balance.amount
        else { return }
        omissions.note(
            line: line,
            "the page before ends with \(before.balance.amount), and this one begins with \(opening.amount): a page is missing; download the statement again"
        )
        statement.isContradictory = true
    }

    /// `2EUR3,00`, the number and the sum of a report's debits or credits
    private static func sum(_ field: Field) -> StatedSums.Side? {
        let bytes = Array(field.lines.joined().compact.utf8)
        let digits = bytes.prefix { (0x30...0x39).contains($0) }
        let rest = bytes.dropFirst(digits.count)
        guard let count = CalendarDay.number(digits), rest.count > 3,
            let amount = SWIFTBooking.amount(rest.dropFirst(3))
        else { return nil }
        return .init(count: count, sum: amount)
    }

    /// `C200101EUR444,29`
    private static func balance(_ field: Field) throws(ReadingError) -> (Statement.Balance, String) {
        // Some banks break the line before the amount.
        let text = field.lines.joined().folded
        let bytes = Array(text.uppercased().utf8)
        guard bytes.count > 10, [UInt8(ascii: "C"), UInt8(ascii: "D")].contains(bytes[0]),
            let day = CalendarDay(digits: bytes[1..<7]),
            let currency = String(validating: bytes[7..<10], as: UTF8.self), Statement.isCurrency(currency),
            let amount = SWIFTBooking.amount(bytes[10...].drop { $0 == 0x20 })
        else {
            throw ReadingError(
                .amount, line: field.line,
                "field :\(field.tag): is \(ReadingError.figure(text)); expected a balance such as C250331EUR1234,56")
        }
        return (.init(amount: bytes[0] == UInt8(ascii: "D") ? -amount : amount, day: day), currency)
    }

    /// Field 86 after a field 61 describes that transaction; after the closing balance it describes the statement.
    private mutating func addInformation(_ field: Field) {
        guard var statement = current, let last = statement.transactions.indices.last, statement.closing == nil,
            awaitsInformation || goesOn
        else { return }
        // Otherwise the change would copy all transactions.
        current = nil
        if goesOn {
            let texts = [statement.transactions[last].purpose] + field.lines.map(\.folded)
            statement.transactions[last].purpose = texts.filter { !$0.isEmpty }.joined(separator: " ")
        } else if let numbered = NumberedInformation(field.lines) {
            numbered.describe(&statement.transactions[last])
        } else if let coded = SlashInformation(field.lines) {
            coded.describe(&statement.transactions[last])
        } else if let labelled = LabelledInformation(field.lines) {
            labelled.describe(&statement.transactions[last])
        } else {
            let texts = field.lines.map(\.folded).filter { !$0.isEmpty }
            statement.transactions[last].purpose = texts.joined(separator: " ")
        }
        current = statement
        (awaitsInformation, goesOn) = (false, true)
    }
}
