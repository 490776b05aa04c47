import CLibXML2

/// How an element's text is read.
private enum Reading {
    /// A person sees nothing of it.
    case unseen
    /// It has a line, or a cell, of its own: the texts on either side are apart.
    case block
    case inline

    private static let unseenNames = [
        "script", "style", "template", "noscript", "head", "datalist", "iframe", "object", "audio", "video", "canvas",
    ]
    private static let blockNames = [
        "address", "article", "aside", "blockquote", "br", "caption", "center", "dd", "details", "dialog", "dir",
        "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
        "header", "hr", "legend", "li", "main", "menu", "nav", "ol", "optgroup", "option", "p", "pre", "section",
        "select", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
    ]
    private static let known = Dictionary(
        uniqueKeysWithValues: unseenNames.map { (ShortName($0), Reading.unseen) }
            + blockNames.map { (ShortName($0), Reading.block) })

    init(of node: xmlNodePtr) {
        self = node.pointee.name.flatMap(ShortName.init).flatMap { Self.known[$0] } ?? .inline
    }
}

extension xmlNodePtr {
    private static let hidden = ShortName("hidden")
    private static let type = ShortName("type")
    private static let style = ShortName("style")
    private static let input = ShortName("input")

    /// Whether one of its attributes hides it.
    fileprivate var hidesItself: Bool {
        var attribute = pointee.properties
        while let current = attribute {
            switch current.pointee.name.flatMap(ShortName.init) {
            case Self.hidden?: return true
            case Self.type? where pointee.name.flatMap(ShortName.init) == Self.input:
                if String(cString: current.value).lowercased() == "hidden" { return true }
            case Self.style?:
                let style = String(cString: current.value).lowercased().filter { !$0.isWhitespace }
                if style.contains("display:none") || style.contains("visibility:hidden") { return true }
            default: break
            }
            attribute = current.pointee.next
        }
        return false
    }
}

extension Element {
    /// Stands on a line, or in a cell, of its own.
    var isBlock: Bool { Reading(of: node) == .block }

    /// A person would not see it, whatever its ancestors are.
    var isHiddenItself: Bool { Reading(of: node) == .unseen || node.hidesItself }

    /// A person would not see it.
    public var isHidden: Bool {
        var next: xmlNodePtr? = node
        while let current = next {
            if Reading(of: current) == .unseen || current.hidesItself { return true }
            next = current.parentElement
        }
        return false
    }

    /// The text as a person reads it: hidden parts out, white space folded, a space between blocks and cells.
    public var text: String {
        var result: [UInt8] = []
        var work: [xmlNodePtr?] = [node.pointee.children]
        var open: [Bool] = [false]
        while let top = work.last {
            guard let current = top else {
                work.removeLast()
                if open.removeLast() { result.append(0x20) }
                continue
            }
            work[work.count - 1] = current.pointee.next
            if current.pointee.type == XML_TEXT_NODE, let content = current.pointee.content {
                result.append(contentsOf: UnsafeBufferPointer(start: content, count: Int(xmlStrlen(content))))
            } else if current.pointee.type == XML_ELEMENT_NODE {
                let reading = Reading(of: current)
                guard reading != .unseen, !current.hidesItself else { continue }
                if reading == .block { result.append(0x20) }
                work.append(current.pointee.children)
                open.append(reading == .block)
            }
        }
        return result.withUnsafeBufferPointer { String(foldingSpaceOf: $0) }
    }
}
