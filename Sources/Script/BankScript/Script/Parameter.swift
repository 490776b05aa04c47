import Clocks
import Encodings
import Foundation
import Messages

/// A value that a request chooses. The phone refuses a request with another value before showing it.
public struct Parameter: Sendable, Hashable {
    /// The values that a parameter may have.
    public enum Kind: Sendable, Hashable {
        /// Whole numbers, including both ends.
        case number(ClosedRange<Int>)
        /// Texts of which the pattern, an ICU regular expression, matches the whole.
        case text(pattern: String)
        /// Days in the form `2026-01-31`, including both ends.
        case date(ClosedRange<CalendarDate>)
        /// One of these texts.
        case choice([String])
    }

    public var name: String
    public var kind: Kind

    public init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }

    public init(_ name: String, in range: ClosedRange<Int>) { self.init(name, .number(range)) }
    public init(_ name: String, text pattern: String) { self.init(name, .text(pattern: pattern)) }
    public init(_ name: String, dates: ClosedRange<CalendarDate>) { self.init(name, .date(dates)) }
    public init(_ name: String, choices: String...) { self.init(name, .choice(choices)) }

    /// `month` 1…12 and `year` 1990…2100.
    public static let statementPeriod = [Parameter("month", in: 1...12), Parameter("year", in: 1990...2100)]
}

extension Parameter {
    /// The words for the kinds other than whole numbers, as YAML has them.
    static let kindNames = ["text", "date", "choice"]

    /// The longest value, in characters.
    static let longestText = 200

    /// Returns whether a request may choose this value.
    public func accepts(_ value: ParameterValue) -> Bool {
        let text = value.text
        switch kind {
        case .number(let range): return value.number.map(range.contains) ?? false
        case .date(let range): return CalendarDate(text).map(range.contains) ?? false
        case .choice(let choices): return choices.contains(text)
        case .text(let pattern):
            guard text.count <= Self.longestText,
                let expression = try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z")
            else { return false }
            return expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
        }
    }

    /// The accepted values in words: `1 to 12`.
    public var accepted: String {
        switch kind {
        case .number(let range): "\(range.lowerBound) to \(range.upperBound)"
        case .text(let pattern): "a text that matches “\(pattern.inLine())”"
        case .date(let range): "a date from \(range.lowerBound) to \(range.upperBound)"
        case .choice(let choices): "one of: \(choices.map { $0.inLine() }.joined(separator: ", "))"
        }
    }

    /// A value that it accepts; nil where only a person can think of one.
    public var example: String? {
        switch kind {
        case .number(let range): String(range.lowerBound)
        case .text: nil
        case .date(let range): range.lowerBound.description
        case .choice(let choices): choices.first
        }
    }
}

/// A parameter's value in a request, as a text: `1`, `2026-01-31` or `Savings`.
public struct ParameterValue: Sendable, Hashable, CustomStringConvertible, ExpressibleByIntegerLiteral,
    ExpressibleByStringLiteral
{
    public let text: String

    public init(_ text: String) { self.text = text }
    public init(_ number: Int) { text = String(number) }
    public init(integerLiteral value: Int) { self.init(value) }
    public init(stringLiteral value: String) { self.init(value) }

    /// The whole number that the text is written for, without signs or zeros to spare; nil for another text.
    public var number: Int? { Int(text).flatMap { String($0) == text ? $0 : nil } }

    public var description: String { text }
}

/// The first and last day of a statement's month, for banks that ask for dates.
package enum StatementPeriod {
    /// Extra names that templates may use in a script with both a `month` and a `year` parameter.
    package static let names = ["first_day", "last_day"] + dayNames

    /// The names of the first and the last day that are asked for: those of the month, unless a request asks for some of its
    /// days. A capture may have such a name.
    package static let dayNames = ["from", "to"]

    /// Returns the first and the last day as ISO 8601 dates, by name; an empty dictionary without a month and a year.
    package static func values(of parameters: [String: ParameterValue]) -> [String: String] {
        guard let year = parameters["year"]?.number, let month = parameters["month"]?.number,
            (1...12).contains(month)
        else { return [:] }
        let head = String(year).zeroPadded(to: 4) + "-" + String(month).zeroPadded(to: 2) + "-"
        let (first, last) = (head + "01", head + String(MonthYear.days(in: month, of: year)))
        return ["first_day": first, "last_day": last, "from": first, "to": last]
    }

    /// Returns what templates may use: the parameters, and the days of their month.
    package static func texts(of parameters: [String: ParameterValue]) -> [String: String] {
        parameters.mapValues(\.text).merging(values(of: parameters)) { own, _ in own }
    }

    /// Returns what templates may use for a month, or for some of its days.
    package static func texts(of place: DocumentPlace) -> [String: String] {
        texts(of: ["month": ParameterValue(place.period.month), "year": ParameterValue(place.period.year)])
            .merging(["from": place.firstDay, "to": place.lastDay]) { $1 }
    }
}

extension BankScript {
    /// True if the steps for each month name the days that are asked for, as `{{ from }}` and `{{ to }}`. A capture with such
    /// a name takes the days' place.
    public var asksForDays: Bool {
        guard capturedNames.isDisjoint(with: StatementPeriod.dayNames) else { return false }
        let names = Set(forEachPeriod.flatMap(\.json.templateNames))
        return Set(StatementPeriod.dayNames).isSubset(of: names.intersection(periodNames))
    }

    private var capturedNames: Set<String> {
        let passed = interruptions.flatMap { interruption -> [Step] in
            if case .pass(let steps) = interruption.response { steps } else { [] }
        }
        return (stepsForOnePeriod + passed).capturedNames
    }

    /// The names of ``StatementPeriod`` that this script's templates may use.
    package var periodNames: [String] {
        let own = Set(parameters.map(\.name))
        return own.isSuperset(of: ["month", "year"]) ? StatementPeriod.names.filter { !own.contains($0) } : []
    }
}

extension [Step] {
    /// The names of the captures, those inside `when` included.
    fileprivate var capturedNames: Set<String> { Set(allActions.compactMap(\.kind.keptName)) }
}

extension JSONValue {
    /// The names in all texts of the value, read as templates.
    fileprivate var templateNames: [String] {
        switch self {
        case .string(let text): Template(text).names
        case .array(let items): items.flatMap(\.templateNames)
        case .object(let members): members.values.flatMap(\.templateNames)
        case .number, .bool, .null: []
        }
    }
}
