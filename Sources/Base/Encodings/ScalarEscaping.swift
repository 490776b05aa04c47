extension String {
    /// Returns the text with characters of a markup or a language replaced, for a place where they would have a meaning.
    ///
    /// Each Unicode scalar is looked at by itself. `replacing(_:with:)` compares what a reader sees as one character, and
    /// so passes over a `<` or a `"` that a combining mark follows, and over the newline of a `\r\n`.
    package func escaping(_ replacements: [Unicode.Scalar: String]) -> String {
        guard unicodeScalars.contains(where: { replacements[$0] != nil }) else { return self }
        var escaped = UnicodeScalarView()
        for scalar in unicodeScalars {
            if let replacement = replacements[scalar] {
                escaped.append(contentsOf: replacement.unicodeScalars)
            } else {
                escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    /// The text for an HTML page, as content or as an attribute's value in quotes of either kind.
    package var escapedForHTML: String {
        escaping(["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"])
    }
}
