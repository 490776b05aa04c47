// Checks of the steps that print a page.

extension ScriptLint {
    /// - Parameter previous: the step before; nil for the first of a list.
    mutating func checkPrinting(_ step: Step, after previous: Action?) {
        guard case .download(let download) = step.action, download.source == .printedPage else { return }
        if script.engine != .browser {
            report(
                "print", .error, "the script prints a page, which only the browser can",
                hint: "write “engine: browser” at the top", at: step.mark, about: "print")
        }
        if download.content != .document(.pdf) {
            report(
                "print", .error, "a printed page is a PDF and nothing else", hint: "remove what it is printed as",
                at: step.mark, about: "print")
        }
        // A file is checked by its content, but every page prints to a good PDF.
        switch previous {
        case .expect, .waitUntil: break
        default:
            report(
                "unchecked-print", .warning, "no step before it makes sure that the page is the statement",
                hint: "put before it - expect: { says: \"{{ month.name }} {{ year }}\" }", at: step.mark, about: "print"
            )
        }
    }
}
