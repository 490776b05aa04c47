import Foundation

/// The filters that a ``Template`` may use: `{{ month | pad: 2 }}`. A filter without an argument may also follow a dot:
/// `{{ month.name }}`.
public enum TemplateFilter: String, Sendable, CaseIterable {
    /// Pads with zeros in front up to a number of characters, 2 by default.
    case pad
    /// Turns a month's number into its name in the script's locale: `January`.
    case name
    /// Turns a month's number into its short name in the script's locale: `Jan`.
    case abbreviation
    case trim
    case lower
    case upper
    /// Keeps the last two characters, as of a year.
    case short
    /// Formats an ISO 8601 date by a Unicode TR 35 pattern such as `dd.MM.yyyy`, with names in the script's locale.
    case date

    /// Applies the filter.
    ///
    /// - Throws: ``TemplateError`` if the filter does not accept the text.
    func apply(to text: String, argument: String?, locale: String, at place: TemplateError) throws(TemplateError)
        -> String
    {
        switch self {
        case .pad:
            let width = argument.map(Int.init) ?? 2
            guard let width, (1...40).contains(width) else { throw place.saying("pad needs a width from 1 to 40") }
            return text.zeroPadded(to: width)
        case .name: return MonthNames.standalone(in: locale)[try Self.month(text, place)]
        case .abbreviation: return MonthNames.abbreviated(in: locale)[try Self.month(text, place)]
        case .trim: return text.trimmingCharacters(in: .whitespacesAndNewlines)
        case .lower: return text.lowercased(with: Locale(identifier: locale))
        case .upper: return text.uppercased(with: Locale(identifier: locale))
        case .short: return String(text.suffix(2))
        case .date: return try Self.date(text, pattern: argument, locale, place)
        }
    }

    /// The filter in use.
    var example: String {
        switch self {
        case .pad: "{{ month | pad: 2 }}"
        case .date: "{{ first_day | date: dd.MM.yyyy }}"
        case .name, .abbreviation: "{{ month.\(rawValue) }}"
        case .trim, .lower, .upper: "{{ month.name | \(rawValue) }}"
        case .short: "{{ year.short }}"
        }
    }

    /// Returns what is wrong with an argument of the filter, as written; nil if it will do.
    func fault(of argument: String?) -> String? {
        switch self {
        case .pad:
            guard let argument, Int(argument).map((1...40).contains) != true else { return nil }
            return "pad needs a width from 1 to 40, not “\(argument)”"
        case .date:
            return argument?.isEmpty ?? true
                ? "date needs a pattern, such as “{{ first_day | date: dd.MM.yyyy }}”" : nil
        case .name, .abbreviation, .trim, .lower, .upper, .short:
            return argument.map { "\(rawValue) takes no argument, but “\($0)” is given" }
        }
    }

    private static func date(
        _ text: String, pattern: String?, _ locale: String, _ place: TemplateError
    ) throws(TemplateError) -> String {
        guard let pattern, !pattern.isEmpty else {
            throw place.saying("date needs a pattern, such as “{{ first_day | date: dd.MM.yyyy }}”")
        }
        guard let day = try? Date(text, strategy: .iso8601.year().month().day()) else {
            throw place.saying("“\(text)” is not a date; date needs one such as 2026-01-31")
        }
        let formatter = DateFormatter()
        formatter.calendar = Calendar(identifier: .gregorian)
        formatter.timeZone = .gmt
        formatter.locale = Locale(identifier: locale)
        formatter.dateFormat = pattern
        return formatter.string(from: day)
    }

    /// Returns the index of a month: 0 for January.
    private static func month(_ text: String, _ place: TemplateError) throws(TemplateError) -> Int {
        guard let number = Int(text), (1...12).contains(number) else {
            throw place.saying("“\(text)” is not a month; name and abbreviation need a number from 1 to 12")
        }
        return number - 1
    }
}

extension TemplateError {
    func saying(_ message: String) -> TemplateError {
        TemplateError(template: template, column: column, message: message)
    }
}

extension Template {
    /// Fills the template in.
    ///
    /// - Parameters:
    ///   - values: the values by name.
    ///   - locale: the script's locale, for month names.
    /// - Throws: ``TemplateError`` for an unknown name, with the known names, or for a filter that does not accept its
    ///   text.
    public func filled(with values: [String: String], locale: String) throws(TemplateError) -> String {
        guard hasPlaces else { return source }
        var result = ""
        for part in try parts() {
            switch part {
            case .text(let text): result += text
            case .placeholder(let placeholder):
                let place = TemplateError(template: source, column: placeholder.column, message: "")
                guard var value = values[placeholder.name] else {
                    let known = values.keys.sorted().joined(separator: ", ")
                    throw place.saying("“\(placeholder.name)” is not known here; known names: \(known)")
                }
                for filter in placeholder.filters {
                    guard let known = TemplateFilter(rawValue: filter.name) else {
                        let names = TemplateFilter.allCases.map(\.rawValue).joined(separator: ", ")
                        throw place.saying("“\(filter.name)” is not a filter; the filters are: \(names)")
                    }
                    value = try known.apply(to: value, argument: filter.argument, locale: locale, at: place)
                }
                result += value
            }
        }
        return result
    }
}

extension String {
    /// Returns the text padded with zeros in front up to a number of characters.
    func zeroPadded(to width: Int) -> String { String(repeating: "0", count: max(0, width - count)) + self }
}
