import CLibXML2
import Encodings

/// A page's document metadata (HTML Standard, section 4.2), gathered in one walk.
package final class DocumentMetadata: @unchecked Sendable {
    /// The `href` of the first `base` that has one.
    package private(set) var baseReference: String?
    /// The `content` of the first `meta` that refreshes the page. One inside `noscript` does not count: it leads to a
    /// page that only asks for JavaScript.
    package private(set) var refresh: String?
    package private(set) var referrerPolicy: String?
    /// The text of the first `title`.
    package private(set) var title: String?

    init(_ document: Document) {
        guard let root = document.root else { return }
        for node in ElementsBelow(root.node) {
            switch node.tag {
            case .base: baseReference = baseReference ?? Element(node, in: document)[attribute: "href"]
            case .meta: note(meta: Element(node, in: document))
            case .title where title == nil: title = Element(node, in: document).rawText.foldingSpace
            default: break
            }
        }
    }

    private func note(meta: Element) {
        if meta[attribute: "http-equiv"]?.lowercased() == "refresh",
            !meta.ancestors.contains(where: { $0.tag == .noscript })
        {
            refresh = refresh ?? meta[attribute: "content"]
        }
        if meta[attribute: "name"]?.lowercased() == "referrer", let policy = meta[attribute: "content"] {
            referrerPolicy = policy
        }
    }
}
