/// Reads MT940 statements and MT942 reports.
///
/// Source: SWIFT, Standards MT category 9; fields 20, 25, 28, 60, 61, 62, 86, 13D. Text outside SWIFT's own character set,
/// control characters between messages, and blank lines are accepted, because banks write them.
struct SWIFTReader {
    private struct Field {
        let tag: Substring
        let line: Int
        var lines: [Substring]
    }

    private let limits: ReadingLimits
    private var statements: [Statement] = []
    private var current: Statement?
    private var count = 0
    private var awaitsInformation = false

    static func read(_ bytes: [UInt8], _ limits: ReadingLimits) throws(ReadingError) -> [Statement] {
        var reader = SWIFTReader(limits: limits)
        var field: Field?
        var number = 0
        let text = try TextDecoding.text(bytes)
        for raw in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            number += 1
            let line = unwrapped(raw)
            if let (tag, content) = tag(line) {
                if let field { try reader.add(field) }
                field = Field(tag: tag, line: number, lines: [content])
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
        return reader.statements
    }

    private init(limits: ReadingLimits) { self.limits = limits }

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
        let content = field.lines[0]
        switch field.tag {
        case "20":
            try end(field.line)
            current = Statement(account: "", currency: "")
        case "25", "25P":
            if current == nil { current = Statement(account: "", currency: "") }
            try setAccount(content)
        case "28", "28C": current?.number = content.folded
        case "60F", "60M":
            let (balance, currency) = try Self.balance(field)
            current?.currency = currency
            current?.opening = balance
        case "34F":
            let currency = content.prefix(3)
            if Statement.isCurrency(currency) { current?.currency = String(currency) }
            current?.isInterim = true
        case "13D": current?.isInterim = true
        case "61": try addTransaction(field)
        case "86": addInformation(field)
        case "62F", "62M": current?.closing = try Self.balance(field).0
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
        guard Statement.isCurrency(statement.currency) else {
            throw ReadingError(.currency, line: line, "a message whose field :60F: or :34F: names no currency")
        }
        guard statement.isInterim || statement.opening != nil && statement.closing != nil else {
            let missing = statement.opening == nil ? ":60F: (opening balance)" : ":62F: (closing balance)"
            throw ReadingError(.syntax, line: line, "a message without \(missing); it is cut off, so download it again")
        }
        for index in statement.transactions.indices { statement.transactions[index].currency = statement.currency }
        statement.complete()
        statements.append(statement)
    }

    /// `C200101EUR444,29`
    private static func balance(_ field: Field) throws(ReadingError) -> (Statement.Balance, String) {
        let text = field.lines[0].folded
        let bytes = Array(text.utf8)
        guard bytes.count > 10, [UInt8(ascii: "C"), UInt8(ascii: "D")].contains(bytes[0]),
            let day = CalendarDay(digits: bytes[1..<7]),
            let currency = String(validating: bytes[7..<10], as: UTF8.self), Statement.isCurrency(currency),
            let amount = Amount(String(decoding: bytes[10...], as: UTF8.self), decimalMark: ","), !amount.isNegative
        else {
            throw ReadingError(
                .amount, line: field.line,
                "field :\(field.tag): is \(ReadingError.quoted(text)); expected a balance such as C250331EUR1234,56")
        }
        return (.init(amount: bytes[0] == UInt8(ascii: "D") ? -amount : amount, day: day), currency)
    }

    /// `YYMMDD[MMDD](C|D|RC|RD)[funds code]amount,NXXX reference[//bank's reference]`, then a line of further text.
    private mutating func addTransaction(_ field: Field) throws(ReadingError) {
        guard current != nil else {
            throw ReadingError(.syntax, line: field.line, "field :61: stands before field :20:; the file is damaged")
        }
        guard count < limits.transactions else {
            throw ReadingError(
                .tooLarge, line: field.line, "more than \(limits.transactions) transactions; split the file")
        }
        count += 1
        func refused(_ code: ReadingError.Code) -> ReadingError {
            let part = code == .date ? "date" : "mark of debit or credit, or no amount"
            // Its references may hold account numbers, so the field itself is not shown.
            return ReadingError(
                code, line: field.line,
                "field :61: has no valid \(part); expected one such as 2503310331D12,50NTRFNONREF")
        }
        let bytes = Array(field.lines[0].utf8)
        guard let valued = CalendarDay(digits: bytes.prefix(6)) else { throw refused(.date) }
        var rest = bytes.dropFirst(6)
        var booked = valued
        if let entry = CalendarDay.number(rest.prefix(4)), rest.count > 4 {
            // The entry's year is the one that puts it next to the value date: :61:2412310102 is booked in 2025.
            let years = [valued.year, valued.year + 1, valued.year - 1]
            let candidates = years.compactMap { CalendarDay(year: $0, month: entry / 100, day: entry % 100) }
            guard
                let nearest = candidates.min(by: {
                    abs($0.monthNumber - valued.monthNumber) < abs($1.monthNumber - valued.monthNumber)
                })
            else { throw refused(.date) }
            booked = nearest
            rest = rest.dropFirst(4)
        } else {
            rest = rest.drop { $0 == 0x20 }
        }
        let mark = rest.prefix { (0x41...0x5A).contains($0) }
        let isReversal = mark.first == UInt8(ascii: "R")
        guard let side = isReversal ? mark.dropFirst().first : mark.first, mark.count <= (isReversal ? 3 : 2),
            side == UInt8(ascii: "C") || side == UInt8(ascii: "D")
        else { throw refused(.amount) }
        rest = rest.dropFirst(mark.count)
        let digits = rest.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ",") }
        guard let amount = Amount(String(decoding: digits, as: UTF8.self), decimalMark: ",") else {
            throw refused(.amount)
        }
        rest = rest.dropFirst(digits.count)
        // A reversal of a credit (RC) takes money from the account.
        let isDebit = (side == UInt8(ascii: "D")) != isReversal
        var made = Transaction(booked: booked, amount: isDebit ? -amount : amount, currency: "")
        made.valued = valued
        made.code = String(decoding: rest.prefix(4), as: UTF8.self).folded
        let references = String(decoding: rest.dropFirst(4), as: UTF8.self).split(
            separator: "//", maxSplits: 1, omittingEmptySubsequences: false)
        if let own = references.first?.folded, own != "NONREF" { made.payerReference = own }
        if references.count > 1 { made.bankReference = references[1].folded }
        made.purpose = field.lines.dropFirst().map(\.folded).joined(separator: " ")
        current?.transactions.append(made)
        awaitsInformation = true
    }

    /// Field 86 after a field 61 describes that transaction; after the closing balance it describes the statement.
    private mutating func addInformation(_ field: Field) {
        guard var statement = current, let last = statement.transactions.indices.last, statement.closing == nil,
            awaitsInformation
        else { return }
        awaitsInformation = false
        // Otherwise the change would copy all transactions.
        current = nil
        if let structured = GermanInformation(field.lines) {
            structured.describe(&statement.transactions[last])
        } else {
            let texts = field.lines.map(\.folded).filter { !$0.isEmpty }
            statement.transactions[last].purpose = texts.joined(separator: " ")
        }
        current = statement
    }
}
