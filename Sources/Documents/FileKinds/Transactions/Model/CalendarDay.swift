/// A day of the Gregorian calendar, without a time zone: banks book by day.
public struct CalendarDay: Sendable, Hashable, Comparable {
    /// 1900 to 2199.
    public let year: Int
    /// 1 to 12.
    public let month: Int
    /// 1 to 31.
    public let day: Int

    /// Returns nil for a day that does not exist, and for years outside 1900 to 2199.
    public init?(year: Int, month: Int, day: Int) {
        guard (1900...2199).contains(year), (1...12).contains(month), day >= 1,
            day <= Self.length(ofMonth: month, year: year)
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// Reads `2025-03-31`, or the date of an ISO 8601 date and time, e.g. `2025-03-31T10:15:00+01:00`, or of a date with a
    /// zone (XML Schema), e.g. `2025-03-31-05:00`.
    ///
    /// A time's zone is not converted: the bank's local date is the one that it books by.
    public init?(iso text: some StringProtocol) {
        // Digits, with a hyphen behind the fourth and the sixth.
        var number = 0
        var place = 0
        for byte in text.utf8 {
            switch (place, byte) {
            case (4, 0x2D), (7, 0x2D), (10, UInt8(ascii: "T")), (10, 0x20), (10, 0x2B), (10, 0x2D), (10, 0x5A): break
            case (0...3, 0x30...0x39), (5...6, 0x30...0x39), (8...9, 0x30...0x39):
                number = number * 10 + Int(byte - 0x30)
            default: return nil
            }
            place += 1
            if place == 11 { break }
        }
        guard place >= 10 else { return nil }
        self.init(year: number / 10_000, month: number / 100 % 100, day: number % 100)
    }

    /// Reads eight digits, `20250331`, or six, `250331`, whose year is from 1980 to 2079 as in SWIFT messages.
    init?(digits: some Collection<UInt8>) {
        let count = digits.count
        guard count == 8 || count == 6, let number = Self.number(digits) else { return nil }
        let year = number / 10_000
        self.init(
            year: count == 8 ? year : year >= 80 ? 1900 + year : 2000 + year, month: number / 100 % 100,
            day: number % 100)
    }

    /// Returns the number that ASCII digits spell; nil for anything else, and for more than nine of them.
    static func number(_ digits: some Collection<UInt8>) -> Int? {
        guard (1...9).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The day after; nil after 2199-12-31.
    var next: CalendarDay? {
        CalendarDay(year: year, month: month, day: day + 1)
            ?? CalendarDay(year: year, month: month + 1, day: 1) ?? CalendarDay(year: year + 1, month: 1, day: 1)
    }

    /// Returns the day so many days after another; nil after 2199-12-31.
    static func counted(_ days: Int, from start: (year: Int, month: Int, day: Int)) -> CalendarDay? {
        guard days >= 0, days < 120_000 else { return nil }
        var (year, month, day) = start
        day += days
        while day > length(ofMonth: month, year: year) {
            day -= length(ofMonth: month, year: year)
            (year, month) = month == 12 ? (year + 1, 1) : (year, month + 1)
        }
        return CalendarDay(year: year, month: month, day: day)
    }

    /// The months since year 0.
    var monthNumber: Int { year * 12 + month - 1 }

    /// The month in words, e.g. `March 2025`.
    var monthName: String { Self.name(ofMonth: monthNumber) }

    static func name(ofMonth number: Int) -> String {
        let names = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ]
        return "\(names[number % 12]) \(number / 12)"
    }

    public static func < (left: CalendarDay, right: CalendarDay) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}

extension CalendarDay: CustomStringConvertible {
    /// The day as in ISO 8601, e.g. `2025-03-31`.
    public var description: String {
        func digit(_ number: Int) -> UInt8 { UInt8(0x30 + number % 10) }
        let bytes = [
            digit(year / 1000), digit(year / 100), digit(year / 10), digit(year), 0x2D, digit(month / 10), digit(month),
            0x2D,
            digit(day / 10), digit(day),
        ]
        return String(decoding: bytes, as: UTF8.self)
    }
}
