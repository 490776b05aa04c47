import Foundation

/// The month that a statement is for, as days: banks that ask “from” and “to” want dates.
public enum StatementPeriod {
    /// The names that a template may use besides the parameters, in a script that has both `month` and `year`.
    public static let names = ["first_day", "last_day"]

    /// The first and the last day as ISO 8601 dates, by their names; none without a month and a year.
    public static func values(of parameters: [String: Int]) -> [String: String] {
        guard let year = parameters["year"], let month = parameters["month"], (1...12).contains(month) else {
            return [:]
        }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        guard let first = calendar.date(from: DateComponents(year: year, month: month, day: 1)),
            let days = calendar.range(of: .day, in: .month, for: first)
        else { return [:] }
        let head = String(format: "%04d-%02d-", year, month)
        return ["first_day": head + "01", "last_day": head + String(format: "%02d", days.count)]
    }
}

extension BankScript {
    /// The names of ``StatementPeriod``, where this script has them.
    var periodNames: [String] {
        let own = Set(parameters.map(\.name))
        return own.isSuperset(of: ["month", "year"]) ? StatementPeriod.names.filter { !own.contains($0) } : []
    }
}
