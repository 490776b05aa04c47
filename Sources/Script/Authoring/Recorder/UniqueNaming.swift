import BankScript
import HTMLEngine
import Markup
import Selectors

/// Finds the locator by which a script meets an element again, also next month: by its name, in a row by the row's month.
struct UniqueNaming {
    private let document: Document
    /// The language of the page's month names.
    let locale: String

    init(_ document: Document) {
        self.document = document
        locale = MonthNames.language(of: [document.text]) ?? "en"
    }

    /// Returns what the element is to a script; a button for anything else that can be clicked.
    func role(of element: Element) -> RecordedElement.Role {
        switch element.name {
        case "select": return .list
        case "textarea": return .field
        case "input":
            switch element[attribute: "type"]?.lowercased() {
            case "submit", "button", "image", "reset": return .button
            case "checkbox", "radio": return .box
            default: return .field
            }
        case "button": return .button
        default:
            let role = element[attribute: "role"].flatMap { RecordedElement.role(named: $0) }
            return role ?? (element[attribute: "href"] == nil ? .button : .link)
        }
    }

    /// Returns a locator that finds this element and no other, and the words of its row that name a month.
    func locator(for element: Element, _ role: RecordedElement.Role) -> (locator: Locator?, month: String?) {
        var ways: [Locator] = []
        let name = element.accessibleName
        if !name.isEmpty, name.count <= 80 {
            switch role {
            case .link: ways.append(.link(.name(name)))
            case .button: ways.append(.button(.name(name)))
            case .box, .field, .list: ways.append(.field(.name(name)))
            }
        }
        let named = ways
        for attribute in ["id", "name"] {
            guard let value = element[attribute: attribute], RecordedElement.isPlain(value) else { continue }
            ways.append(.css(attribute == "id" ? "#\(value)" : "\(element.name)[name=\(value)]"))
        }
        if role == .button, named.isEmpty || !finds(named[0], element), let words = text(of: element) {
            ways.append(.text(.name(words)))
        }
        guard let row = element.row else { return (first(of: numbered(ways, element), element), nil) }
        let text = row.text
        let month = RecordedMonth(in: text, locale: locale)?.naming(in: text)
        // A control of a month is found by the month, even where the list has only one row now.
        let inMonth = month.map { month in ways.map { $0.within(.row(.name(month))) } } ?? []
        if let found = first(of: inMonth, element) { return (found, month) }
        let inRow = text.isEmpty || text.count > 80 ? [] : ways.map { $0.within(.row(.name(text))) }
        return (first(of: named + inRow + numbered(ways, element), element), nil)
    }

    /// Returns the link or button that turns the page of a list.
    func turning(besides element: Element) -> Locator? {
        let controls =
            document.root?.descendants.filter { $0.isControl && BankingWords.isNext($0.accessibleName) } ?? []
        guard let next = controls.first, controls.count == 1, next != element else { return nil }
        let locator = Locator.control(.name(next.accessibleName))
        return finds(locator, next) ? locator : nil
    }

    private func text(of element: Element) -> String? {
        let words = element.text
        return words.isEmpty || words.count > 60 ? nil : words
    }

    /// The ways themselves, and each with the element's position among what it finds.
    private func numbered(_ ways: [Locator], _ element: Element) -> [Locator] {
        ways
            + ways.compactMap { way in
                (try? document.elements(way))?.firstIndex(of: element).map { way.nth($0 + 1) }
            }
    }

    private func first(of ways: [Locator], _ element: Element) -> Locator? { ways.first { finds($0, element) } }

    private func finds(_ locator: Locator, _ element: Element) -> Bool {
        (try? document.elements(locator)) == [element]
    }
}

extension Element {
    fileprivate var isControl: Bool {
        ["a", "button"].contains(name) || name == "input" && ["submit", "button"].contains(self[attribute: "type"])
    }
}
