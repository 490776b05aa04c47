/// What a request may choose, with its range: the phone refuses a request outside it before it is shown.
public struct Parameter: Sendable, Hashable {
    public var name: String
    /// The allowed whole numbers, both ends included.
    public var range: ClosedRange<Int>

    public init(_ name: String, in range: ClosedRange<Int>) {
        self.name = name
        self.range = range
    }

    /// `month` 1…12 and `year` 1990…2100.
    public static let statementPeriod = [Parameter("month", in: 1...12), Parameter("year", in: 1990...2100)]
}

/// The month that a statement is for, as days: banks that ask “from” and “to” want dates.
public enum StatementPeriod {
    /// The names that a template may use besides the parameters, in a script that has both `month` and `year`.
    public static let names = ["first_day", "last_day"]

    /// The first and the last day as ISO 8601 dates, by their names; none without a month and a year.
    public static func values(of parameters: [String: Int]) -> [String: String] {
        guard let year = parameters["year"], let month = parameters["month"], (1...12).contains(month) else {
            return [:]
        }
        let head = String(year).zeroPadded(to: 4) + "-" + String(month).zeroPadded(to: 2) + "-"
        return ["first_day": head + "01", "last_day": head + String(days(of: month, in: year))]
    }

    /// By the Gregorian calendar (ISO 8601). It is asked at the beginning of every run, and Foundation's is slow to begin.
    private static func days(of month: Int, in year: Int) -> Int {
        let isLeapYear = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        return switch month {
        case 2: isLeapYear ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension BankScript {
    /// The names of ``StatementPeriod``, where this script has them.
    var periodNames: [String] {
        let own = Set(parameters.map(\.name))
        return own.isSuperset(of: ["month", "year"]) ? StatementPeriod.names.filter { !own.contains($0) } : []
    }
}
