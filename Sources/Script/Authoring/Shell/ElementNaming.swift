import HTMLEngine
import Markup
import Selectors

/// Finds locators that match exactly one element of a page. It prefers the name that a person sees.
package struct ElementNaming {
    let document: Document

    package init(document: Document) {
        self.document = document
    }

    package func field(_ element: Element) -> Locator? { naming(element) { .field(.name($0)) } }
    package func button(_ element: Element) -> Locator? { naming(element) { .button(.name($0)) } }
    package func link(_ element: Element) -> Locator? { naming(element) { .link(.name($0)) } }

    /// Returns a selector by the id or the `name` attribute.
    func selector(_ element: Element) -> Locator? {
        selectors(element).first { (try? document.elements($0)) == [element] }
    }

    private func selectors(_ element: Element) -> [Locator] {
        ["id", "name"].compactMap { attribute in
            guard let value = element[attribute: attribute], value.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_-]*/) != nil
            else { return nil }
            return .css(attribute == "id" ? "#\(value)" : "\(element.name)[name=\(value)]")
        }
    }

    /// Tries the name, the name inside its row, the id or `name` attribute, and the name with a number, in this order.
    private func naming(_ element: Element, _ named: (String) -> Locator) -> Locator? {
        let name = element.accessibleName
        var options: [Locator] = []
        if !name.isEmpty, name.count <= 80 {
            options.append(named(name))
            if let row = element.row, row.text.count <= 80, !row.text.isEmpty {
                options.append(named(name).within(.row(.name(row.text))))
            }
        }
        options += selectors(element)
        if !name.isEmpty, let found = try? document.elements(named(name)), let index = found.firstIndex(of: element) {
            options.append(named(name).nth(index + 1))
        }
        return options.first { (try? document.elements($0)) == [element] }
    }
}
