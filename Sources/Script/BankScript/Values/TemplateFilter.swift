import Crypto
import Encodings
import Foundation

/// The filters that a ``Template`` may use: `{{ month | pad: 2 }}`. A filter without an argument may also follow a dot:
/// `{{ month.name }}`.
package enum TemplateFilter: String, Sendable, CaseIterable {
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
    /// Moves an ISO 8601 date forward or back by days, months or years: `plus: 1 month`.
    case plus, minus
    /// Turns an ISO 8601 date into the seconds from 1970 to its beginning in UTC.
    case seconds
    /// Percent-encodes all but unreserved characters (RFC 3986, section 2.3), and the other way round.
    case urlencode, urldecode
    /// The base64 of the text's UTF-8.
    case base64
    /// The SHA-256 of the text's UTF-8, in lower-case hex.
    case sha256
    /// The HMAC-SHA-256 of the text, in lower-case hex. The argument names the parameter or capture that is the key.
    case hmac

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
        case .plus: return try Self.moved(text, by: argument, forward: true, place)
        case .minus: return try Self.moved(text, by: argument, forward: false, place)
        case .seconds:
            guard let day = try? Date(text, strategy: .iso8601.year().month().day()) else {
                throw place.saying("“\(text)” is not a date; seconds needs one such as 2026-01-31")
            }
            return String(Int64(day.timeIntervalSince1970))
        case .urlencode:
            return text.utf8.map { byte in
                Self.isUnreserved(byte) ? String(UnicodeScalar(byte)) : "%" + Base16.encode([byte]).uppercased()
            }.joined()
        case .urldecode:
            guard let decoded = text.removingPercentEncoding else {
                throw place.saying("“\(text)” is not percent-encoded text")
            }
            return decoded
        case .base64: return Data(text.utf8).base64EncodedString()
        case .sha256: return Base16.encode(SHA256.hash(data: Data(text.utf8)))
        case .hmac:
            guard let argument else { throw place.saying("hmac needs the name of its key, such as “hmac: nonce”") }
            let code = HMAC<SHA256>.authenticationCode(
                for: Data(text.utf8), using: SymmetricKey(data: Data(argument.utf8)))
            return Base16.encode(code)
        }
    }

    /// The filter in use.
    package var example: String {
        switch self {
        case .pad: "{{ month | pad: 2 }}"
        case .date: "{{ first_day | date: dd.MM.yyyy }}"
        case .name, .abbreviation: "{{ month.\(rawValue) }}"
        case .trim, .lower, .upper: "{{ month.name | \(rawValue) }}"
        case .short: "{{ year.short }}"
        case .seconds: "{{ first_day | seconds }}"
        case .plus, .minus: "{{ first_day | \(rawValue): 1 month }}"
        case .urlencode, .urldecode, .base64, .sha256: "{{ cursor | \(rawValue) }}"
        case .hmac: "{{ challenge | hmac: nonce }}"
        }
    }

    /// Returns what is wrong with an argument of the filter, as written; nil if it will do.
    package func fault(of argument: String?) -> String? {
        switch self {
        case .pad:
            guard let argument, Int(argument).map((1...40).contains) != true else { return nil }
            return "pad needs a width from 1 to 40, not “\(argument)”"
        case .date: return DatePattern(text: argument ?? "").fault
        case .plus, .minus:
            return Self.span(argument) == nil
                ? "\(rawValue) needs a length such as “1 month”, not “\(argument ?? "")”" : nil
        case .hmac: return argument == nil ? "hmac needs the name of its key" : nil
        case .name, .abbreviation, .trim, .lower, .upper, .short, .seconds, .urlencode, .urldecode, .base64, .sha256:
            return argument.map { "\(rawValue) takes no argument, but “\($0)” is given" }
        }
    }

    /// Returns the argument that was probably meant in place of a wrong one; nil where nothing can be said.
    package func suggestion(for argument: String?) -> String? {
        self == .date ? argument.flatMap { DatePattern(text: $0).suggestion } : nil
    }

    private static func date(
        _ text: String, pattern: String?, _ locale: String, _ place: TemplateError
    ) throws(TemplateError) -> String {
        let pattern = DatePattern(text: pattern ?? "")
        if let fault = pattern.fault {
            throw place.saying(fault + (pattern.suggestion.map { "; did you mean “\($0)”?" } ?? ""))
        }
        guard let day = try? Date(text, strategy: .iso8601.year().month().day()) else {
            throw place.saying("“\(text)” is not a date; date needs one such as 2026-01-31")
        }
        let formatter = DateFormatter()
        formatter.calendar = Calendar(identifier: .gregorian)
        formatter.timeZone = .gmt
        formatter.locale = Locale(identifier: locale)
        formatter.dateFormat = pattern.text
        return formatter.string(from: day)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Reads `1 month`, `30 days` or `2 years`.
    private static func span(_ argument: String?) -> (unit: Calendar.Component, count: Int)? {
        let parts = (argument ?? "").split(separator: " ")
        guard parts.count == 2, let count = Int(parts[0]), (0...10_000).contains(count) else { return nil }
        switch parts[1] {
        case "day", "days": return (.day, count)
        case "month", "months": return (.month, count)
        case "year", "years": return (.year, count)
        default: return nil
        }
    }

    private static func moved(
        _ text: String, by argument: String?, forward: Bool, _ place: TemplateError
    ) throws(TemplateError) -> String {
        guard let (unit, count) = span(argument) else {
            throw place.saying("plus and minus need a length such as “1 month” or “30 days”")
        }
        guard let day = try? Date(text, strategy: .iso8601.year().month().day()) else {
            throw place.saying("“\(text)” is not a date; plus and minus need one such as 2026-01-31")
        }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        guard let moved = calendar.date(byAdding: unit, value: forward ? count : -count, to: day) else {
            throw place.saying("“\(text)” cannot be moved by \(count)")
        }
        return moved.formatted(.iso8601.year().month().day())
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
                    var argument = filter.argument
                    if known == .hmac, let name = argument {
                        guard let key = values[name] else { throw place.saying("the key “\(name)” is not known here") }
                        argument = key
                    }
                    value = try known.apply(to: value, argument: argument, locale: locale, at: place)
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
