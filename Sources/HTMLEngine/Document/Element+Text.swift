import CLibXML2

extension Element {
    private static let unseen: Set<String> = [
        "script", "style", "template", "noscript", "head", "datalist", "iframe", "object", "audio", "video", "canvas",
    ]
    /// Elements with a line, or a cell, of their own: the texts on either side are apart.
    private static let blocks: Set<String> = [
        "address", "article", "aside", "blockquote", "br", "caption", "center", "dd", "details", "dialog", "dir",
        "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
        "header", "hr", "legend", "li", "main", "menu", "nav", "ol", "optgroup", "option", "p", "pre", "section",
        "select", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
    ]

    /// Stands on a line, or in a cell, of its own.
    var isBlock: Bool { Self.blocks.contains(name) }

    /// A person would not see it, whatever its ancestors are.
    var isHiddenItself: Bool {
        if Self.unseen.contains(name) || has("hidden") { return true }
        if name == "input", self[attribute: "type"]?.lowercased() == "hidden" { return true }
        guard let style = self[attribute: "style"]?.lowercased().filter({ !$0.isWhitespace }) else { return false }
        return style.contains("display:none") || style.contains("visibility:hidden")
    }

    /// A person would not see it.
    public var isHidden: Bool { isHiddenItself || ancestors.contains(where: \.isHiddenItself) }

    /// The text as a person reads it: hidden parts out, white space folded, a space between blocks and cells.
    public var text: String {
        var result = ""
        var work: [xmlNodePtr?] = [node.pointee.children]
        var open: [Bool] = [false]
        while let top = work.last {
            guard let current = top else {
                work.removeLast()
                if open.removeLast() { result += " " }
                continue
            }
            work[work.count - 1] = current.pointee.next
            if current.pointee.type == XML_TEXT_NODE, let content = current.pointee.content {
                result += String(cString: content)
            } else if current.pointee.type == XML_ELEMENT_NODE {
                let element = Element(current, in: document)
                guard !element.isHiddenItself else { continue }
                let isBlock = element.isBlock
                if isBlock { result += " " }
                work.append(current.pointee.children)
                open.append(isBlock)
            }
        }
        return result.foldingSpace
    }
}
