import Encodings
import Foundation
import HTMLEngine
import Markup
import Secrets

/// A page that may be kept: without scripts, field values and secrets, and with dots for account numbers and amounts.
public struct SanitisedPage: Sendable {
    public enum Use: Sendable {
        /// For reading: nothing in it is loaded, followed or sent.
        case view
        /// For an offline run of a script: links and forms keep their targets.
        case replay
    }

    public let html: String

    /// - Parameter outlined: the elements to mark for the reader.
    public init(_ document: Document, mask: Mask = Mask(), use: Use = .view, outlining outlined: [Element] = []) {
        self.init(document, mask: mask, use: use, outlining: outlined, filled: FilledForms())
    }

    /// A page for reading whose elements carry their numbers, so that a program which shows it can name one of them.
    ///
    /// - Parameter numbers: the numbers by element; they become ``numberAttribute``.
    package init(_ document: Document, mask: Mask = Mask(), numbering numbers: [Element: Int]) {
        self.init(document, mask: mask, outlining: [], filled: FilledForms(), numbers: numbers)
    }

    /// The attribute with an element's number. A page cannot have it: reading drops all its attributes of this kind.
    package static let numberAttribute = "data-countersign-number"

    init(
        _ document: Document, mask: Mask, use: Use = .view, outlining outlined: [Element], filled: FilledForms,
        numbers: [Element: Int] = [:]
    ) {
        var writer = PageWriter(mask: mask, use: use, outlined: Set(outlined), filled: filled, numbers: numbers)
        if let root = document.root { writer.write(root) }
        html = Redactor.redact("<!doctype html>\n" + writer.html + "\n")
    }
}

/// Serialises a page's tree without the parts that must not be kept. It does not recurse, because a page may nest deeply.
private struct PageWriter {
    let mask: Mask
    let use: SanitisedPage.Use
    let outlined: Set<Element>
    let filled: FilledForms
    let numbers: [Element: Int]
    private(set) var html = ""

    init(
        mask: Mask, use: SanitisedPage.Use, outlined: Set<Element>, filled: FilledForms, numbers: [Element: Int]
    ) {
        self.mask = mask
        self.use = use
        self.outlined = outlined
        self.filled = filled
        self.numbers = numbers
    }

    private enum Work {
        case node(Element.Node)
        case end(String)
    }

    private static let dropped: Set<String> = [
        "script", "noscript", "template", "object", "embed", "applet", "audio", "video", "canvas", "svg", "math",
        "link",
        "source", "track", "portal",
    ]
    private static let void: Set<String> = [
        "area", "base", "br", "col", "hr", "img", "input", "meta", "wbr", "frame",
    ]

    mutating func write(_ root: Element) {
        var work: [Work] = [.node(.element(root))]
        while let next = work.popLast() {
            switch next {
            case .end(let name): html += "</\(name)>"
            case .node(.text(let text)): html += escaped(mask.text(text))
            case .node(.element(let element)): begin(element, &work)
            }
        }
    }

    /// Elements whose text a parser does not unescape. They become `pre`, because this writer escapes all text.
    private static let raw: Set<String> = ["plaintext", "xmp", "listing"]

    private mutating func begin(_ element: Element, _ work: inout [Work]) {
        let name = Self.raw.contains(element.name) ? "pre" : element.name
        guard !Self.dropped.contains(name), name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
        else { return }
        if name == "meta" || name == "base", use == .view, !element.has("charset") { return }
        if name == "iframe" || name == "frame", use == .view {
            html += #"<div class="countersign-frame">a frame, whose content is a separate page</div>"#
            return
        }
        html += "<\(name)\(attributes(of: element))>"
        if name == "head", use == .view { html += Self.policy + Self.style }
        guard !Self.void.contains(name) else { return }
        work.append(.end(name))
        switch name {
        case "style": html += css(element.rawText)
        case "textarea": html += filled.texts[element].map { escaped(shown($0, in: element)) } ?? dots(element.rawText)
        default: work += element.nodes.reversed().map(Work.node)
        }
    }

    private func attributes(of element: Element) -> String {
        var text = ""
        for (name, value) in element.attributes + added(to: element) {
            guard !isReplaced(name, of: element), let (name, value) = attribute(name, value, of: element) else {
                continue
            }
            text += " \(name)=\"\(value.escapedForHTML)\""
        }
        if let number = numbers[element] { text += " \(SanitisedPage.numberAttribute)=\"\(number)\"" }
        return outlined.contains(element) ? text + " data-countersign-match=\"\"" : text
    }

    // MARK: Values that were filled in

    /// Returns whether a value that was filled in replaces this attribute.
    private func isReplaced(_ name: String, of element: Element) -> Bool {
        switch name {
        case "value": element.name == "input" && filled.texts[element] != nil
        case "checked": filled.checked[element] != nil
        case "selected": element.ancestors.contains { filled.lists.contains($0) } && !filled.options.contains(element)
        default: false
        }
    }

    private func added(to element: Element) -> [(name: String, value: String)] {
        var added: [(name: String, value: String)] = []
        if filled.checked[element] == true { added.append(("data-countersign-checked", "")) }
        if element.name == "input", filled.texts[element] != nil { added.append(("data-countersign-typed", "")) }
        if filled.options.contains(element), !element.has("selected") { added.append(("selected", "")) }
        return added
    }

    private func shown(_ text: String, in field: Element) -> String {
        text == Secret.mask ? text : mask.value(text, named: field[attribute: "name"] ?? "")
    }

    private func dots(_ text: String) -> String { text.isEmpty ? "" : Secret.mask }

    private static let kept: Set<String> = [
        "class", "id", "role", "name", "type", "for", "form", "placeholder", "autocomplete", "inputmode", "maxlength",
        "minlength", "pattern", "colspan", "rowspan", "headers", "scope", "lang", "dir", "title", "alt", "label",
        "checked", "selected", "disabled", "required", "readonly", "multiple", "size", "rows", "cols", "rel", "method",
        "enctype", "formmethod", "hidden", "open", "start", "width", "height", "align", "valign", "bgcolor", "border",
        "cellpadding", "cellspacing", "charset", "http-equiv", "min", "max", "step",
    ]
    private static let addresses: Set<String> = ["href", "action", "formaction", "src"]

    private func attribute(_ name: String, _ value: String, of element: Element) -> (String, String)? {
        guard name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }) else { return nil }
        if name == "data-countersign-checked" { return ("checked", "") }
        if name == "data-countersign-typed" { return ("value", shown(filled.texts[element] ?? "", in: element)) }
        if name == "value" { return (name, self.value(value, of: element)) }
        if name == "content", use == .replay {
            if element[attribute: "http-equiv"]?.lowercased() == "refresh" { return (name, mask.refresh(value)) }
            return (name, mask.value(value, named: element[attribute: "name"] ?? ""))
        }
        if name == "style" { return (name, css(value)) }
        if Self.addresses.contains(name) {
            if name == "src", use == .view || element.name == "img" { return nil }
            let isScript = value.lowercased().filter { !$0.isWhitespace }.hasPrefix("javascript:")
            let address = isScript ? "javascript:" : value.lowercased().hasPrefix("data:") ? "data:," : mask.url(value)
            return (use == .view ? "data-\(name)" : name, address)
        }
        if Self.kept.contains(name) || name.hasPrefix("aria-") { return (name, mask.text(value)) }
        if name.hasPrefix("data-"), use == .replay { return (name, mask.value(value, named: name)) }
        return nil
    }

    /// Masks a field's value. A button's value is its name, and a box's tells it from others; all other values are the
    /// person's.
    private func value(_ value: String, of field: Element) -> String {
        guard field.name == "input" else { return mask.text(value) }
        switch field[attribute: "type"]?.lowercased() {
        case "submit", "button", "reset", "image", "checkbox", "radio": return mask.text(value)
        // A replay sends it with the form.
        case "hidden" where use == .replay: return mask.value(value, named: field[attribute: "name"] ?? "")
        default: return dots(value)
        }
    }

    /// Removes everything from a style sheet that loads something.
    private func css(_ text: String) -> String {
        let replaced = [
            (#"@import[^;]*;?"#, ""), (#"(?:url|image-set|src)\([^)]*\)?"#, "none"), (#"<(?=[/!?a-z])"#, ""),
        ]
        return replaced.reduce(text) { text, rule in
            text.replacingOccurrences(of: rule.0, with: rule.1, options: [.regularExpression, .caseInsensitive])
        }
    }

    private func escaped(_ text: String) -> String {
        text.escaping(["&": "&amp;", "<": "&lt;", ">": "&gt;"])
    }

    /// The second defence, for markup that another parser reads differently: it runs, loads and sends nothing.
    private static let policy = """
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
        form-action 'none'; base-uri 'none'">
        """

    /// Marks matches, and shows links without a target as links.
    private static let style = """
        <style>[data-countersign-match]{outline:3px solid #e8590c!important;outline-offset:3px!important;\
        box-shadow:0 0 0 8px rgba(232,89,12,.22)!important}\
        a[data-href]{text-decoration:underline;cursor:default}\
        .countersign-frame{border:1px dashed;padding:1em;opacity:.7}</style>
        """
}
