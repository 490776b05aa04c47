import Clocks

/// A month, a quarter, a day or the time between two days, as a page writes it: “April 2025”, “2025-04”, “Q2 2025”,
/// “30.4.2025”, and “1 May – 31 May 2025”.
struct WrittenPeriod: Hashable {
    /// 1 to 12. A day in digits that can be read in two orders has two.
    let months: Set<Int>
    /// Empty where no year is written.
    let years: Set<Int>
    /// True for one day alone, which a page may write beside any month.
    var isDay = false

    /// Returns whether the other's months are among these, as far as the years are written.
    func covers(_ other: WrittenPeriod) -> Bool {
        other.months.isSubset(of: months)
            && (years.isEmpty || other.years.isEmpty || !years.isDisjoint(with: other.years))
    }

    /// Returns the time from the one to the other.
    fileprivate func extended(to end: WrittenPeriod) -> WrittenPeriod {
        let years = years.union(end.years)
        guard !months.isEmpty else { return WrittenPeriod(months: end.months, years: years) }
        guard months.isDisjoint(with: end.months), let first = months.min(), let last = end.months.min() else {
            return WrittenPeriod(months: months.intersection(end.months), years: years)
        }
        let months = first < last ? Set(first...last) : Set(first...12).union(1...last)
        return WrittenPeriod(months: months, years: years)
    }
}

extension String {
    /// The months, days and other periods that it names, in order.
    var writtenPeriods: [WrittenPeriod] {
        var reader = PeriodReader(self)
        return reader.periods()
    }

    /// The period that it begins with.
    var leadingPeriod: WrittenPeriod? {
        var reader = PeriodReader(self)
        return reader.period()
    }
}

/// Reads periods out of the words, numbers and signs of a text.
private struct PeriodReader {
    private enum Token: Equatable {
        case number(Int, digits: Int)
        case word(String)
        case sign(Character)
    }

    private var tokens: [Token] = []
    /// The tokens with a space before them.
    private var isApart: Set<Int> = []
    private var place = 0

    /// A sentence has fewer; on a hostile page there are more.
    private static let mostTokens = 400

    init(_ text: String) {
        var word = ""
        var hasSpace = false
        func kind(_ character: Character) -> Int { character.isNumber ? 1 : character.isLetter ? 2 : 0 }
        func end(_ tokens: inout [Token], _ isApart: inout Set<Int>) {
            guard let first = word.first else { return }
            if hasSpace { isApart.insert(tokens.count) }
            hasSpace = false
            if kind(first) == 1 {
                tokens.append(.number(Int(word) ?? -1, digits: word.count))
            } else {
                tokens.append(.word(word))
            }
            word = ""
        }
        for character in text {
            guard tokens.count < Self.mostTokens else { break }
            let kind = kind(character)
            if kind == 0 || word.last.map({ $0.isNumber != character.isNumber }) == true || "年月日".contains(character) {
                end(&tokens, &isApart)
            }
            if character.isWhitespace {
                hasSpace = true
            } else if kind == 0 {
                if hasSpace { isApart.insert(tokens.count) }
                hasSpace = false
                tokens.append(.sign(character))
            } else {
                word.append(character)
            }
        }
        end(&tokens, &isApart)
    }

    mutating func periods() -> [WrittenPeriod] {
        var found: [WrittenPeriod] = []
        place = 0
        while place < tokens.count {
            if let period = period() { found.append(period) } else { place += 1 }
        }
        return found
    }

    // MARK: One period

    /// Reads a period, or two days or months and the time between them. Stays where it finds nothing.
    mutating func period() -> WrittenPeriod? {
        let start = place
        if let span = spanOfOneMonth() { return span }
        place = start
        guard let first = dayOrMonth() ?? dayWithoutYear() else {
            place = start
            return nil
        }
        let end = place
        if takeJoiner(), let second = dayOrMonth(), second.isDay == first.isDay { return first.extended(to: second) }
        place = end
        // “1.4.” alone is a number in a list.
        if first.months.isEmpty {
            place = start
            return nil
        }
        return first
    }

    /// Reads “1 – 31 May 2025” and “1.–31. Mai”.
    private mutating func spanOfOneMonth() -> WrittenPeriod? {
        guard takeNumber(1...31, digits: 1...2) != nil else { return nil }
        _ = takeOrdinal()
        guard takeJoiner(), let last = dayInWords(), last.isDay else { return nil }
        return WrittenPeriod(months: last.months, years: last.years)
    }

    private mutating func dayOrMonth() -> WrittenPeriod? {
        let start = place
        let ways: [(inout PeriodReader) -> WrittenPeriod?] = [
            { $0.yearFirst() }, { $0.inDigits() }, { $0.dayInWords() }, { $0.monthInWords() }, { $0.quarter() },
            { $0.eastAsianMonth() },
        ]
        for way in ways {
            if let period = way(&self) { return period }
            place = start
        }
        return nil
    }

    /// Reads “2025-04”, “2025-04-30”, “2025 April”, “2025 Q2” and “2025年4月”.
    private mutating func yearFirst() -> WrittenPeriod? {
        guard let year = takeYear() else { return nil }
        let start = place
        if takeSign("-./", isTight: true) != nil, let month = takeNumber(1...12, digits: 1...2) {
            let end = place
            if takeSign("-./", isTight: true) != nil, takeNumber(1...31, digits: 1...2) != nil {
                return WrittenPeriod(months: [month], years: [year], isDay: true)
            }
            place = end
            return WrittenPeriod(months: [month], years: [year])
        }
        place = start
        if takeWord("年"), let month = eastAsianMonth() {
            return WrittenPeriod(months: month.months, years: [year], isDay: month.isDay)
        }
        place = start
        _ = takeSign(",-/")
        if let months = takeQuarter() { return WrittenPeriod(months: months, years: [year]) }
        guard let month = takeMonth() else { return nil }
        return WrittenPeriod(months: [month], years: [year])
    }

    /// Reads “4月” and “4月30日”.
    private mutating func eastAsianMonth() -> WrittenPeriod? {
        guard let month = takeNumber(1...12, digits: 1...2), takeWord("月") else { return nil }
        let end = place
        if takeNumber(1...31, digits: 1...2) != nil, takeWord("日") {
            return WrittenPeriod(months: [month], years: [], isDay: true)
        }
        place = end
        return WrittenPeriod(months: [month], years: [])
    }

    /// Reads “30.4.2025”, “4/30/2025” and “04/2025”.
    private mutating func inDigits() -> WrittenPeriod? {
        guard let first = takeNumber(1...31, digits: 1...2), let sign = takeSign("./-", isTight: true) else {
            return nil
        }
        if let year = takeYear(isTight: true) {
            return first > 12 ? nil : WrittenPeriod(months: [first], years: [year])
        }
        let isDotted = sign == "."
        guard let second = takeNumber(1...31, digits: 1...2), takeSign(String(sign), isTight: !isDotted) != nil,
            let year = takeYear() ?? takeNumber(0...99, digits: 2...2).map({ 2000 + $0 })
        else { return nil }
        let months = isDotted ? [second] : [first, second]
        guard months.contains(where: { $0 <= 12 }) else { return nil }
        return WrittenPeriod(months: Set(months.filter { $0 <= 12 }), years: [year], isDay: true)
    }

    /// Reads “1.4.”, which counts before “– 30.4.2025” alone. It has no months of its own.
    private mutating func dayWithoutYear() -> WrittenPeriod? {
        guard takeNumber(1...31, digits: 1...2) != nil, takeSign(".", isTight: true) != nil,
            takeNumber(1...12, digits: 1...2) != nil, takeSign(".", isTight: true) != nil
        else { return nil }
        return WrittenPeriod(months: [], years: [], isDay: true)
    }

    /// Reads “30 April 2025”, “30. April” and “30 de abril de 2025”.
    private mutating func dayInWords() -> WrittenPeriod? {
        guard takeNumber(1...31, digits: 1...2) != nil else { return nil }
        _ = takeOrdinal()
        _ = takeParticle()
        guard let month = takeMonth() else { return nil }
        return WrittenPeriod(months: [month], years: takeYearAfterMonth(), isDay: true)
    }

    /// Reads “April 2025”, “April”, “Apr. 2025”, “abril de 2025” and “April 30, 2025”.
    private mutating func monthInWords() -> WrittenPeriod? {
        let start = place
        guard let month = takeMonth() else { return nil }
        let end = place
        if takeNumber(1...31, digits: 1...2) != nil {
            _ = takeOrdinal()
            return WrittenPeriod(months: [month], years: takeYearAfterMonth(), isDay: true)
        }
        place = end
        let years = takeYearAfterMonth()
        // In lower case, “may” and “march” are verbs, and “marca” is a brand; the beginning of a name can be any word.
        guard years.isEmpty else { return WrittenPeriod(months: [month], years: years) }
        guard case .word(let word) = tokens[start], MonthWords.month(named: word) != nil,
            !["may", "march", "mart", "marca"].contains(word)
        else { return nil }
        return WrittenPeriod(months: [month], years: [])
    }

    /// Reads “Q2 2025” and “Q2/2025”.
    private mutating func quarter() -> WrittenPeriod? {
        guard let months = takeQuarter() else { return nil }
        return WrittenPeriod(months: months, years: takeYearAfterMonth())
    }

    // MARK: Parts

    private mutating func takeQuarter() -> Set<Int>? {
        guard takeWord("q"), !isApart.contains(place), let quarter = takeNumber(1...4, digits: 1...1) else {
            return nil
        }
        return Set(quarter * 3 - 2...quarter * 3)
    }

    private mutating func takeMonth() -> Int? {
        guard place < tokens.count, case .word(let word) = tokens[place], let month = MonthWords.month(word) else {
            return nil
        }
        place += 1
        if MonthWords.month(named: word) == nil { _ = takeSign(".", isTight: true) }
        return month
    }

    private mutating func takeYearAfterMonth() -> Set<Int> {
        let start = place
        _ = takeSign(",./-")
        _ = takeParticle()
        if let year = takeYear() { return [year] }
        place = start
        if takeSign("'’") != nil, let year = takeNumber(0...99, digits: 2...2) { return [2000 + year] }
        place = start
        return []
    }

    private mutating func takeYear(isTight: Bool = false) -> Int? {
        guard !isTight || !isApart.contains(place) else { return nil }
        return takeNumber(1980...2099, digits: 4...4)
    }

    private mutating func takeNumber(_ range: ClosedRange<Int>, digits: ClosedRange<Int>) -> Int? {
        guard place < tokens.count, case .number(let number, let count) = tokens[place], range.contains(number),
            digits.contains(count)
        else { return nil }
        place += 1
        return number
    }

    private mutating func takeSign(_ signs: String, isTight: Bool = false) -> Character? {
        guard place < tokens.count, case .sign(let sign) = tokens[place], signs.contains(sign),
            !isTight || !isApart.contains(place)
        else { return nil }
        place += 1
        return sign
    }

    private mutating func takeWord(_ words: String...) -> Bool {
        guard place < tokens.count, case .word(let word) = tokens[place], words.contains(word.lowercased()) else {
            return false
        }
        place += 1
        return true
    }

    private mutating func takeOrdinal() -> Bool {
        takeSign(".", isTight: true) != nil || takeWord("st", "nd", "rd", "th", "er", "º")
    }

    private mutating func takeParticle() -> Bool { takeWord("of", "de", "del", "di", "do", "d") }

    private mutating func takeJoiner() -> Bool {
        takeSign("–—−-‐‑~") != nil
            || takeWord("to", "until", "through", "bis", "au", "al", "tot", "até", "do", "til", "till")
    }
}
