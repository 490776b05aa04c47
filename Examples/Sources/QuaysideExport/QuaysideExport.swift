import FileKinds
import Messages

extension DocumentKind {
    /// The account export of Quayside Bank.
    public static let quayside = DocumentKind(
        "quayside", mediaType: "application/vnd.quayside.export", fileExtension: "qsx")
}

/// The account export of Quayside Bank, which is made up: UTF-8 text with fields at fixed places, and amounts in hundredths.
///
///     QUAYSIDE EXPORT 1
///     A 40021907    GBP 2025-01-01 2025-01-31
///     O       125000
///     B 2025-01-05        -1299 COFFEE HOUSE
///     B 2025-01-28       210000 MERIDIAN WORKS LTD
///     C       333701      2
///
/// `A` is the account with its currency and days, `O` the opening balance, each `B` a booking, and `C` the closing balance with
/// the number of bookings.
public enum QuaysideExport {
    public static let kind = FileKind(
        .quayside, words: "a Quayside export", version: "1.0",
        isMarked: { $0.text.hasPrefix("QUAYSIDE EXPORT ") }, check: check, transactions: transactions)

    /// A file whose bookings cannot be read is cut off or damaged. One whose balances do not add up is whole.
    @Sendable static func check(_ bytes: [UInt8]) throws(FileRefusal) -> [String] {
        do throws(ReadingError) {
            return try transactions(of: bytes).flatMap(\.notes)
        } catch {
            throw FileRefusal(error.code == .wrongKind ? .wrongKind : .damaged, error.description)
        }
    }

    @Sendable static func transactions(of bytes: [UInt8]) throws(ReadingError) -> [Statement] {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ReadingError(.encoding, "the export is not UTF-8; download it again")
        }
        var lines: [Line] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
        where !line.isEmpty {
            lines.append(Line(number: index + 1, characters: Array(line)))
        }
        guard lines.first?.characters == Array("QUAYSIDE EXPORT 1") else {
            throw ReadingError(.wrongKind, "the file is not a Quayside export of version 1; ask for a newer program")
        }
        return [try statement(lines.dropFirst())]
    }

    private static func statement(_ lines: ArraySlice<Line>) throws(ReadingError) -> Statement {
        var lines = lines
        func next(_ mark: Character) -> Line? {
            lines.first?.characters.first == mark ? lines.popFirst() : nil
        }
        guard let account = next("A"), let opening = next("O") else {
            throw ReadingError(.syntax, "the export begins without its account and balance; download it again")
        }
        var statement = Statement(account: account.text(2..<14), currency: account.text(14..<17))
        let (first, last) = (try account.day(18..<28), try account.day(29..<39))
        (statement.from, statement.to) = (first, last)
        statement.opening = .init(amount: try opening.amount(2..<14), day: first)
        while let booking = next("B") {
            var made = Transaction(
                booked: try booking.day(2..<12), amount: try booking.amount(13..<25), currency: statement.currency)
            made.counterparty = booking.text(26..<max(26, booking.characters.count))
            statement.transactions.append(made)
        }
        guard let closing = next("C"), lines.isEmpty,
            Int(closing.text(15..<21)) == statement.transactions.count
        else { throw ReadingError(.syntax, "the export does not end with all of its bookings; download it again") }
        let balance = try closing.amount(2..<14)
        statement.closing = .init(amount: balance, day: last)
        if statement.transactions.reduce(try opening.amount(2..<14), { $0 + $1.amount }) != balance {
            statement.isContradictory = true
            statement.notes.append("the bookings do not add up to the closing balance")
        }
        return statement
    }
}

/// A line of an export, with its number from 1.
private struct Line {
    let number: Int
    let characters: [Character]

    /// Returns a field without the spaces around it; empty where the line is too short.
    func text(_ places: Range<Int>) -> String {
        let field = characters[places.clamped(to: 0..<characters.count)]
        let start = field.drop { $0 == " " }
        return String(start.prefix(upTo: start.lastIndex { $0 != " " }.map { $0 + 1 } ?? start.startIndex))
    }

    func day(_ places: Range<Int>) throws(ReadingError) -> CalendarDay {
        guard let day = CalendarDay(iso: text(places)) else {
            throw ReadingError(.date, line: number, "a day is not of the form 2025-01-31; download the export again")
        }
        return day
    }

    func amount(_ places: Range<Int>) throws(ReadingError) -> Amount {
        if let hundredths = Int(text(places)) {
            let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
            let sign = hundredths < 0 ? "-" : ""
            if let amount = Amount("\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)") { return amount }
        }
        throw ReadingError(.amount, line: number, "an amount is not a whole number; download the export again")
    }
}
