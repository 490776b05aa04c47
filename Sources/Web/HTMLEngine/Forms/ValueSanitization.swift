import Clocks
import Foundation
import Markup

extension ControlType {
    /// The value sanitization algorithm of the type (HTML Standard, section 4.10.5.1), for values from the page.
    func sanitized(_ value: String, of field: Element) -> String {
        switch self {
        case .text, .search, .tel, .password: value.withoutLineBreaks
        case .url: value.withoutLineBreaks.strippingASCIISpace
        case .email:
            field.has("multiple")
                ? value.split(separator: ",", omittingEmptySubsequences: false)
                    .map { String($0).withoutLineBreaks.strippingASCIISpace }.joined(separator: ",")
                : value.withoutLineBreaks.strippingASCIISpace
        case .range: isWellFormed(value) ? value : Self.middle(of: field)
        case .number, .date, .month, .week, .time, .localDateTime: isWellFormed(value) ? value : ""
        case .color: isWellFormed(value) ? value.lowercased() : "#000000"
        default: value
        }
    }

    /// Returns the default value of a slider, which is the middle of its range.
    private static func middle(of field: Element) -> String {
        let lower = field[attribute: "min"].flatMap(Double.init) ?? 0
        let upper = field[attribute: "max"].flatMap(Double.init) ?? 100
        let middle = upper < lower ? lower : lower + (upper - lower) / 2
        return Int(exactly: middle).map(String.init) ?? String(middle)
    }

    /// Returns whether a text is valid for the type: a number, date, time or colour (section 2.3).
    func isWellFormed(_ value: String) -> Bool {
        switch self {
        case .number, .range:
            value.wholeMatch(of: /-?(\d+(\.\d+)?|\.\d+)([eE][+-]?\d+)?/) != nil && Double(value)?.isFinite ?? false
        case .date: Self.isDate(value)
        case .month: Self.isMonth(value)
        case .week:
            value.wholeMatch(of: /\d{4,}-W(\d\d)/).map { (1...53).contains(Int($0.1) ?? 0) } ?? false
        case .time: Self.isTime(value)
        case .localDateTime:
            value.firstIndex { $0 == "T" || $0 == " " }.map {
                Self.isDate(String(value[..<$0])) && Self.isTime(String(value[value.index(after: $0)...]))
            } ?? false
        case .color: value.wholeMatch(of: /#[0-9a-fA-F]{6}/) != nil
        default: true
        }
    }

    /// An example of the form, for a message.
    var form: String {
        switch self {
        case .number, .range: "a number such as 12 or 12.50"
        case .date: "a date such as 2026-01-31"
        case .month: "a month such as 2026-01"
        case .week: "a week such as 2026-W05"
        case .time: "a time such as 09:30"
        case .localDateTime: "a date and time such as 2026-01-31T09:30"
        case .color: "a colour such as #1a2b3c"
        default: "text"
        }
    }

    private static func isMonth(_ text: String) -> Bool {
        guard let match = text.wholeMatch(of: /(\d{4,})-(\d\d)/), let year = Int(match.1), let month = Int(match.2)
        else {
            return false
        }
        return year > 0 && (1...12).contains(month)
    }

    private static func isDate(_ text: String) -> Bool {
        guard let match = text.wholeMatch(of: /(\d{4,})-(\d\d)-(\d\d)/), let year = Int(match.1),
            let month = Int(match.2), let day = Int(match.3), year > 0, (1...12).contains(month)
        else { return false }
        return (1...MonthYear.days(in: month, of: year)).contains(day)
    }

    private static func isTime(_ text: String) -> Bool {
        guard let match = text.wholeMatch(of: /(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,3})?)?/), let hour = Int(match.1),
            let minute = Int(match.2)
        else { return false }
        return hour < 24 && minute < 60 && (match.3.flatMap { Int($0) } ?? 0) < 60
    }
}

extension String {
    fileprivate var withoutLineBreaks: String {
        utf8.contains { $0 == 0x0A || $0 == 0x0D } ? String(unicodeScalars.filter { $0 != "\n" && $0 != "\r" }) : self
    }

    fileprivate var strippingASCIISpace: String { trimmingCharacters(in: CharacterSet(charactersIn: " \t\n\r\u{0C}")) }
}
