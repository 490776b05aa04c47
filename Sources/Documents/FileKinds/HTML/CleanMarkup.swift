import Encodings
import Markup

/// Writes the elements and attributes of a page that show something and do nothing.
struct CleanMarkup {
    private(set) var markup = ""
    /// An element that was written shows text.
    private(set) var showsText = false

    /// The elements that are kept. Of another element the content is kept, unless it is in ``removed``.
    private static let kept: Set<String> = [
        "abbr", "address", "article", "aside", "b", "bdi", "bdo", "blockquote", "body", "br", "caption", "center",
        "cite",
        "code", "col", "colgroup", "dd", "del", "details", "dfn", "div", "dl", "dt", "em", "figcaption", "figure",
        "font",
        "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "i", "img", "ins", "kbd", "li", "main", "mark",
        "ol", "p", "pre", "q", "s", "samp", "section", "small", "span", "strong", "sub", "summary", "sup", "table",
        "tbody", "td", "tfoot", "th", "thead", "time", "tr", "tt", "u", "ul", "var", "wbr",
    ]

    /// The elements that are left out with their content.
    private static let removed: Set<String> = [
        "applet", "audio", "base", "button", "canvas", "datalist", "dialog", "embed", "frame", "frameset", "head",
        "iframe",
        "input", "link", "map", "math", "meta", "noembed", "noframes", "noscript", "object", "option", "picture",
        "portal",
        "script", "select", "style", "svg", "template", "textarea", "title", "video", "xmp",
    ]

    private static let attributes: Set<String> = [
        "align", "bgcolor", "border", "cellpadding", "cellspacing", "class", "color", "colspan", "dir", "headers",
        "height",
        "id", "lang", "nowrap", "rowspan", "scope", "size", "span", "start", "style", "title", "valign", "width",
    ]

    private static let withoutEnd: Set<String> = ["br", "col", "hr", "img", "wbr"]

    /// The pictures that are kept: those inside the page. SVG can hold scripts.
    private static let pictures = ["png", "jpeg", "gif", "webp"].map { "data:image/\($0);base64," }

    /// Writes our own markup.
    mutating func raw(_ text: String) { markup += text }

    /// Writes text of the page.
    mutating func text(_ text: String) {
        markup += text.escaping(["<": "&lt;", ">": "&gt;", "&": "&amp;", "\"": "&quot;"])
    }

    /// Writes the rules of a `style` element, unless they fetch something or could end the element.
    mutating func style(_ rules: String) {
        guard Self.isHarmless(rules), !rules.contains("<") else { return }
        markup += "<style>\(rules)</style>\n"
    }

    /// Writes an element with everything below it. The page's depth is limited before.
    mutating func element(_ element: Element) {
        let name = element.name
        guard !Self.removed.contains(name) else { return }
        let isKept = Self.kept.contains(name)
        if isKept {
            markup += "<\(name)"
            for attribute in element.attributes { write(attribute.name, attribute.value, of: name) }
            markup += ">"
            if Self.withoutEnd.contains(name) { return }
        }
        for node in element.nodes {
            switch node {
            case .element(let child): self.element(child)
            case .text(let text):
                self.text(text)
                if text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) { showsText = true }
            }
        }
        if isKept { markup += "</\(name)>" }
    }

    private mutating func write(_ name: String, _ value: String, of element: String) {
        let isPicture = element == "img" && name == "src" && Self.pictures.contains { value.hasPrefix($0) }
        let isText = Self.attributes.contains(name) || element == "img" && name == "alt"
        guard isPicture || isText, name != "style" || Self.isHarmless(value) else { return }
        markup += " \(name)=\""
        text(value)
        markup += "\""
    }

    /// Returns whether rules of CSS name no other file. A backslash can hide the word.
    private static func isHarmless(_ rules: String) -> Bool {
        let lower = rules.lowercased()
        return !["url(", "image(", "image-set(", "src(", "@import", "expression(", "behavior", "-moz-binding", "\\"]
            .contains {
                lower.contains($0)
            }
    }
}
