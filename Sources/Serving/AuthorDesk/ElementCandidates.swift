import Authoring
import Automation
import BankScript
import HTMLEngine
import Markup
import Selectors

/// The ways in which a script can name an element of a page, each with a step that uses it.
struct ElementCandidates: Sendable {
    struct Candidate: Sendable {
        /// The locator in words.
        let words: String
        /// A line of a script, without its indentation.
        let step: String
    }

    /// The element in words.
    let words: String
    let all: [Candidate]

    init(_ element: Element, on page: RecordedPage) {
        let text = element.text.isEmpty ? element.nameAsSeen : element.text
        words = sanitised("<\(element.name)> “\(String(text.prefix(100)))”")
        all = ElementNaming(document: page.document).all(for: element).map { locator in
            Candidate(words: sanitised(locator.description), step: Step.yaml([Step(element.action(on: locator))]))
        }
    }
}

extension Element {
    /// Returns the step that a person would write for this element.
    fileprivate func action(on locator: Locator) -> Action {
        switch locator.target {
        case .link: return .follow(locator)
        case .button: return .press(locator)
        case .row, .heading, .text, .cell: return .expect(.shows(locator))
        case .css, .xpath, .field, .control: break
        }
        let type = self[attribute: "type"]?.lowercased() ?? ""
        switch name {
        case "a" where has("href"): return .follow(locator)
        case "button": return .press(locator)
        case "input" where ["submit", "button", "image", "reset"].contains(type): return .press(locator)
        case "input" where ["checkbox", "radio"].contains(type): return .check(locator, true)
        case "input", "textarea": return .fill(locator, usualValue)
        case "select":
            let option = descendants.first { $0.name == "option" }?.text ?? ""
            return .choose(locator, .template(Template(option)))
        default: return .expect(.shows(locator))
        }
    }

    /// The value that a field usually takes: a credential on a page that asks for the password.
    private var usualValue: Value {
        if self[attribute: "type"]?.lowercased() == "password" { return .credential("password") }
        let form = ancestors.first { $0.name == "form" }
        let asksForPassword =
            form?.descendants.contains { $0[attribute: "type"]?.lowercased() == "password" } ?? false
        return asksForPassword ? .credential("username") : .template("text")
    }
}
