import Clocks
import FileKinds
import Foundation

extension FilingTemplate {
    /// Reads a file's path backwards, so that the index can be made again from the folder.
    ///
    /// - Parameter kind: the kind that the file's content shows.
    /// - Returns: nil for a path that the template does not make.
    func facts(ofPath path: String, kind: FileKind) -> Facts? {
        let names = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let withoutAccount = parts.filter { $0 != [.field(.account)] }
        guard names.count == parts.count || names.count == withoutAccount.count else { return nil }
        let pieces = names.count == parts.count ? parts : withoutAccount
        var found: [Field: String] = [:]
        for (index, name) in names.enumerated() {
            let stem = index == names.count - 1 ? Self.stem(name, kind) : name[...]
            guard let stem, Self.read(stem, pieces[index][...], &found) else { return nil }
        }
        var facts = Facts(bank: found[.bank] ?? "", account: found[.account] ?? "", period: nil, kind: kind)
        if let period = found[.period], period != Self.undated {
            (facts.period, facts.days) = Self.month(in: period)
        } else if let year = found[.year].flatMap(Int.init), let month = found[.month].flatMap(Int.init) {
            facts.period = MonthYear(month: month, year: year)
        }
        // Only a path that would be made again counts: a year of one month with a period of another is not a document's path.
        let numbered = Self.number(in: names[names.count - 1]).map { " (\($0))" } ?? ""
        let again = self.path(of: facts).split(separator: ".").dropLast().joined(separator: ".") + numbered
        return again == path.split(separator: ".").dropLast().joined(separator: ".") ? facts : nil
    }

    /// Reads a month, or the days of one: `2026-01`, or `2026-01-15 to 2026-01-31`.
    private static func month(in span: String) -> (MonthYear?, days: ClosedRange<Int>?) {
        if let month = MonthYear(span) { return (month, nil) }
        let ends = span.components(separatedBy: " to ").map { CalendarDate($0) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last else { return (nil, nil) }
        return (MonthYear(month: first.month, year: first.year), first.day...max(first.day, last.day))
    }

    /// Returns the last part of the path without its number and its ending.
    private static func stem(_ name: String, _ kind: FileKind) -> Substring? {
        guard name.hasSuffix("." + kind.fileExtension) else { return nil }
        let stem = name.dropLast(kind.fileExtension.utf8.count + 1)
        guard let number = number(in: name) else { return stem }
        return stem.dropLast(" (\(number))".count)
    }

    private static func number(in name: String) -> Int? {
        name.firstMatch(of: /\ \(([2-9]|[1-9][0-9]{1,4})\)\.[a-z0-9]+$/).flatMap { Int($0.1) }
    }

    /// Reads one part of a path. A field ends where the text after it begins.
    private static func read(_ text: Substring, _ pieces: ArraySlice<Piece>, _ found: inout [Field: String]) -> Bool {
        guard let piece = pieces.first else { return text.isEmpty }
        switch piece {
        case .text(let literal):
            guard text.hasPrefix(literal) else { return false }
            return read(text.dropFirst(literal.count), pieces.dropFirst(), &found)
        case .field(let field):
            guard pieces.count > 1 else {
                guard !text.isEmpty else { return false }
                found[field] = String(text)
                return true
            }
            // The longest text first: only the bank's and the account's names can hold what follows them.
            for end in text.indices.reversed() where end > text.startIndex {
                var tried = found
                tried[field] = String(text[..<end])
                if read(text[end...], pieces.dropFirst(), &tried) {
                    found = tried
                    return true
                }
            }
            return false
        }
    }
}
