/// Keeps a spreadsheet from taking a stranger's text for a formula: anybody can send a payment whose purpose is
/// `=HYPERLINK(…)`.
///
/// A spreadsheet splits lines at the separator of its language setting, not at the file's, and quotation marks inside a field
/// do not prevent that. So each part of a text counts as a cell: its start, and each part behind a comma, semicolon, tab, bar
/// or line end.
package enum FormulaGuard {
    /// Puts an apostrophe before each cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage return, also behind
    /// apostrophes and quotation marks.
    package static func guarded(_ text: String) -> String {
        // Most texts have no character that a formula begins with.
        guard text.unicodeScalars.contains(where: isBeginning) else { return text }
        var result = String.UnicodeScalarView()
        eachCell(of: text) { cell in
            if beginsFormula(cell) { result.append("'") }
            result.append(contentsOf: cell)
        }
        return String(result)
    }

    /// Returns the text that ``guarded(_:)`` was given.
    package static func unguarded(_ text: String) -> String {
        // Most texts have no apostrophe.
        guard text.utf8.contains(0x27) else { return text }
        var result = String.UnicodeScalarView()
        eachCell(of: text) { cell in
            result.append(contentsOf: cell.first == "'" && beginsFormula(cell) ? cell.dropFirst() : cell)
        }
        return String(result)
    }

    /// Calls `body` with each cell and the separator behind it.
    private static func eachCell(of text: String, _ body: (Substring.UnicodeScalarView) -> Void) {
        var rest = text.unicodeScalars[...]
        while let end = rest.firstIndex(where: isSeparator) {
            body(rest[...end])
            rest = rest[rest.index(after: end)...]
        }
        body(rest)
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case ",", ";", "\t", "|", "\n", "\r": true
        default: false
        }
    }

    private static func beginsFormula(_ cell: Substring.UnicodeScalarView) -> Bool {
        let first = cell.drop { $0 == "'" }.drop { $0 == "\"" }.first
        return first.map(isBeginning) ?? false
    }

    private static func isBeginning(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "=", "+", "-", "@", "\t", "\r": true
        default: false
        }
    }
}
