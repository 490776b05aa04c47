import Encodings

// Checks of the invisible characters in a script's texts.

extension ScriptLint {
    /// Reports each text with a scalar that is not shown, or that changes how what stands around it is shown, where the
    /// text's meaning does not need it.
    ///
    /// With such a scalar a text can read as another one, and an address with a line feed still works: a URL's parser drops
    /// it (URL Standard, section 4.4).
    mutating func checkHiddenCharacters() {
        var reported: Set<AuthoredText> = []
        for text in script.texts {
            let hidden = text.needlesslyHidden
            guard !hidden.isEmpty, reported.insert(text).inserted else { continue }
            var names: [String] = []
            for scalar in hidden where !names.contains(scalar.name) { names.append(scalar.name) }
            let rest = names.count > 3 ? " and \(names.count - 3) more" : ""
            // A value that is sent may be a password.
            let subject = text.use == .sent ? "a value" : "“\(text.text.inLine(limit: 120))”"
            report(
                "hidden-character", .error,
                "\(subject) has invisible characters: "
                    + "\(names.prefix(3).joined(separator: ", "))\(rest)",
                hint: "remove them; in a pattern write \\n for a line feed and \\t for a tab", at: text.mark)
        }
    }
}

extension Unicode.Scalar {
    /// The usual name of a code point, such as `U+202E`.
    var name: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
