import Selectors

/// A locator of a script, and the place of the step that uses it.
package struct PlacedLocator: Sendable, Hashable {
    /// The locator as it is written: its texts are templates.
    package var locator: Locator
    package var mark: Mark?

    /// Returns the place of the locator's own words in a script's text; the step's place where the words are not found.
    ///
    /// - Parameter text: the script's YAML.
    package func mark(in text: String) -> Mark? {
        for words in locator.texts where !words.isEmpty {
            let place = Finding("locator", .warning, "", at: mark, about: words).located(in: text).mark
            if place != mark { return place }
        }
        return mark
    }
}
