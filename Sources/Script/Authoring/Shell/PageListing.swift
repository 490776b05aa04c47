import BankScript
import Encodings
import HTMLEngine
import Markup
import Selectors

/// The shell's list of a page: each thing with the locator that finds it alone, to paste behind `select`, or into a step.
struct PageListing {
    private let document: Document
    private let outline: PageOutline
    private let naming: ElementNaming

    init(_ document: Document) {
        self.document = document
        outline = PageOutline(document)
        naming = ElementNaming(document: document)
    }

    private static let mostOfAKind = 30
    private static let mostTexts = 12
    private static let mostRows = 12

    private var elements: [Element] { document.root.map { Array($0.descendants) } ?? [] }

    var lines: [String] {
        var lines = outline.headings.prefix(8).map { line(locator(of: $0) { .heading($0) }, or: $0.text) }
        lines += texts
        for form in outline.forms {
            lines += form.fields.filter { !$0.isHidden }.map(self.line)
            lines += form.buttons.map { line(naming.button($0.element), or: $0.label) }
        }
        lines += looseControls
        lines += pictures
        lines += tables
        let links = outline.links.filter { !$0.label.isEmpty && $0.row == nil }
        lines += links.prefix(Self.mostOfAKind).map { line(naming.link($0.element), or: $0.label) }
        if links.count > Self.mostOfAKind { lines.append("  and \(links.count - Self.mostOfAKind) links more") }
        return lines
    }

    private func line(_ locator: Locator?, or words: String, note: String = "") -> String {
        let shown = locator?.pasted ?? "“\(words.prefix(60))”, which no locator finds alone"
        return "  \(shown)" + (note.isEmpty ? "" : "  (\(note))")
    }

    private func line(_ field: FieldOutline) -> String {
        let options = field.options.prefix(12).map(\.label).joined(separator: ", ")
        return line(
            naming.field(field.element), or: field.label.isEmpty ? field.name : field.label,
            note: field.type + (options.isEmpty ? "" : ": \(options)"))
    }

    /// The fields and buttons outside of forms, as the pages of apps have them.
    private var looseControls: [String] {
        let loose = elements.filter { $0.formOwner == nil && !$0.isHidden }
        let fields = loose.filter { ["input", "select", "textarea"].contains($0.name) && !$0.isButton }
        let buttons = loose.filter { $0.isButton && $0.ancestors.allSatisfy { $0.name != "form" } }
        return fields.prefix(Self.mostOfAKind).map { line(FieldOutline($0)) }
            + buttons.prefix(Self.mostOfAKind).map { line(naming.button($0), or: $0.text) }
    }

    /// The pictures that are not part of a link or a button, such as the keys of a PIN pad.
    private var pictures: [String] {
        let pictures = elements.filter { element in
            element.name == "img" && element.isShown
                && !element.ancestors.contains { $0.isButton || $0.name == "a" && $0.has("href") }
        }
        let shown = pictures.prefix(Self.mostOfAKind).map { picture in
            let name = picture[attribute: "alt"] ?? ""
            let alternative = Locator.css("img[alt='\(name)']")
            let isAlone = !name.isEmpty && !name.contains("'") && (try? document.elements(alternative)) == [picture]
            return line(isAlone ? alternative : naming.selector(picture), or: "a picture", note: "picture")
        }
        let rest = pictures.count - shown.count
        return shown + (rest > 0 ? ["  and \(rest) pictures more"] : [])
    }

    // MARK: Texts

    /// The texts outside of tables, forms, links and headings.
    private var texts: [String] {
        let own = elements.filter { element in
            Self.textual.contains(element.name) && !element.text.isEmpty && !element.isHidden
                && !element.descendants.contains { Self.structural.contains($0.name) || Self.textual.contains($0.name) }
                && !element.ancestors.contains { Self.structural.contains($0.name) }
        }
        let shown = own.prefix(Self.mostTexts).map { element in
            line(locator(of: element) { .text($0) }, or: element.text)
        }
        return shown + (own.count > Self.mostTexts ? ["  and \(own.count - Self.mostTexts) texts more"] : [])
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

    private var tables: [String] {
        var lines: [String] = []
        let visible = elements.filter { !$0.isHidden && !$0.text.isEmpty }
        let headings = visible.filter { $0.name == "th" }
        if !headings.isEmpty {
            let cells = headings.prefix(12).map { Locator.cell(header: .name($0.text)).pasted }
            lines.append("  columns: " + cells.joined(separator: ", "))
        }
        let rows = visible.filter { element in
            element.name == "li" || element.isTableRow && element.children.contains { $0.name == "td" }
        }
        for row in rows.prefix(Self.mostRows) {
            let controls = row.descendants.filter { $0.name == "button" || $0.name == "a" && $0.has("href") }
            let names = controls.prefix(4).compactMap { control -> String? in
                let locator = control.name == "a" ? naming.link(control) : naming.button(control)
                return locator?.pasted
            }
            lines.append(line(self.row(row), or: row.text, note: names.joined(separator: "; ")))
        }
        if rows.count > Self.mostRows { lines.append("  and \(rows.count - Self.mostRows) rows more") }
        return lines
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
