/// The month that a statement is for, as days: banks that ask “from” and “to” want dates.
public enum StatementPeriod {
    /// The names that a template may use besides the parameters, in a script that has both `month` and `year`.
    public static let names = ["first_day", "last_day"]

    /// The first and the last day as ISO 8601 dates, by their names; none without a month and a year.
    public static func values(of parameters: [String: Int]) -> [String: String] {
        guard let year = parameters["year"], let month = parameters["month"], (1...9999).contains(year),
            (1...12).contains(month)
        else { return [:] }
        let head = digits(year, 4) + "-" + digits(month, 2) + "-"
        return ["first_day": head + "01", "last_day": head + digits(days(of: month, in: year), 2)]
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

    private static func digits(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}

extension BankScript {
    /// The names of ``StatementPeriod``, where this script has them.
    var periodNames: [String] {
        let own = Set(parameters.map(\.name))
        return own.isSuperset(of: ["month", "year"]) ? StatementPeriod.names.filter { !own.contains($0) } : []
    }
}
