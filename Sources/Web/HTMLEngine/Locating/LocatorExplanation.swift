import Encodings
import Markup
import Selectors

/// The way in which a text of the page fits the text of a locator, or nearly does.
package enum MatchRule: Sendable, Hashable {
    case same
    /// Only upper and lower case differ.
    case letterCase
    /// Only a colon or an asterisk at the end differs.
    case labelEnding
    /// The text contains the name.
    case part
    /// The regular expression matches.
    case pattern
    /// The text contains the name, but within a longer number: `May 2026` in `May 20265`.
    case cutsNumber
    /// The words of the name are there, but not next to each other.
    case apart
}

/// An element that a locator finds, or that it nearly finds.
package struct ExplainedElement: Sendable {
    package let element: Element
    /// The text that was compared; empty for a selector.
    package let text: String
    /// Nil for a selector.
    package let rule: MatchRule?
    package let isFound: Bool
    /// The text behind `containing` is missing in the element.
    package let lacksText: Bool
}

extension Document {
    /// Explains what a locator finds: each element with the rule by which its name fits, and the elements that nearly
    /// fit.
    ///
    /// - Throws: ``LocatorError`` for a selector that cannot be read, or a scope that is not one element.
    package func explanation(of locator: Locator) throws(LocatorError) -> [ExplainedElement] {
        let found = try elements(locator)
        var scope: Element?
        if let outer = locator.scope.first { scope = try element(outer) }
        let offered: [Element]
        let wanted: TextMatch
        switch locator.target {
        case .css, .xpath, .cell:
            return found.map {
                ExplainedElement(element: $0, text: "", rule: nil, isFound: true, lacksText: false)
            }
        case .field(let name): (offered, wanted) = (fields(in: scope), name)
        case .button(let name): (offered, wanted) = (all(.button, in: scope), name)
        case .link(let name): (offered, wanted) = (all(.link, in: scope), name)
        case .control(let name): (offered, wanted) = (all(.button, .link, in: scope), name)
        case .heading(let name): (offered, wanted) = (all(.heading, in: scope), name)
        case .row(let name): (offered, wanted) = (all(.row, in: scope), name)
        case .text(let text): (offered, wanted) = (found, text)
        }
        let isFound = Set(found)
        return offered.compactMap { element in
            let texts = element.texts(for: locator)
            guard let (text, rule) = wanted.bestRule(for: texts, isFound: isFound.contains(element)) else { return nil }
            let lacksText =
                locator.hasText.map { text in
                    let fits = try? text.matching([element], of: locator) { [$0.text] }
                    return fits?.isEmpty ?? true
                } ?? false
            return ExplainedElement(
                element: element, text: text, rule: rule, isFound: isFound.contains(element), lacksText: lacksText)
        }
    }
}

extension Element {
    /// The texts that a locator of this kind compares.
    fileprivate func texts(for locator: Locator) -> [String] {
        switch locator.target {
        case .row: [text] + children.filter { $0.tag == .td || $0.tag == .th }.map(\.text)
        case .heading: names + [text]
        case .text: [text]
        default: names
        }
    }
}

extension TextMatch {
    /// Returns the text that fits best, and its rule; nil when none fits, or nearly.
    fileprivate func bestRule(for texts: [String], isFound: Bool) -> (String, MatchRule)? {
        let order: [MatchRule] = [.same, .pattern, .letterCase, .labelEnding, .part, .cutsNumber, .apart]
        let fitting = texts.compactMap { text in rule(for: text, isFound: isFound).map { (text, $0) } }
        return fitting.min { order.firstIndex(of: $0.1) ?? 0 < order.firstIndex(of: $1.1) ?? 0 }
    }

    private func rule(for text: String, isFound: Bool) -> MatchRule? {
        // The search itself has tried the pattern already.
        if case .regex = self { return isFound ? .pattern : nil }
        let wanted = words.foldingSpace
        guard !wanted.isEmpty else { return nil }
        let offered = text.foldingSpace
        if offered == wanted { return .same }
        let (lowerWanted, lower) = (wanted.loweringCase, offered.loweringCase)
        if lower == lowerWanted { return .letterCase }
        if lower.withoutLabelEnding == lowerWanted.withoutLabelEnding { return .labelEnding }
        if lower.containsWords(lowerWanted) { return .part }
        if lower.firstOffset(of: lowerWanted, from: 0) != nil { return .cutsNumber }
        let parts = lowerWanted.split(separator: " ")
        return parts.count > 1 && parts.allSatisfy({ lower.containsWords(String($0)) }) ? .apart : nil
    }
}
