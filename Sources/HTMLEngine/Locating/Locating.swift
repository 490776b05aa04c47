import Foundation
import Selectors

extension Document {
    /// Every element that the locator finds, in document order.
    ///
    /// What a person could not see is found by `css` and `xpath` alone.
    ///
    /// - Throws: ``LocatorError`` for a selector that cannot be read, or a scope that is not one element.
    public func elements(_ locator: Locator) throws(LocatorError) -> [Element] {
        var scope: Element?
        if let outer = locator.scope.first { scope = try element(outer) }
        var found = try candidates(for: locator, in: scope)
        if let text = locator.hasText {
            found = try text.matching(found, of: locator) { [$0.text] }
        }
        if let nth = locator.nth { return found.indices.contains(nth - 1) ? [found[nth - 1]] : [] }
        return found
    }

    /// The one element that the locator finds.
    ///
    /// - Throws: ``LocatorError`` with the nearest candidates when there is none, or all of them when there are several.
    public func element(_ locator: Locator) throws(LocatorError) -> Element {
        let found = try elements(locator)
        guard let first = found.first else {
            let near = nearest(to: locator)
            throw LocatorError(
                kind: .none, locator: locator, candidates: near,
                message: "nothing is found by: \(locator)" + (near.isEmpty ? "" : "; the page has:"))
        }
        guard found.count == 1 else {
            throw LocatorError(
                kind: .several, locator: locator,
                candidates: found.prefix(5).enumerated().map { index, element in
                    .init(words: element.glimpse, locator: shorter(for: element) ?? locator.nth(index + 1))
                },
                message: "\(found.count) things are found by: \(locator); say which one:")
        }
        return first
    }

    private func candidates(for locator: Locator, in scope: Element?) throws(LocatorError) -> [Element] {
        switch locator.target {
        case .css(let selector):
            do {
                return try select(css: selector, in: scope)
            } catch {
                throw LocatorError(kind: .invalid, locator: locator, candidates: [], message: "“\(selector)”, \(error)")
            }
        case .xpath(let path):
            do {
                return try select(xpath: path, in: scope)
            } catch {
                throw LocatorError(kind: .invalid, locator: locator, candidates: [], message: "\(error)")
            }
        case .field(let name): return try name.matching(all(.field, in: scope), of: locator) { $0.names }
        case .button(let name): return try name.matching(all(.button, in: scope), of: locator) { $0.names }
        case .link(let name): return try name.matching(all(.link, in: scope), of: locator) { $0.names }
        case .control(let name):
            return try name.matching(all(.button, .link, in: scope), of: locator) { $0.names }
        case .row(let text):
            return try text.matching(all(.row, in: scope), of: locator, prefersExact: false) { [$0.text] }.innermost
        case .heading(let text): return try text.matching(all(.heading, in: scope), of: locator) { [$0.text] }
        case .text(let text):
            let all = (scope ?? root)?.descendants.filter { !$0.isHidden && !$0.text.isEmpty } ?? []
            return try text.matching(all, of: locator) { [$0.text] }.innermost
        case .cell(let header): return try cells(under: header, in: scope, of: locator)
        }
    }

    enum Kind { case field, button, link, row, heading }

    func all(_ kinds: Kind..., in scope: Element?) -> [Element] {
        (scope ?? root)?.descendants.filter { element in
            kinds.contains { element.isA($0) } && !element.isHidden
        } ?? []
    }

    private func cells(
        under header: TextMatch, in scope: Element?, of locator: Locator
    ) throws(LocatorError) -> [Element] {
        let rows = scope.map { $0.name == "tr" ? [$0] : all(.row, in: $0) } ?? all(.row, in: nil)
        var found: [Element] = []
        for row in rows {
            guard let table = row.ancestors.first(where: { $0.name == "table" }) else { continue }
            let headers = table.descendants.filter { $0.name == "th" && $0.parent != row }
            for header in try header.matching(Array(headers), of: locator, { [$0.text] }) {
                if let cell = row.cell(atColumn: header.column) , cell.name == "td" { found.append(cell) }
            }
        }
        return found
    }

    // MARK: Candidates

    private func nearest(to locator: Locator) -> [LocatorError.Candidate] {
        let scope = locator.scope.first.flatMap { try? element($0) }
        let (kinds, wanted): ([Kind], String) =
            switch locator.target {
            case .field(let name): ([.field], name.words)
            case .button(let name): ([.button], name.words)
            case .link(let name): ([.link], name.words)
            case .control(let name): ([.button, .link], name.words)
            case .row(let text): ([.row], text.words)
            case .heading(let text), .text(let text): ([.heading, .row, .link, .button], text.words)
            case .css(let selector), .xpath(let selector): ([.field, .button, .link, .heading], selector)
            case .cell(let header): ([.row], header.words)
            }
        let offered = kinds.flatMap { all($0, in: scope) }
        let ranked = offered.map { ($0, Similarity.of(wanted, $0.names.first ?? $0.text)) }
            .sorted { $0.1 > $1.1 }
        return ranked.prefix(5).map { .init(words: $0.0.glimpse, locator: shorter(for: $0.0)) }
    }

    /// A locator in a person's words that finds this element alone.
    private func shorter(for element: Element) -> Locator? {
        let name = element.accessibleName
        guard !name.isEmpty, name.count <= 60 else { return nil }
        var options: [Locator] = []
        if element.isA(.field) { options.append(.field(.name(name))) }
        if element.isA(.button) { options.append(.button(.name(name))) }
        if element.isA(.link) { options.append(.link(.name(name))) }
        if element.isA(.heading) { options.append(.heading(.name(name))) }
        if element.isA(.row) { options.append(.row(.name(name))) }
        if let row = element.ancestors.first(where: { $0.isA(.row) }), row.text.count <= 60, !row.text.isEmpty {
            options += options.map { $0.within(.row(.name(row.text))) }
        }
        return options.first { (try? elements($0)) == [element] }
    }
}

extension Element {
    func isA(_ kind: Document.Kind) -> Bool {
        let role = self[attribute: "role"]?.lowercased()
        let type = self[attribute: "type"]?.lowercased() ?? ""
        switch kind {
        case .field:
            switch name {
            case "select", "textarea": return true
            case "input": return !["hidden", "submit", "image", "reset", "button"].contains(type)
            default: return false
            }
        case .button:
            switch name {
            case "button": return true
            case "input": return ["submit", "image", "reset", "button"].contains(type)
            default: return role == "button"
            }
        case .link: return ["a", "area"].contains(name) && has("href") && role != "button" || role == "link"
        case .row: return name == "tr" || name == "li" || role == "row" || role == "listitem"
        case .heading: return ["h1", "h2", "h3", "h4", "h5", "h6", "legend", "caption"].contains(name) || role == "heading"
        }
    }

    /// The element in a few words, for a person to tell it from others.
    var glimpse: String {
        let words = names.first ?? text
        let quoted = words.isEmpty ? "" : " “\(words.count > 60 ? words.prefix(59) + "…" : words[...])”"
        let marks = ["id", "name", "type"].compactMap { mark in
            self[attribute: mark].map { "\(mark)=\($0.prefix(30))" }
        }
        return "<\(name)\(marks.isEmpty ? "" : " " + marks.joined(separator: " "))>\(quoted)"
    }

    /// Which column of its row a cell begins in, spans counted.
    var column: Int {
        var column = 0
        var sibling = previousSibling
        while let current = sibling {
            column += current.span
            sibling = current.previousSibling
        }
        return column
    }

    private var span: Int { max(1, Int(self[attribute: "colspan"] ?? "") ?? 1) }

    func cell(atColumn wanted: Int) -> Element? {
        var column = 0
        for child in children where ["td", "th"].contains(child.name) {
            if (column..<column + child.span).contains(wanted) { return child }
            column += child.span
        }
        return nil
    }
}

extension [Element] {
    /// Without those that hold another one of them.
    var innermost: [Element] {
        let all = Set(self)
        let outer = Set(flatMap { element in element.ancestors.filter { all.contains($0) } })
        return filter { !outer.contains($0) }
    }
}
