import Encodings
import Markup

/// Recognizes a page that is an empty shell until its scripts have run.
enum JavaScriptWall {
    static let advice =
        "the page needs JavaScript, which this engine does not run; \(waysIn)"

    /// The ways past a page of scripts.
    static let waysIn =
        "“engine: browser” in the script lets a browser run it, and the bank's JSON requests (see the browser's network panel) "
        + "work without one"

    /// The most characters that a shell may show: "Loading…", a copyright line.
    private static let shellText = 200

    static func isShell(_ document: Document) -> Bool {
        guard let root = document.root else { return false }
        var hasScript = false
        var hasNoscript = false
        var hasMount = false
        var advice = 0
        for element in root.descendants {
            switch element.name {
            case "script": hasScript = true
            case "noscript":
                hasNoscript = true
                advice += element.text.count
            case "a" where element.ancestors.contains(where: { $0.tag == .noscript }): break
            case "a", "area", "form", "input", "select", "textarea", "button", "iframe", "frame", "table":
                if !element.isHidden { return false }
            case "div", "main", "app-root", "section":
                if element.children.isEmpty, element.rawText.foldingSpace.isEmpty { hasMount = true }
            default: break
            }
        }
        guard hasScript else { return false }
        let text = root.text
        return text.isEmpty || ((hasNoscript || hasMount) && text.count - advice <= shellText)
    }
}
