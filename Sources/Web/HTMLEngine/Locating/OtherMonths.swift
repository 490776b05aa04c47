import Encodings
import Markup
import Selectors

// A row or a card that names two months: which of them its link belongs to, a person would have to read.

extension EntryShape {
    /// Returns whether the texts are two months of one form: “April 2025” and “March 2025”, but not two days, and not
    /// “Account 1234”.
    static func areTwoMonths(_ one: String, _ other: String) -> Bool {
        guard one.isMonthAndYear, other.isMonthAndYear else { return false }
        // Elements of one line have no space between their texts: “DownloadApril 2025”.
        if one.loweringCase.endsWithWords(other.loweringCase) || other.loweringCase.endsWithWords(one.loweringCase) {
            return false
        }
        // “9/2026” and “09.2026” are one month in two forms.
        let (first, second) = (one.writtenPeriods, other.writtenPeriods)
        if first.count == 1, first == second { return false }
        return EntryShape(one, isWhole: true).hasWords(of: EntryShape(other, isWhole: true))
    }
}

extension String {
    /// True for a year and a month, each as a word or both as one: “April 2025”, “2025-04” and “Q2 2025”.
    fileprivate var isMonthAndYear: Bool {
        guard mayHaveYear else { return false }
        let words = split(separator: " ")
        guard words.count <= 2 else { return false }
        let years = words.count { $0.count == 4 && $0.isYear }
        if words.count == 2 { return years == 1 && words.contains { $0.contains(where: \.isLetter) } }
        let numbers = split { !$0.isNumber }
        return numbers.count == 2 && numbers.contains(where: \.isYear) && numbers.contains { $0.count < 3 }
    }

    /// False for a text that certainly names no year, as most of a page do.
    ///
    /// Budget: the warm fetch (1.3 times bare libcurl).
    fileprivate var mayHaveYear: Bool { firstOffset(of: "20") != nil || firstOffset(of: "19") != nil }

    /// Returns whether it ends with a text without cutting a number: “1/2025” is not the end of “11/2025”.
    fileprivate func endsWithWords(_ text: String) -> Bool {
        hasSuffix(text) && !(dropLast(text.count).last?.isNumber == true && text.first?.isNumber == true)
    }

    /// The text, and its parts between colons and full stops, as in “Previous: March 2025”.
    fileprivate var withParts: [String] {
        [self] + split { ":.;".contains($0) }.map { String($0).foldingSpace }
    }
}

extension Substring {
    fileprivate var isYear: Bool { count == 4 && (hasPrefix("19") || hasPrefix("20")) && allSatisfy(\.isNumber) }
}

extension Element {
    /// The texts of its elements and of its lines.
    fileprivate var textsInside: [String] {
        var texts: [String] = []
        var work = [self]
        while let element = work.popLast() {
            texts.append(element.text)
            for node in element.nodes {
                switch node {
                case .text(let text): texts.append(text.foldingSpace)
                case .element(let inner): if !inner.isOutOfReach, !inner.text.isEmpty { work.append(inner) }
                }
            }
        }
        return texts.filter { !$0.isEmpty }
    }

    /// Returns whether it names another month than a text in it does, in the same form: “April 2025” and “March 2025”.
    func namesAnotherMonth(than month: String) -> Bool {
        guard month.isMonthAndYear else { return false }
        return textsInside.contains { text in
            text.mayHaveYear && text.count < 1000 && text.withParts.contains { EntryShape.areTwoMonths($0, month) }
        }
    }

    /// Returns whether a row names another month than the wanted one, in a cell beside it or in one of the rows that
    /// the cell of its link spans. What the same column has in another row, too, tells the rows not apart.
    func namesAnotherMonthInRow(than month: String) -> Bool {
        guard month.isMonthAndYear else { return false }
        let rows = parent?.children.filter { $0.tag == tag } ?? []
        guard let place = rows.firstIndex(of: self) else { return false }
        let cells = children
        for (column, cell) in cells.enumerated() where !cell.isOutOfReach && cell.namesAnotherMonth(than: month) {
            let isShared = rows.prefix(500).contains { row in
                row != self && row.children.count == cells.count && row.children[column].text == cell.text
            }
            if !isShared { return true }
        }
        let height = cells.filter(\.holdsSomethingToUse).compactMap { Int($0[attribute: "rowspan"] ?? "") }.max() ?? 1
        guard height > 1 else { return false }
        return rows[place...].dropFirst().prefix(min(height, 500) - 1).contains { $0.namesAnotherMonth(than: month) }
    }
}

extension [Element] {
    /// Returns these rows with those others that have the text in their first cell, where none of these has: “Statement
    /// March 2025” beside “April 2025”, and “Statement February 2025” beside “March 2025”. The columns do not tell
    /// which one is meant.
    func withRowsBeginning(_ text: TextMatch, among rows: [Element]) -> [Element] {
        guard case .name(let name) = text, !isEmpty else { return self }
        let wanted = name.foldingSpace.loweringCase
        func begins(_ row: Element) -> Bool {
            row.children.first { !$0.isOutOfReach && !$0.text.isEmpty }?.text.loweringCase.containsWords(wanted)
                ?? false
        }
        guard allSatisfy({ $0.tag == .tr && !begins($0) }) else { return self }
        let mayFit = text.roughly
        let own = Set(self)
        return self + rows.filter { $0.tag == .tr && !own.contains($0) && mayFit($0.text) && begins($0) }.innermost
    }

    /// Returns the other cards beside these that have the text in their first words, where none of these has.
    func cardsBeginning(_ text: TextMatch) -> [Element] {
        guard case .name(let name) = text, let first else { return [] }
        let wanted = name.foldingSpace.loweringCase
        guard allSatisfy({ !$0.opening.loweringCase.containsWords(wanted) }) else { return [] }
        return (first.parent?.children.prefix(500) ?? []).filter { other in
            !contains(other) && other.isMade(like: first) && other.holdsSomethingToUse
                && other.opening.loweringCase.containsWords(wanted)
        }
    }
}
