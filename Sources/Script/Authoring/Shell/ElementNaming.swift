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

    /// Returns every locator that finds this element and no other, the sturdiest first: by its name and kind, by its name in its
    /// row, by what it says, by a selector, and by its place.
    package func all(for element: Element) -> [Locator] {
        var options: [Locator] = []
        let name = element.nameAsSeen
        if !name.isEmpty, name.count <= 80 {
            let kinds: [(TextMatch) -> Locator.Target] = [
                { .link($0) }, { .button($0) }, { .field($0) }, { .heading($0) },
            ]
            let named = kinds.map { Locator($0(.name(name))) }
            options += named
            if let row = element.row, row != element, !row.text.isEmpty, row.text.count <= 80 {
                options += named.map { $0.within(.row(.name(row.text))) }
            }
        }
        let text = element.text
        if !text.isEmpty, text.count <= 80 { options += [.row(.name(text)), .text(.name(text))] }
        options += selectors(element)
        options.append(way(to: element))
        return options.filter { (try? document.elements($0)) == [element] }
    }

    /// Returns a selector by the id or the `name` attribute, or else by the way to the element.
    func selector(_ element: Element) -> Locator? {
        (selectors(element) + [way(to: element)]).first { (try? document.elements($0)) == [element] }
    }

    /// Returns the selector of an element by its place, from the nearest element around it that has an id of its own.
    private func way(to element: Element) -> Locator {
        var parts: [String] = []
        for here in [element] + element.ancestors {
            if here != element, let id = selectors(here).first, case .css(let selector) = id.target,
                selector.hasPrefix("#"),
                (try? document.elements(id)) == [here]
            {
                parts.append(selector)
                break
            }
            let siblings = (here.parent?.children ?? []).filter { $0.name == here.name }
            let place = siblings.count > 1 ? siblings.firstIndex(of: here).map { ":nth-of-type(\($0 + 1))" } : nil
            parts.append(here.name + (place ?? ""))
            if here.name == "body" { break }
        }
        return .css(parts.reversed().joined(separator: " > "))
    }

    private func selectors(_ element: Element) -> [Locator] {
        ["id", "name"].compactMap { attribute in
            guard let value = element[attribute: attribute], value.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_-]*/) != nil
            else { return nil }
            return .css(attribute == "id" ? "#\(value)" : "\(element.name)[name=\(value)]")
        }
    }

    /// Tries the name, the name inside its row, the id or `name` attribute, the name with a number, and the element's place, in
    /// this order.
    private func naming(_ element: Element, _ named: (String) -> Locator) -> Locator? {
        let name = element.nameAsSeen
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
        options.append(way(to: element))
        return options.first { (try? document.elements($0)) == [element] }
    }
}
