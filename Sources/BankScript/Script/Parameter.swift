import Clocks

/// A value that a request chooses. The phone refuses a request outside the range before showing it.
public struct Parameter: Sendable, Hashable {
    public var name: String
    /// The allowed whole numbers, including both ends.
    public var range: ClosedRange<Int>

    public init(_ name: String, in range: ClosedRange<Int>) {
        self.name = name
        self.range = range
    }

    /// `month` 1…12 and `year` 1990…2100.
    public static let statementPeriod = [Parameter("month", in: 1...12), Parameter("year", in: 1990...2100)]
}

/// The first and last day of a statement's month, for banks that ask for dates.
public enum StatementPeriod {
    /// Extra names that templates may use in a script with both a `month` and a `year` parameter.
    public static let names = ["first_day", "last_day"]

    /// Returns the first and the last day as ISO 8601 dates, by name; an empty dictionary without a month and a year.
    public static func values(of parameters: [String: Int]) -> [String: String] {
        guard let year = parameters["year"], let month = parameters["month"], (1...12).contains(month) else {
            return [:]
        }
        let head = String(year).zeroPadded(to: 4) + "-" + String(month).zeroPadded(to: 2) + "-"
        return ["first_day": head + "01", "last_day": head + String(MonthYear.days(in: month, of: year))]
    }
}

extension BankScript {
    /// The names of ``StatementPeriod`` that this script's templates may use.
    var periodNames: [String] {
        let own = Set(parameters.map(\.name))
        return own.isSuperset(of: ["month", "year"]) ? StatementPeriod.names.filter { !own.contains($0) } : []
    }
}
