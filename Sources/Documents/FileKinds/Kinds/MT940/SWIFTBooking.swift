/// A booking of MT940's field 61.
///
/// `YYMMDD[MMDD](C|D|RC|RD|EC|ED)[funds code]amount,NXXX reference[//bank's reference]`, then a line of further text.
struct SWIFTBooking {
    private(set) var transaction: Transaction
    /// The oddity of the field, and how it was read.
    private(set) var oddity: String?
    /// True for a booking that a report only expects (marks EC and ED).
    let isExpected: Bool

    init(_ lines: [Substring], _ line: Int) throws(ReadingError) {
        func refused(_ code: ReadingError.Code) -> ReadingError {
            let part = code == .date ? "date" : "mark of debit or credit, or no amount"
            // Its references may hold account numbers, so the field itself is not shown.
            return ReadingError(
                code, line: line,
                "field :61: has no valid \(part); expected one such as 2503310331D12,50NTRFNONREF")
        }
        var lines = lines
        // Some banks break the line before the amount.
        if lines.count > 1, lines[0].last?.isLetter == true, lines[0].count <= 13, lines[1].first?.isNumber == true {
            lines[0] = Substring(lines[0] + lines.remove(at: 1))
        }
        let bytes = Array(lines[0].utf8)
        guard let number = CalendarDay.number(bytes.prefix(6)), bytes.count > 6 else { throw refused(.date) }
        // Interest years have months of 30 days (30E/360), and so does the value date of some banks.
        let year = number / 10_000
        let (value, isValueOdd) = Self.day(
            year: year >= 80 ? 1900 + year : 2000 + year, month: number / 100 % 100, day: number % 100)
        guard let value else { throw refused(.date) }
        var booked = value
        var rest = bytes.dropFirst(6)
        var hasEntry = false
        if let entry = CalendarDay.number(rest.prefix(4)), rest.count > 4 {
            // The entry's year is the one that puts it next to the value date: :61:2412310102 is booked in 2025.
            let candidates = [value.year, value.year + 1, value.year - 1].compactMap {
                Self.day(year: $0, month: entry / 100, day: entry % 100).0
            }
            guard
                let nearest = candidates.min(by: {
                    abs($0.monthNumber - value.monthNumber) < abs($1.monthNumber - value.monthNumber)
                })
            else { throw refused(.date) }
            booked = nearest
            hasEntry = true
            rest = rest.dropFirst(4)
        } else {
            rest = rest.drop { $0 == 0x20 }
        }
        if isValueOdd {
            let written = "\(number % 100) of month \(number / 100 % 100)"
            oddity =
                hasEntry
                ? "the value date, the \(written), does not exist, and is left out"
                : "the date, the \(written), does not exist; the last day of the month is taken"
        }
        let mark = rest.prefix { (0x41...0x5A).contains($0 & 0xDF) }
        let letters = mark.map { $0 & 0xDF }
        let isReversal = letters.first == UInt8(ascii: "R")
        isExpected = letters.first == UInt8(ascii: "E")
        let hasPrefix = isReversal || isExpected
        guard let side = hasPrefix ? letters.dropFirst().first : letters.first,
            letters.count <= (hasPrefix ? 3 : 2), side == UInt8(ascii: "C") || side == UInt8(ascii: "D")
        else { throw refused(.amount) }
        rest = rest.dropFirst(mark.count).drop { $0 == 0x20 }
        let digits = rest.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ".") }
        guard let amount = Self.amount(digits) else { throw refused(.amount) }
        rest = rest.dropFirst(digits.count)
        // Behind the amount stands a letter. An apostrophe or a space with digits behind it would be a group of thousands.
        let next = rest.drop { $0 == 0x20 }.first
        guard next != UInt8(ascii: "'"), next.map({ $0 < 0x80 }) ?? true,
            rest.first != 0x20 || !(next.map { (0x30...0x39).contains($0) } ?? false)
        else { throw refused(.amount) }
        // A reversal of a credit (RC) takes money from the account.
        let isDebit = (side == UInt8(ascii: "D")) != isReversal
        transaction = Transaction(booked: booked, amount: isDebit ? -amount : amount, currency: "")
        transaction.valued = isValueOdd ? nil : value
        transaction.code = String(decoding: rest.prefix(4), as: UTF8.self).folded
        let references = String(decoding: rest.dropFirst(4), as: UTF8.self).split(
            separator: "//", maxSplits: 1, omittingEmptySubsequences: false)
        // ING writes the name of the reference that field 86 has.
        if let own = references.first?.folded, !["NONREF", "EREF", "PREF", "MARF"].contains(own) {
            transaction.payerReference = own
        }
        if references.count > 1 { transaction.bankReference = references[1].folded }
        let further = lines.dropFirst().map(\.folded).joined(separator: " ")
        // Rabobank writes the other party's account there.
        if Self.isIBAN(further) { transaction.counterpartyAccount = further } else { transaction.purpose = further }
    }

    /// Reads an amount with a decimal comma, as SWIFT's are, or with a decimal point.
    static func amount(_ digits: some Collection<UInt8>) -> Amount? {
        let text = String(decoding: digits, as: UTF8.self)
        if let amount = Amount(text, decimalMark: ",") { return amount.isNegative ? nil : amount }
        // Three digits after a point may be a group of a thousand.
        guard let written = WrittenAmount(text), !written.isNegative, written.currency.isEmpty,
            let amounts = try? WrittenAmounts([text], mark: nil)
        else { return nil }
        return amounts.amount(of: written)
    }

    /// The day, and whether it had to be put on the last one of its month.
    private static func day(year: Int, month: Int, day: Int) -> (CalendarDay?, Bool) {
        if let exact = CalendarDay(year: year, month: month, day: day) { return (exact, false) }
        guard month == 2, day == 29 || day == 30 else { return (nil, false) }
        return (CalendarDay(year: year, month: 2, day: CalendarDay.length(ofMonth: 2, year: year)), true)
    }

    private static func isIBAN(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return (15...34).contains(bytes.count) && bytes.prefix(2).allSatisfy { (0x41...0x5A).contains($0) }
            && CalendarDay.number(bytes[2..<4]) != nil
            && bytes.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) }
    }
}
