import Selectors

/// An element that a person used, as far as a recorder describes it: its name, its role, and selectors.
struct RecordedElement: Sendable, Hashable {
    enum Role: Sendable, Hashable {
        case button, link, field, list, box
    }

    /// The name for assistive technology.
    var name: String?
    /// The text that the page shows there.
    var text: String?
    var role: Role?
    var css: [String] = []
    var xpath: [String] = []
    /// The selectors as the file has them.
    var written: Set<String> = []
    /// The locator that finds this element and no other, where the page is known.
    var known: Locator?
    /// The words of its row that name a month.
    var month: String?
    /// The language of the month's name.
    var language: String?
    /// The control that turns the page of its list.
    var turning: Locator?
    /// Other ways to find it, in a recording that was made of a script.
    var alternatives: [RecordedElement] = []

    /// Returns whether both are the same element, as far as the selectors tell.
    func isSame(as other: RecordedElement) -> Bool { !written.isDisjoint(with: other.written) }

    /// The name that a person would use; nil when only selectors are known.
    var words: String? { name ?? text }

    /// The texts that may tell its purpose: its name, ids and attributes.
    var hints: [String] { [name, text].compactMap(\.self) + css + xpath }

    // MARK: Reading selectors

    /// Takes what a CSS selector tells.
    mutating func add(css selector: String) {
        css.append(selector)
        guard let list = try? SelectorList(parsing: selector), let last = list.selectors.last?.parts.last?.compound
        else { return }
        let type = last.simple.lazy.compactMap { simple -> String? in
            guard case .attribute(let attribute) = simple, attribute.name == "type" else { return nil }
            return attribute.value
        }.first
        add(tag: last.type, type: type)
    }

    /// Takes what an XPath tells: the element's name, and a text that the path looks for.
    mutating func add(xpath path: String) {
        xpath.append(path)
        let type = path.firstMatch(of: /@type\s*=\s*['"]([a-z]+)['"]\s*\]\)?(?:\[\d+\])?$/).map { String($0.1) }
        let plain = path.replacing(/\[[^\[\]]*\]/, with: "").replacing(/[()]/, with: "")
        add(tag: plain.split(separator: "/").last.map { $0.lowercased() }, type: type)
        if let match = path.firstMatch(
            of: /\[(?:contains\((?:\.|text\(\)),\s*|text\(\)=)['"]([^'"]+)['"]\)?\]\)?(?:\[\d+\])?$/)
        {
            text = text ?? String(match.1)
        }
    }

    private mutating func add(tag: String?, type: String?) {
        guard role == nil else { return }
        switch tag {
        case "a": role = .link
        case "button": role = .button
        case "select": role = .list
        case "textarea": role = .field
        default: role = Self.role(ofType: type)
        }
    }

    /// Returns the role of an `input` of this type (HTML Standard, section 4.10.5); nil when the type is unknown.
    private static func role(ofType type: String?) -> Role? {
        switch type?.lowercased() {
        case "submit", "button", "image", "reset": .button
        case "checkbox", "radio": .box
        case "text", "password", "email", "tel", "number", "search", "url", "date", "month": .field
        default: nil
        }
    }

    /// Returns what an ARIA role means for a script; nil for a role without a step of its own.
    static func role(named name: String) -> Role? {
        switch name.lowercased() {
        case "button": .button
        case "link": .link
        case "textbox", "searchbox", "spinbutton": .field
        case "combobox", "listbox": .list
        case "checkbox", "radio", "switch": .box
        default: nil
        }
    }

    // MARK: Locators

    /// Returns a locator for something to click.
    func control(hiding secrets: TypedTexts) -> Locator? {
        if let known, !secrets.occur(in: known.description) { return known }
        return unproven(hiding: secrets)
    }

    private func unproven(hiding secrets: TypedTexts) -> Locator? {
        locator(hiding: secrets) { name in
            switch role {
            case .link: .link(.name(name))
            case .button: .button(.name(name))
            case .box: .field(.name(name))
            case .field, .list, nil: .control(.name(name))
            }
        }
    }

    /// Returns a locator for a field, a list or a box.
    func field(hiding secrets: TypedTexts) -> Locator? {
        if let known, !secrets.occur(in: known.description) { return known }
        var labelled = self
        // A field's text is its content, not its label.
        labelled.text = nil
        return labelled.locator(hiding: secrets) { .field(.name($0)) }
    }

    private func locator(hiding secrets: TypedTexts, named: (String) -> Locator) -> Locator? {
        var first: Locator?
        if let words, words.count <= 80, !secrets.occur(in: words) {
            first = named(words)
        } else if let selector = bestSelector(hiding: secrets) {
            first = .css(selector)
        } else if let path = xpath.first(where: { !secrets.occur(in: $0) }) {
            first = .xpath(path)
        }
        first?.alternatives = alternatives.compactMap { $0.locator(hiding: secrets, named: named) }
        return first
    }

    /// The selector that is most likely to last: an id, then the name of a field, then one without positions.
    func bestSelector(hiding secrets: TypedTexts) -> String? {
        let known = css.filter { !secrets.occur(in: $0) && (try? SelectorList(parsing: $0)) != nil }
        return known.first { $0.wholeMatch(of: /#[A-Za-z_][A-Za-z_-]*/) != nil }
            ?? known.first { $0.contains("[name=") } ?? known.first { !$0.contains(":nth-") } ?? known.first
    }
}
