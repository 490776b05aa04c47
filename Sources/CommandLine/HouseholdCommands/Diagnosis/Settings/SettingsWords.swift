/// Sentences of `countersign config`, which the page's program reads.
package enum SettingsWords {
    /// The last line of a refusal.
    package static let nothingChanged = "Nothing was changed."
}
