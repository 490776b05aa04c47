import Automation
import BankScript
import HTMLAutomation
import HTMLEngine
import Markup
import Secrets
import Selectors

extension ScriptShell {
    private static let mostLines = 20

    /// Says what a locator finds on a page and by which rule, and what it nearly finds.
    package static func explanation(of locator: Locator, in document: Document) throws(LocatorError) -> [String] {
        let elements = try document.explanation(of: locator)
        let found = elements.filter(\.isFound)
        var lines = ["\(found.count) found by: \(locator)"]
        lines += found.prefix(mostLines).map { "  ✓ \(words(for: $0)): \(reason(of: $0))" }
        if found.count > mostLines { lines.append("  and \(found.count - mostLines) more") }
        let hasSame = found.contains { $0.rule == .same || $0.rule == .letterCase || $0.rule == .labelEnding }
        let near = elements.filter { !$0.isFound }
        lines += near.prefix(mostLines).map { "  ✗ \(words(for: $0)): \(miss(of: $0, locator, hasSame: hasSame))" }
        if near.count > mostLines { lines.append("  and \(near.count - mostLines) more that nearly fit") }
        if elements.isEmpty {
            do throws(LocatorError) {
                _ = try document.element(locator)
            } catch {
                lines += error.candidates.map { "  nearest: \(sanitised("\($0)"))" }
            }
        }
        return lines
    }

    private static func words(for explained: ExplainedElement) -> String {
        let element = explained.element
        let text =
            explained.text.isEmpty ? (element.text.isEmpty ? element.accessibleName : element.text) : explained.text
        return "<\(element.name)> “\(sanitised(String(text.prefix(100))))”"
    }

    private static func reason(of explained: ExplainedElement) -> String {
        switch explained.rule {
        case nil: "the selector matches"
        case .same: "the same text"
        case .letterCase: "the same text; upper and lower case do not count"
        case .labelEnding: "the same text; a colon or an asterisk at the end does not count"
        case .part: "the text is a part of it, and no element has it whole"
        case .pattern: "the regular expression matches"
        case .cutsNumber, .apart: "another of its texts fits"
        }
    }

    private static func miss(of explained: ExplainedElement, _ locator: Locator, hasSame: Bool) -> String {
        if explained.lacksText, let text = locator.hasText { return "it does not contain \(text)" }
        switch explained.rule {
        case .cutsNumber: return "the text is there only inside a longer number"
        case .apart: return "its words are there, but not next to each other"
        case .part where hasSame: return "the text is a part of it, but another element has the text whole"
        case .letterCase, .part, .labelEnding:
            if case .exact? = locator.target.name { return "“exact” wants the same text, in the same case" }
        case .same, .pattern, nil: break
        }
        return locator.nth.map { "it fits, but it is not number \($0)" } ?? "an element inside it fits, too"
    }
}

extension Locator.Target {
    /// The text that names the element; nil for a selector.
    fileprivate var name: TextMatch? {
        switch self {
        case .css, .xpath: nil
        case .field(let name), .button(let name), .link(let name), .control(let name), .row(let name),
            .heading(let name), .text(let name), .cell(let name):
            name
        }
    }
}
