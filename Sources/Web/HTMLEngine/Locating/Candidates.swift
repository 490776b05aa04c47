import Encodings
import Markup
import Selectors
import WebURL

/// The suggestions of a locator's error, in the manner of Playwright.
extension Document {
    private static let most = 6

    func missing(_ locator: Locator) -> LocatorError {
        let near = nearest(to: locator)
        let isShell = JavaScriptWall.isShell(self)
        let frames = root?.descendants.filter { $0.name == "iframe" || $0.name == "frame" } ?? []
        var advice: String?
        if isShell {
            advice = JavaScriptWall.advice
        } else if let frame = frames.first {
            let name = frame[attribute: "id"].map { "#\($0)" } ?? frame.name
            advice = "the page has \(frames.count) frame(s), whose content is a page of its own: enter \(name) first?"
        }
        if advice == nil { advice = whereTextStands(of: locator) }
        return LocatorError(
            kind: .none, locator: locator, candidates: near, finding: "nothing is found by: \(locator)", place: place,
            advice: advice, introduction: near.isEmpty ? "" : "; nearest on the page:", needsJavaScript: isShell)
    }

    func ambiguous(_ locator: Locator, _ found: [Element]) -> LocatorError {
        let candidates = found.prefix(Self.most).enumerated().map { index, element in
            LocatorError.Candidate(words: words(for: element), locator: shorter(for: element) ?? locator.nth(index + 1))
        }
        let rest = found.count > Self.most ? " (the first \(Self.most) are listed)" : ""
        return LocatorError(
            kind: .several, locator: locator, candidates: Array(candidates),
            finding: "\(found.count) things are found by: \(locator)", place: place, advice: "say which one",
            introduction: "\(rest):")
    }

    private var place: String {
        let shown = (try? URLRecord(parsing: url))?.displayText ?? url
        return title.isEmpty ? ", on \(shown)" : ", on “\(title.prefix(60))” \(shown)"
    }

    /// Describes an element, and the row that distinguishes it from others with its name.
    private func words(for element: Element) -> String {
        guard let row = element.ancestors.first(where: { $0.isA(.row) }) else { return element.glimpse }
        return "\(element.glimpse) in the row “\(row.text.prefix(60))”"
    }

    private func nearest(to locator: Locator) -> [LocatorError.Candidate] {
        let scope = locator.scope.first.flatMap { try? element($0) }
        if case .cell(let header) = locator.target {
            let headers = (scope ?? root)?.descendants.filter { $0.name == "th" && !$0.isHidden } ?? []
            return headers.ranked(by: header.words, Self.most).map {
                .init(words: $0.glimpse, locator: .cell(header: .name($0.text)))
            }
        }
        let (kinds, wanted): ([ElementKind], String) =
            switch locator.target {
            case .field(let name): ([.field], name.words)
            case .button(let name): ([.button], name.words)
            case .link(let name): ([.link], name.words)
            case .control(let name): ([.button, .link], name.words)
            case .row(let text): ([.row], text.words)
            case .heading(let text): ([.heading], text.words)
            case .text(let text): ([.heading, .row, .link, .button], text.words)
            case .css(let selector), .xpath(let selector): ([.field, .button, .link, .heading], selector)
            case .cell(let header): ([], header.words)
            }
        var offered = kinds.flatMap { all($0, in: scope) }
        // Perhaps a link was meant instead of a button, or an element outside the scope.
        let others = all(.button, .link, .field, in: scope)
        if offered.isEmpty {
            offered = others
        } else if !wanted.isEmpty {
            offered += others.filter { $0.names.contains(wanted) && !offered.contains($0) }
        }
        return offered.ranked(by: wanted, Self.most).map { .init(words: words(for: $0), locator: shorter(for: $0)) }
    }

    /// Returns a locator in a person's words that finds only this element.
    private func shorter(for element: Element) -> Locator? {
        var options: [Locator] = []
        for name in element.isA(.row) ? [element.text] : element.namesAsSeen where name.count <= 60 {
            if element.isA(.field) { options.append(.field(.name(name))) }
            if element.isA(.button) { options.append(.button(.name(name))) }
            if element.isA(.link) { options.append(.link(.name(name))) }
            if element.isA(.heading) { options.append(.heading(.name(name))) }
            if element.isA(.row) { options.append(.row(.name(name))) }
        }
        if let row = element.ancestors.first(where: { $0.isA(.row) }), row.text.count <= 60, !row.text.isEmpty {
            options += options.map { $0.within(.row(.name(row.text))) }
        }
        if let id = element[attribute: "id"], id.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_-]*/) != nil {
            options.append(.css("#\(id)"))
        }
        return options.first { (try? elements($0)) == [element] }
    }
}

extension [Element] {
    /// Returns the elements most similar to a text, best first; equally similar ones in document order.
    fileprivate func ranked(by wanted: String, _ most: Int) -> ArraySlice<Element> {
        // Elements far down a long page are rarely meant, and computing names takes time.
        let scored = prefix(400).enumerated().map { index, element in
            let texts = element.isA(.row) ? [element.text] : element.namesAsSeen
            return (element, texts.map { Similarity.of(wanted, $0) }.max() ?? 0, index)
        }
        return scored.sorted { $0.1 == $1.1 ? $0.2 < $1.2 : $0.1 > $1.1 }.map(\.0).prefix(most)
    }
}
