import BankScript
import Foundation

/// The month of a recorded statement, as the bank writes it.
struct RecordedMonth: Sendable, Hashable {
    /// 1…12
    let month: Int
    let year: Int
    /// The language of the month's name.
    let locale: String

    /// Finds a month and a year in a text: “January 2026”, “Jan 2026”, “2026-01”, “01/2026”, “31.01.2026”.
    init?(in text: String, locale: String) {
        let text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard let (month, year) = Self.named(text, locale) ?? Self.numbered(text) else { return nil }
        self.month = month
        self.year = year
        self.locale = locale
    }

    /// Finds a month and a year among the options chosen from lists.
    init?(chosenBy actions: [Action], locale: String) {
        var month: Int?
        var year: Int?
        for choose in actions.compactMap({ $0.as(ChooseStep.self) }) {
            guard case .template(let option) = choose.option else { continue }
            let text = option.source.lowercased()
            let names = MonthNames.standalone(in: locale).map { $0.lowercased() }
            if let found = names.firstIndex(of: text) {
                month = found + 1
            } else if let number = Int(text), 1990...2100 ~= number {
                year = number
            } else if let number = Int(text), 1...12 ~= number, MonthNames.isLabel(choose.list.description) {
                month = number
            }
        }
        guard let month, let year else { return nil }
        self.month = month
        self.year = year
        self.locale = locale
    }

    private static func named(_ text: String, _ locale: String) -> (Int, Int)? {
        let lower = text.lowercased()
        for names in [MonthNames.standalone(in: locale), MonthNames.abbreviated(in: locale)] {
            for (index, name) in names.enumerated() {
                let pattern =
                    #"(?<!\p{L})"# + NSRegularExpression.escapedPattern(for: name.lowercased())
                    + #"\.?(?!\p{L})[ ,]*((?:19|20)\d\d)(?!\d)"#
                if let year = firstGroup(pattern, in: lower).flatMap({ Int($0) }) { return (index + 1, year) }
            }
        }
        return nil
    }

    private static func numbered(_ text: String) -> (Int, Int)? {
        if let match = text.firstMatch(
            of: /(?:^|\D)((?:19|20)\d\d)[-_\/.]?(0[1-9]|1[0-2])(?:\D|$|(?=[0-3]\d(?:\D|$)))/),
            let year = Int(match.1), let month = Int(match.2)
        {
            return (month, year)
        }
        if let match = text.firstMatch(of: /(?:^|[^\d,])(0?[1-9]|1[0-2])[.\/-]((?:19|20)\d\d)(?:\D|$)/),
            let month = Int(match.1), let year = Int(match.2)
        {
            return (month, year)
        }
        return nil
    }

    private static func firstGroup(_ pattern: String, in text: String) -> String? {
        guard let expression = try? NSRegularExpression(pattern: pattern),
            let match = expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)),
            let range = Range(match.range(at: 1), in: text)
        else { return nil }
        return String(text[range])
    }

    /// Returns the part of a text that names the month and the year, to search a list for.
    func naming(in text: String) -> String? {
        let text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let name = NSRegularExpression.escapedPattern(for: MonthNames.standalone(in: locale)[month - 1])
        let short = NSRegularExpression.escapedPattern(for: MonthNames.abbreviated(in: locale)[month - 1])
        let number = "0?\(month)"
        for pattern in [
            #"(?i)(?<!\p{L})(?:\#(name)|\#(short)\.?)[ ,]*\#(year)(?!\d)"#, #"(?<!\d)\#(year)[-_/.]\#(number)(?!\d)"#,
            #"(?<!\d)\#(number)[./-]\#(year)(?!\d)"#,
        ] {
            if let range = text.range(of: pattern, options: .regularExpression) { return String(text[range]) }
        }
        return nil
    }

    /// Replaces the month and the year in a text by parameters of a script.
    func parametrised(_ text: String) -> String {
        let padded = month < 10 ? "0\(month)" : "\(month)"
        let full = MonthNames.standalone(in: locale)[month - 1]
        let short = MonthNames.abbreviated(in: locale)[month - 1]
        var result = text
        func replace(_ pattern: String, _ template: String) {
            result = result.replacingOccurrences(
                of: pattern, with: NSRegularExpression.escapedTemplate(for: template), options: .regularExpression)
        }
        replace(#"(?i)(?<!\p{L})\#(NSRegularExpression.escapedPattern(for: full))(?!\p{L})"#, "{{ month.name }}")
        if short != full {
            replace(
                #"(?i)(?<!\p{L})\#(NSRegularExpression.escapedPattern(for: short))(?!\p{L})"#,
                "{{ month.abbreviation }}")
        }
        replace(#"(?<!\d)\#(year)\#(padded)(?!\d)"#, "{{ year }}{{ month | pad: 2 }}")
        for separator in ["/", ".", "-", "_"] {
            let escaped = NSRegularExpression.escapedPattern(for: separator)
            replace(#"(?<!\d)\#(year)\#(escaped)\#(padded)(?!\d)"#, "{{ year }}\(separator){{ month | pad: 2 }}")
            replace(#"(?<!\d)\#(padded)\#(escaped)\#(year)(?!\d)"#, "{{ month | pad: 2 }}\(separator){{ year }}")
        }
        replace(#"(?<!\d)\#(year)(?!\d)"#, "{{ year }}")
        return result
    }
}

extension MonthNames {
    /// Returns whether a label announces a list of months.
    static func isLabel(_ label: String) -> Bool {
        label.lowercased().contains(/month|monat|mois|\bmes\b|mese|maand/)
    }
}
