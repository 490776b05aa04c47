import Clocks
import Foundation

/// An account of the bank's one customer.
struct Account: Sendable, Hashable {
    let id: String
    let name: String
    let number: String
    /// The centre and the maximum deviation of the balance, in cents.
    let middle: Int
    let swing: Int

    static let all = [
        Account(id: "everyday", name: "Everyday Account", number: "40 2071 8836", middle: 412_050, swing: 180_000),
        Account(id: "savings", name: "Rainy Day Savings", number: "40 2071 9914", middle: 1_864_000, swing: 90_000),
        Account(id: "holiday", name: "Holiday Pot", number: "40 2072 0047", middle: 231_500, swing: 60_000),
    ]

    var iban: String { "GB33MERI" + number.filter(\.isNumber).prefix(14) }

    /// Returns the closing balance in cents, which is the opening balance of the next month.
    func balance(endOf month: Month) -> Int {
        var generator = SeededGenerator("\(id)/balance/\(month)")
        return middle + Int.random(in: -swing...swing, using: &generator)
    }
}

/// A calendar month.
struct Month: Sendable, Hashable, Comparable, CustomStringConvertible {
    let year: Int
    /// 1 to 12.
    let month: Int

    static let names = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// `January 2026`
    var name: String { "\(Self.names[month - 1]) \(year)" }
    var description: String { "\(year)-\(month < 10 ? "0" : "")\(month)" }
    var previous: Month { month == 1 ? Month(year: year - 1, month: 12) : Month(year: year, month: month - 1) }

    var days: Int { MonthYear.days(in: month, of: year) }

    init(year: Int, month: Int) {
        self.year = year
        self.month = month
    }

    /// Reads `2026-01`.
    init?(_ text: String) {
        let parts = text.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 2, (1...12).contains(parts[1]), (1900...2200).contains(parts[0]) else { return nil }
        self.init(year: parts[0], month: parts[1])
    }

    /// Returns the month of a moment, in UTC.
    init(of date: Date) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.year, .month], from: date)
        self.init(year: parts.year ?? 2026, month: parts.month ?? 1)
    }

    static func < (left: Month, right: Month) -> Bool { (left.year, left.month) < (right.year, right.month) }
}
