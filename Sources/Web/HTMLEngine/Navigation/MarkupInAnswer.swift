import Markup
import Selectors

/// A part of a page, or XML, that a bank sends as an answer or inside one.
package enum MarkupInAnswer {
    /// Returns the text, or an attribute, of the one element that a locator finds; nil when it finds none, or several.
    package static func value(of locator: Locator, attribute: String?, in markup: String) -> String? {
        guard
            let document = try? Document.parse(Array(markup.utf8), contentType: "text/html; charset=utf-8"),
            let found = try? document.elements(locator), found.count == 1
        else { return nil }
        return attribute.map { found[0][attribute: $0] } ?? found[0].text
    }

    /// Returns an answer as a text, if it looks like markup.
    package static func text(_ body: [UInt8], contentType: String?) -> String? {
        guard body.count <= longest, body.first(where: { $0 > 0x20 && $0 < 0x80 }) == UInt8(ascii: "<") else {
            return nil
        }
        return CharacterEncoding.sniff(body, contentType: contentType).decode(body).withUnsafeBufferPointer {
            String(decoding: $0, as: UTF8.self)
        }
    }

    private static let longest = 4 << 20
}
