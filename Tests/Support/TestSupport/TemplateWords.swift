/// The words that a page's template holds itself, so that a reader meets them in every language.
package enum TemplateWords {
    /// Returns the words between tags and in attributes that are shown. Code, keys of sentences and values are left out.
    package static func standing(in template: String) -> Set<String> {
        let text = template.replacing(/<code[^>]*>[^<]*<\/code>|{{[^}]*}}|\[\[[^\]]*\]\]/, with: "")
        let shown = text.matches(of: /(?:placeholder|aria-label|alt|data-busy|title)="([^"]*)"/).map { String($0.1) }
        let words = ([text.replacing(/<[^>]*>/, with: " ")] + shown).joined(separator: " ")
            .matches(of: /[A-Za-z][A-Za-z'-]+/).map { String($0.0) }
        return Set(words)
    }
}
