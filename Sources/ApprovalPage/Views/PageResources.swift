import Encodings
import Mustache

/// The files of `Resources/`, which the build embeds in the executable so that a copied binary needs no folder beside it.
enum PageResources {
    static let style = String(decoding: PackageResources.style_css, as: UTF8.self)
    static let script = String(decoding: PackageResources.page_js, as: UTF8.self)

    /// The Mustache templates by their file names.
    static let templates = [
        "audit": PackageResources.audit_mustache, "card": PackageResources.card_mustache,
        "door": PackageResources.door_mustache, "history": PackageResources.history_mustache,
        "home": PackageResources.home_mustache,
        "message": PackageResources.message_mustache, "page": PackageResources.page_mustache,
        "passkeys": PackageResources.passkeys_mustache, "question": PackageResources.question_mustache,
        "run": PackageResources.run_mustache, "signIn": PackageResources.signIn_mustache,
    ]

    /// The compiled templates. Every value is escaped except a page's rendered body.
    static let library: MustacheLibrary = {
        MustacheContentTypes.register(Markup(), named: "approval_page")
        var library = MustacheLibrary()
        for (name, bytes) in templates {
            // The templates are part of this module: a syntax error in one fails the first test.
            library.register(
                try! MustacheTemplate(string: "{{% CONTENT_TYPE:approval_page}}" + text(bytes)), named: name)
        }
        return library
    }()

    /// HTML as values in it are escaped. The library's own escaping (1.0 to 2.0) passes over a `"` that a combining mark
    /// follows, so that a value could end its attribute.
    private struct Markup: MustacheContentType {
        func escapeText(_ text: String) -> String { text.escapedForHTML }
    }

    /// Returns a template's text without the newline that ends its file, which would show up inside the page.
    static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...], as: UTF8.self)
    }
}
