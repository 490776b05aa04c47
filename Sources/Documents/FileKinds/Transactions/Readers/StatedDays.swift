/// Finds the days that a CSV file states in the lines before its header.
enum StatedDays {
    private static let firstWords: Set<Substring> = ["from", "von", "vom", "du", "desde", "dal", "od", "van", "start"]
    private static let lastWords: Set<Substring> = ["to", "bis", "au", "hasta", "al", "do", "tot", "end"]

    /// Returns the days of a line with two of them, as `Zeitraum;01.03.2025 - 31.03.2025`, or of two lines of which one
    /// says *from* and the next one *to*, as PostFinance writes them; nil for a file that states none.
    static func range(in lines: [String], _ dates: WrittenDates) -> ClosedRange<CalendarDay>? {
        let found = lines.map { (days: days(in: $0, dates), words: words($0)) }
        for (days, _) in found where days.count == 2 && days[0] < days[1] { return days[0]...days[1] }
        for (first, last) in zip(found, found.dropFirst()) where first.days.count == 1 && last.days.count == 1 {
            guard !first.words.isDisjoint(with: firstWords), !last.words.isDisjoint(with: lastWords),
                first.days[0] <= last.days[0]
            else { continue }
            return first.days[0]...last.days[0]
        }
        return nil
    }

    private static func days(in line: String, _ dates: WrittenDates) -> [CalendarDay] {
        line.split { !($0.isNumber || ".-/".contains($0)) }.filter { $0.utf8.count >= 8 }.compactMap { part in
            CalendarDay(iso: part) ?? (try? dates.day(String(part), line: 0))
        }
    }

    private static func words(_ line: String) -> Set<Substring> { Set(line.lowercased().split { !$0.isLetter }) }
}
