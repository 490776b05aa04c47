import Crypto
import Encodings
import Markup

/// A page as one file that runs nothing and fetches nothing.
///
/// What is not known to be harmless is left out: elements and attributes are kept by name, and the page forbids itself
/// scripts and other files by a content security policy. A `meta` element says that the page was changed.
enum CleanPage {
    /// Deep tables nest about thirty elements.
    private static let depth = 256

    /// Returns the page in UTF-8.
    ///
    /// - Throws: ``FileRefusal`` for a page that is too large, too deep, or without text.
    static func make(of bytes: [UInt8]) throws(FileRefusal) -> [UInt8] {
        let document = try parsed(bytes)
        guard let root = document.root else {
            throw FileRefusal(.damaged, "the page has no content; download it again")
        }
        let digest = Base16.encode(SHA256.hash(data: bytes))
        var writer = CleanMarkup()
        writer.raw(
            """
            <!DOCTYPE html>
            <html><head><meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
            <meta name="countersign" content="changed: scripts, forms and links to other files were removed; the bank's page has the SHA-256 \(digest)">
            <title>
            """)
        writer.text(document.title)
        writer.raw("</title>\n")
        for element in root.descendants where element.name == "style" { writer.style(element.rawText) }
        writer.raw("</head>")
        writer.element(root.children.first { $0.name == "body" } ?? root)
        writer.raw("</html>\n")
        // Text can also stand in what is left out: in a title, a button, or a style that never ends.
        guard writer.showsText else {
            throw FileRefusal(.damaged, "the page shows no text without its scripts; ask the bank for another kind")
        }
        return Array(writer.markup.utf8)
    }

    /// Returns the text that a person reads on a page.
    static func text(_ bytes: [UInt8]) throws(FileRefusal) -> String { try parsed(bytes).text }

    private static func parsed(_ bytes: [UInt8]) throws(FileRefusal) -> Document {
        var limits = DocumentLimits()
        limits.depth = depth
        do throws(DocumentError) {
            return try Document.parse(bytes, contentType: "text/html", limits: limits)
        } catch {
            throw FileRefusal(.tooLarge, error.message)
        }
    }
}
