import CLibXML2

/// How an element's text is read: by its name, unless its attributes hide it.
enum Reading: UInt8 {
    case inline
    /// It has a line, or a cell, of its own: the texts on either side are apart.
    case block
    /// A person sees nothing of it.
    case unseen

    private static let unseenNames = [
        "script", "style", "template", "noscript", "head", "datalist", "iframe", "object", "audio", "video", "canvas",
    ]
    private static let blockNames = [
        "address", "article", "aside", "blockquote", "br", "caption", "center", "dd", "details", "dialog", "dir",
        "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
        "header", "hr", "legend", "li", "main", "menu", "nav", "ol", "optgroup", "option", "p", "pre", "section",
        "select", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
    ]
    private static let byName = Dictionary(
        uniqueKeysWithValues: unseenNames.map { (ShortName($0), Reading.unseen) }
            + blockNames.map { (ShortName($0), Reading.block) })
    private static let byTag = Tag.allCases.map { tag in
        tag.withSpelling { byName[ShortName(String(decoding: $0, as: UTF8.self))] } ?? .inline
    }

    /// - Parameter name: the tag's.
    init(of tag: Tag, _ name: InternedName) {
        self = tag == .other ? ShortName(name).flatMap { Self.byName[$0] } ?? .inline : Self.byTag[Int(tag.rawValue)]
    }
}
