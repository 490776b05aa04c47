/// The name by which a script calls for a plug-in, such as `browser` or `vault`.
package enum PluginName {
    /// The most characters of a name.
    package static let longest = 40

    /// Returns whether a text is a name: a small letter, then small letters, digits and hyphens, 40 characters at most.
    package static func isValid(_ text: String) -> Bool {
        text.count <= longest && text.wholeMatch(of: /[a-z][a-z0-9-]*/.asciiOnlyWordCharacters()) != nil
    }
}
