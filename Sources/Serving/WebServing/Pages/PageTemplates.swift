import Encodings
import Mustache

/// The templates of a page's module.
package enum PageTemplates {
    /// Compiles templates that the module embeds. Every value is escaped except a page's rendered body, and shows what it hides:
    /// it may hold the words of a bank, an agent, a mail or a calendar.
    ///
    /// - Parameter templates: their bytes by their names.
    package static func library(_ templates: [String: [UInt8]]) -> MustacheLibrary {
        MustacheContentTypes.register(Markup(), named: "page")
        var library = MustacheLibrary()
        for (name, bytes) in templates {
            // The templates are part of the module: a syntax error in one fails the first test.
            library.register(try! MustacheTemplate(string: "{{% CONTENT_TYPE:page}}" + text(bytes)), named: name)
        }
        return library
    }

    /// Returns a template's text without the newline that ends its file, which would show up inside the page.
    package static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...], as: UTF8.self)
    }

    /// HTML as values in it are escaped. The library's own escaping (1.0 to 2.0) passes over a `"` that a combining mark
    /// follows, so that a value could end its attribute.
    private struct Markup: MustacheContentType {
        func escapeText(_ text: String) -> String { text.visibleLines.escapedForHTML }
    }
}
