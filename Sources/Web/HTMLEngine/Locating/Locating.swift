import Encodings
import Foundation
import Markup
import Selectors

extension Document {
    /// Returns every element that a locator finds, in document order. Only `css` and `xpath` find invisible elements.
    ///
    /// - Throws: ``LocatorError`` for a selector that cannot be read, or a scope that is not one element.
    public func elements(_ locator: Locator) throws(LocatorError) -> [Element] {
        var scope: Element?
        if let outer = locator.scope.first { scope = try element(outer) }
        var found = try candidates(for: locator, in: scope)
        if found.isEmpty, case .row? = locator.scope.first?.target, let head = scope, let entry = FlatEntry(of: head),
            entry.holdsSomethingToUse
        {
            found = try candidates(for: locator, in: head.parent).filter(entry.holds)
        }
        guard let nth = locator.nth else { return found }
        return found.indices.contains(nth - 1) ? [found[nth - 1]] : []
    }

    /// Returns the one element that a locator finds.
    ///
    /// - Throws: ``LocatorError`` with the nearest candidates when nothing matches, or with all of them when several
    ///   do.
    public func element(_ locator: Locator) throws(LocatorError) -> Element {
        let found = try elements(locator)
        guard let first = found.first else { throw missing(locator) }
        guard found.count == 1 else { throw ambiguous(locator, found) }
        return first
    }

    private func candidates(for locator: Locator, in scope: Element?) throws(LocatorError) -> [Element] {
        // Filter before comparing names: an exact name elsewhere must not displace the right element.
        func holding(_ elements: [Element]) throws(LocatorError) -> [Element] {
            guard let text = locator.hasText else { return elements }
            return try text.matchingWithin(elements, of: locator)
        }
        // What needs a click first, or is for browsers that run no scripts, counts where nothing else has the name.
        func named(
            _ kinds: [Element], _ name: TextMatch, folded: @autoclosure () -> [Element]
        ) throws(LocatorError) -> [Element] {
            let found = try name.matching(try holding(kinds), of: locator) { $0.names }
            guard !found.isEmpty else { return try name.matching(try holding(folded()), of: locator) { $0.names } }
            guard found.count > 1 else { return found }
            let usual = found.filter { !$0.isForBrowsersWithoutScripts }
            return usual.isEmpty ? found : usual
        }
        switch locator.target {
        case .css(let selector):
            do {
                return try holding(try select(css: selector, in: scope))
            } catch let error as LocatorError {
                throw error
            } catch {
                throw LocatorError(invalid: locator, "“\(selector)”, \(error)")
            }
        case .xpath(let path):
            do {
                return try holding(try select(xpath: path, in: scope))
            } catch let error as LocatorError {
                throw error
            } catch {
                throw LocatorError(invalid: locator, "\(error)")
            }
        case .field(let name):
            let found = try named(fields(in: scope), name, folded: folded(.field, in: scope))
            guard found.isEmpty else { return found }
            return try name.matching(try holding(all(.field, in: scope)), of: locator) {
                [$0.nameBeside].compactMap(\.self)
            }
        case .button(let name):
            return try named(all(.button, in: scope), name, folded: folded(.button, in: scope))
        case .link(let name): return try named(all(.link, in: scope), name, folded: folded(.link, in: scope))
        case .control(let name):
            return try named(all(.button, .link, in: scope), name, folded: folded(.button, .link, in: scope))
        case .row(let text):
            let rows = try holding(all(.row, in: scope)).map { (element: $0, text: $0.text) }
            let mayFit = text.roughly
            let found = try text.matching(rows.filter { !$0.text.isEmpty }, of: locator) { row in
                // A cell's text is part of its row's, unless the cell is hidden.
                let isLikely = mayFit(row.text)
                let cells = row.element.children.filter {
                    (isLikely || $0.has("hidden") || $0.has("style")) && ($0.tag == .td || $0.tag == .th)
                }
                return isLikely ? [row.text] + cells.map(\.text) : cells.map(\.text)
            }.map(\.element).innermost.withRowsBeginning(text, among: rows.map(\.element))
            guard found.isEmpty else {
                var entries: [Element] = []
                var unclear: [Element] = []
                for row in found {
                    let parts =
                        row.tag == .tr
                        ? try row.partsOfTable(saying: text, of: locator)
                        : try parts(of: row, saying: text, of: locator)
                    for part in parts where !entries.contains(part) { entries.append(part) }
                    if parts.isEmpty { unclear.append(row) }
                }
                // A row whose entry is unclear may be the wanted one.
                entries = entries.unlessInPassing(text)
                return entries.isEmpty ? [] : entries + unclear
            }
            return try holding(cards(saying: text, in: scope, of: locator)).unlessInPassing(text)
        case .heading(let text):
            return try text.matching(try holding(all(.heading, in: scope)), of: locator) { $0.names + [$0.text] }
        case .text(let text): return try holding(try innermost(saying: text, in: scope, of: locator))
        case .cell(let header): return try holding(try cells(under: header, in: scope, of: locator))
        }
    }

    /// Returns the controls, and the `fieldset` of each radio group.
    func fields(in scope: Element?) -> [Element] {
        all(.field, in: scope) + groups(in: scope)
    }

    private func groups(in scope: Element?) -> [Element] {
        guard let top = scope ?? root else { return [] }
        return top.descendants(withRoleOrTag: { $0 == .fieldset }).filter { element in
            (element.tag == .fieldset || element[attribute: "role"]?.lowercased() == "radiogroup")
                && element.descendants.contains { $0.controlType == .radio } && !element.isHidden
        }
    }

    /// A text that is there more often distinguishes no card.
    private static let mostCards = 100
    /// The texts with the wanted one, times the elements beside them that each of them is compared with.
    private static let mostComparisons = 50_000

    /// Returns the blocks that stand for a row where the page has no table and no list.
    private func cards(
        saying text: TextMatch, in scope: Element?, of locator: Locator
    ) throws(LocatorError) -> [Element] {
        var found = try innermost(saying: text, in: scope, of: locator)
        let mostBeside = found.map { $0.parent?.children.count ?? 0 }.max() ?? 0
        guard found.count <= Self.mostCards, found.count * mostBeside <= Self.mostComparisons else { return [] }
        found.removeAll { $0.isRemarkBelowAnother(saying: text) }
        var cards: [Element] = []
        var heads: [Element] = []
        var unclear: [Element] = []
        let wanted = text.words.foldingSpace.loweringCase
        // “May 2025 – corrected” has no document, and “made on 2 May 2025” is in another's entry.
        let leading = found.filter { $0.text.loweringCase.hasPrefix(wanted) }
        if found.count > 1, let missing = leading.firstIndex(where: \.beginsEntryWithoutControl) {
            let head = leading[missing]
            if leading.count < found.count { found = leading }
            // A text below such a month that is not made like it is in another's entry, too.
            found.removeAll { $0.parent == head.parent && leading[missing...].contains($0) && !$0.isMade(like: head) }
        }
        for element in found {
            let lines = element.lines
            let named = try text.matching(lines.indices, of: locator) { [lines[$0].text] }
            if !named.isEmpty, !element.isOneEntry(of: named, among: lines, saying: text) {
                heads += Element.controls(of: named, among: lines, saying: text)
            } else if let card = element.card {
                if !card.namesAnotherMonth(than: wanted), !cards.contains(card) { cards.append(card) }
            } else if let head = element.headOfEntry {
                if !heads.contains(head) { heads.append(head) }
            } else if FlatEntry(of: element)?.isUnclear ?? false {
                unclear.append(element)
            }
        }
        // A list has no month twice, so that one of two is a remark.
        heads = heads.filter { head in
            !unclear.contains { $0.parent == head.parent && $0.text == head.text && $0.isMade(like: head) }
        }
        cards = cards.unlessInPassing(text)
        if cards.isEmpty { return heads + heads.compactMap(\.parent).cardsBeginning(text) }
        let innermost = cards.innermost
        return innermost + innermost.cardsBeginning(text)
    }

    /// Returns the entries that an entry of a list stands for: itself, or those of its blocks or lines that have the text, where
    /// it holds several.
    private func parts(
        of row: Element, saying text: TextMatch, of locator: Locator
    ) throws(LocatorError) -> [Element] {
        // A row of a grid has columns, such as the two days of a period.
        let wanted = text.words.foldingSpace
        if row[attribute: "role"]?.lowercased() == "row" {
            return row.namesAnotherMonthInRow(than: wanted) ? [] : [row]
        }
        let heads = try innermost(saying: text, in: row, of: locator)
        guard !heads.isEmpty else {
            let lines = row.lines
            let named = try text.matching(lines.indices, of: locator) { [lines[$0].text] }
            guard !row.isOneEntry(of: named, among: lines, saying: text) else {
                return row.namesAnotherMonth(than: wanted) ? [] : [row]
            }
            return Element.controls(of: named, among: lines, saying: text)
        }
        let isWhole = heads.contains { head in
            let around = Array(head.ancestors.prefix { $0 != row })
            // Texts of one line belong together, such as the two days of a period.
            return row.isOneEntry(of: head, along: ([head] + around).filter { $0.isBlock || $0.tag.isHeading })
        }
        if isWhole { return row.namesAnotherMonth(than: wanted) ? [] : [row] }
        return try cards(saying: text, in: row, of: locator)
    }

    /// Returns the innermost elements with a text. Branches without the text are skipped.
    func innermost(
        saying text: TextMatch, in scope: Element?, of locator: Locator
    ) throws(LocatorError) -> [Element] {
        guard let top = scope ?? root else { return [] }
        var visited: [Element] = []
        if case .regex = text {
            visited = top.descendants.filter { !$0.isHidden && !$0.text.isEmpty }
        } else {
            let wanted = text.words.foldingSpace.loweringCase
            let mayFit = text.roughly
            var work = Array(top.children.reversed())
            while let element = work.popLast() {
                guard !element.isHiddenItself else { continue }
                let said = element.text
                guard mayFit(said), said.contains(looking: wanted) else { continue }
                visited.append(element)
                work += element.children.reversed()
            }
            if top.isHidden { visited = [] }
        }
        return try text.matching(visited, of: locator) { [$0.text] }.innermost
    }

    /// Returns the cells below, or beside, a header; only those of the scope's row if the scope is one.
    private func cells(
        under header: TextMatch, in scope: Element?, of locator: Locator
    ) throws(LocatorError) -> [Element] {
        var tables = (scope ?? root)?.descendants.filter { $0.tag == .table } ?? []
        if let around = scope?.ancestors.first(where: { $0.tag == .table }), let scope, scope.tag != .table {
            tables.append(around)
        }
        if let scope, scope.tag == .table { tables.append(scope) }
        var found: Set<Element> = []
        var budget = TableGrid.Budget()
        for table in tables {
            let grid: TableGrid
            do {
                grid = try TableGrid(table, budget: &budget)
            } catch {
                throw LocatorError(
                    invalid: locator,
                    "the page's tables have too many cells and spans to search; name the cell by css or xpath")
            }
            let headers = grid.cells.filter { grid.isColumnHeader($0) || grid.isRowHeader($0) }
            let named = Set(try header.matching(headers.map(\.element), of: locator) { $0.names })
            if !named.isEmpty { found.formUnion(grid.cells(under: { named.contains($0.element) }).map(\.element)) }
        }
        return (scope ?? root)?.descendants.filter { found.contains($0) && !$0.isHidden } ?? []
    }
}

extension Element {
    /// Returns whether this block is the entry of those of its lines that have a text.
    fileprivate func isOneEntry(of named: [Int], among lines: [Line], saying text: TextMatch) -> Bool {
        named.allSatisfy { place in
            let isPair = areAPair(lines, at: place, saying: text.words.foldingSpace)
            return LinesOfBlock(lines: lines, place: place, isPair: isPair).isAllOfItsBlock
        }
    }

    /// Returns the controls of lines with a text; none where one of several lines has none, for it may be the wanted line,
    /// and where each line is another month's.
    fileprivate static func controls(of named: [Int], among lines: [Line], saying text: TextMatch) -> [Element] {
        if let wanted = text.wantedPeriod {
            let others = named.filter { place in
                let line = lines[place]
                return line.opening.refersToAnother(than: wanted)
                    || line.text.writtenPeriods.first { !$0.isDay }.map { !$0.covers(wanted) } ?? false
            }
            if others.count == named.count { return [] }
        }
        let controls = named.compactMap {
            lines[$0].control ?? LinesOfBlock(lines: lines, place: $0).lineBelow?.control
        }
        return controls.count == named.count ? controls : []
    }

    /// Returns what a row of a table stands for: one cell of a calendar, or those of the rows that its cell spans which have
    /// something to use.
    fileprivate func partsOfTable(saying text: TextMatch, of locator: Locator) throws(LocatorError) -> [Element] {
        guard children.count > 1 else { return [self] }
        let fitting = try text.matching(children, of: locator) { [$0.text] }
        let texts = Set(fitting.map(\.text))
        if let cell = cell(where: texts.contains) { return [cell] }
        let months = fitting.map(\.text) + [text.words.foldingSpace]
        if months.contains(where: namesAnotherMonthInRow) { return [] }
        let height = fitting.compactMap { Int($0[attribute: "rowspan"] ?? "") }.max() ?? 1
        guard height > 1, let siblings = parent?.children.filter({ $0.tag == .tr }),
            let place = siblings.firstIndex(of: self)
        else { return [self] }
        let spanned = siblings[place...].prefix(height).filter(\.holdsSomethingToUse)
        return spanned.isEmpty ? [self] : spanned
    }
}

extension TextMatch {
    /// Returns the elements whose text contains this.
    fileprivate func matchingWithin(_ elements: [Element], of locator: Locator) throws(LocatorError) -> [Element] {
        guard case .name = self else { return try matching(elements, of: locator) { [$0.text] } }
        // Compare one by one: an exact match must not displace elements that contain the text among others.
        var found: [Element] = []
        for element in elements where !(try matching([element], of: locator) { [$0.text] }).isEmpty {
            found.append(element)
        }
        return found
    }
}
