import BankScript
import Encodings
import HTMLEngine
import Markup
import Selectors

/// The author's list of a page: each thing with the locator that finds it alone, to paste behind `select`, or into a step.
package struct PageListing {
    /// A line of the list.
    package struct Item: Sendable {
        /// The thing that the line stands for; nil for a line that only counts things.
        package var element: Element?
        package var text: String
        /// The links and buttons of a row, which the text of its line names too.
        package var controls: [Item] = []
    }

    private let document: Document
    private let outline: PageOutline
    private let naming: ElementNaming

    package init(_ document: Document) {
        self.document = document
        outline = PageOutline(document)
        naming = ElementNaming(document: document)
    }

    private static let mostOfAKind = 30
    private static let mostTexts = 12
    private static let mostRows = 12

    private var elements: [Element] { document.root.map { Array($0.descendants) } ?? [] }

    var lines: [String] { items.map { "  " + $0.text } }

    package var items: [Item] {
        var items = outline.headings.prefix(8).map { item($0, locator(of: $0) { .heading($0) }, or: $0.text) }
        items += texts
        for form in outline.forms {
            items += form.fields.filter { !$0.isHidden }.map(self.item)
            items += form.buttons.map { item($0.element, naming.button($0.element), or: $0.label) }
        }
        items += looseControls
        items += pictures
        items += tables
        let links = outline.links.filter { !$0.label.isEmpty && $0.row == nil }
        items += links.prefix(Self.mostOfAKind).map { item($0.element, naming.link($0.element), or: $0.label) }
        return items + Self.rest(links.count - Self.mostOfAKind, "links")
    }

    /// Returns a line about the things that the list leaves out.
    private static func rest(_ count: Int, _ things: String) -> [Item] {
        count > 0 ? [Item(element: nil, text: "and \(count) \(things) more")] : []
    }

    private func item(_ element: Element, _ locator: Locator?, or words: String, note: String = "") -> Item {
        let shown = locator?.pasted ?? "“\(words.prefix(60))”, which no locator finds alone"
        return Item(element: element, text: shown + (note.isEmpty ? "" : "  (\(note))"))
    }

    private func item(_ field: FieldOutline) -> Item {
        let options = field.options.prefix(12).map(\.label).joined(separator: ", ")
        return item(
            field.element, naming.field(field.element), or: field.label.isEmpty ? field.name : field.label,
            note: field.type + (options.isEmpty ? "" : ": \(options)"))
    }

    /// The fields and buttons outside of forms, as the pages of apps have them.
    private var looseControls: [Item] {
        let loose = elements.filter { $0.formOwner == nil && !$0.isHidden }
        let fields = loose.filter { ["input", "select", "textarea"].contains($0.name) && !$0.isButton }
        let buttons = loose.filter { $0.isButton && $0.ancestors.allSatisfy { $0.name != "form" } }
        return fields.prefix(Self.mostOfAKind).map { item(FieldOutline($0)) }
            + buttons.prefix(Self.mostOfAKind).map { item($0, naming.button($0), or: $0.text) }
    }

    /// The pictures that are not part of a link or a button, such as the keys of a PIN pad.
    private var pictures: [Item] {
        let pictures = elements.filter { element in
            element.name == "img" && element.isShown
                && !element.ancestors.contains { $0.isButton || $0.name == "a" && $0.has("href") }
        }
        let shown = pictures.prefix(Self.mostOfAKind).map { picture in
            let name = picture[attribute: "alt"] ?? ""
            let alternative = Locator.css("img[alt='\(name)']")
            let isAlone = !name.isEmpty && !name.contains("'") && (try? document.elements(alternative)) == [picture]
            return item(picture, isAlone ? alternative : naming.selector(picture), or: "a picture", note: "picture")
        }
        return shown + Self.rest(pictures.count - shown.count, "pictures")
    }

    // MARK: Texts

    /// The texts outside of tables, forms, links and headings.
    private var texts: [Item] {
        let own = elements.filter { element in
            Self.textual.contains(element.name) && !element.text.isEmpty && !element.isHidden
                && !element.descendants.contains { Self.structural.contains($0.name) || Self.textual.contains($0.name) }
                && !element.ancestors.contains { Self.structural.contains($0.name) }
        }
        let shown = own.prefix(Self.mostTexts).map { element in
            item(element, locator(of: element) { .text($0) }, or: element.text)
        }
        return shown + Self.rest(own.count - Self.mostTexts, "texts")
    }

    private static let textual: Set<String> = [
        "p", "div", "span", "strong", "em", "b", "output", "dt", "dd", "time", "small",
    ]
    private static let structural: Set<String> = [
        "table", "form", "a", "button", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "label", "nav", "noscript",
    ]

    /// Returns a locator by the element's text, or by its first words if it is long.
    private func locator(of element: Element, _ make: (TextMatch) -> Locator) -> Locator? {
        let words = element.text.split(separator: " ")
        for length in [words.count, 8, 4] where length <= words.count {
            let locator = make(.name(words.prefix(length).joined(separator: " ")))
            if locator.words.count <= 80, (try? document.elements(locator)) == [element] { return locator }
        }
        return naming.selector(element)
    }

    // MARK: Tables

    private var tables: [Item] {
        var items: [Item] = []
        let visible = elements.filter { !$0.isHidden && !$0.text.isEmpty }
        let headings = visible.filter { $0.name == "th" }
        if !headings.isEmpty {
            let cells = headings.prefix(12).map { Locator.cell(header: .name($0.text)).pasted }
            items.append(Item(element: nil, text: "columns: " + cells.joined(separator: ", ")))
        }
        let rows = visible.filter { element in
            element.name == "li" || element.isTableRow && element.children.contains { $0.name == "td" }
        }
        for row in rows.prefix(Self.mostRows) {
            let controls = row.descendants.filter { $0.name == "button" || $0.name == "a" && $0.has("href") }
            let named = controls.prefix(4).compactMap { control -> Item? in
                let locator = control.name == "a" ? naming.link(control) : naming.button(control)
                return locator.map { Item(element: control, text: $0.pasted) }
            }
            var line = item(row, self.row(row), or: row.text, note: named.map(\.text).joined(separator: "; "))
            line.controls = named
            items.append(line)
        }
        return items + Self.rest(rows.count - Self.mostRows, "rows")
    }

    /// Returns a locator by the first cell that no other row has, or by the whole text.
    private func row(_ row: Element) -> Locator? {
        let cells = row.children.filter { $0.name == "td" && !$0.text.isEmpty }.map(\.text)
        return (cells + [row.text]).lazy.map { Locator.row(.name($0)) }.first { locator in
            locator.words.count <= 80 && (try? document.elements(locator)) == [row]
        } ?? naming.selector(row)
    }
}

extension Element {
    fileprivate var isButton: Bool {
        name == "button" || self[attribute: "role"]?.lowercased() == "button"
            || name == "input"
                && ["submit", "button", "image", "reset"].contains(self[attribute: "type"]?.lowercased())
    }
}

extension PageListing {
    /// Lists what a JSON answer has, with paths to paste behind `select`.
    static func lines(of answer: JSONValue) -> [String] {
        let paths = answer.paths
        return ["  the latest answer is JSON:"] + paths.prefix(mostOfAKind).map { "  \($0.path)  (\($0.kind))" }
            + (paths.count > mostOfAKind ? ["  and \(paths.count - mostOfAKind) paths more"] : [])
    }
}

extension Locator {
    /// The name that it looks for; empty for a selector.
    fileprivate var words: String {
        switch target {
        case .css, .xpath: ""
        case .field(let name), .button(let name), .link(let name), .control(let name), .row(let name),
            .heading(let name),
            .text(let name), .cell(let name):
            if case .name(let text) = name { text } else { "" }
        }
    }

    /// The locator as the shell reads it: `link Statements`, `#login`, or the braces of a script.
    var pasted: String {
        let yaml = Step.yaml([Step(.enter(self))]).dropFirst("- enter: ".count)
        guard hasText == nil, scope.isEmpty, nth == nil, alternatives.isEmpty, !words.contains("{") else {
            return String(yaml)
        }
        switch target {
        case .css(let selector): return selector.contains(" ") ? "css \(selector)" : selector
        case .xpath(let path): return "xpath \(path)"
        case .field(.name(let name)): return "field \(name)"
        case .button(.name(let name)): return "button \(name)"
        case .link(.name(let name)): return "link \(name)"
        case .row(.name(let name)): return "row \(name)"
        case .cell(.name(let name)): return "cell \(name)"
        case .text(.name(let name)): return "text \(name)"
        case .heading(.name(let name)): return "heading \(name)"
        default: return String(yaml)
        }
    }
}
