/// The words of a stranger for every place of a page's template.
package enum StrangersWords {
    package static let hostile =
        "a\u{202E}\u{200B}\u{7}\u{2028}<img src=x onerror=alert(1)>\" onfocus=alert(2) x=\"' onblur=alert(3) '"

    /// Returns the names of a template's values, and those of its sections.
    package static func names(in template: String) -> (values: Set<String>, sections: Set<String>) {
        var (values, sections): (Set<String>, Set<String>) = ([], [])
        // A body that is rendered already is written as it is.
        let escaped = template.replacing(/\{\{\{[^}]*\}\}\}/, with: "")
        for tag in escaped.matches(of: /\{\{([#^])?([A-Za-z][A-Za-z0-9]*)\}\}/) {
            if tag.1 == nil { values.insert(String(tag.2)) } else { sections.insert(String(tag.2)) }
        }
        return (values, sections)
    }

    /// Returns the values of a template, each hostile: with each section as if it were there, and with none, as
    /// `{{^section}}` shows it.
    package static func values(of template: String) -> [[String: String]] {
        let names = names(in: template)
        let all = Dictionary(uniqueKeysWithValues: names.values.union(names.sections).map { ($0, hostile) })
        return [all, all.filter { !names.sections.contains($0.key) }]
    }
}
