import BankScript
import Secrets

extension RunFailure {
    /// Describes the failure for the script's author: the message, the line of the script with a caret, the step in words,
    /// the page's title and address, the bank's own words, and the most similar elements of the page.
    ///
    /// - Parameter source: the script's text; nil for a script that is compiled in.
    public func report(source: String? = nil) -> String {
        var lines = ["\(code.rawValue)\(reason.map { " (\($0.rawValue))" } ?? ""): \(message)"]
        func entry(_ label: String, _ text: String) {
            lines.append("  " + label.padding(to: 8) + text)
        }
        if let place {
            if let mark = place.mark {
                entry("script", "\(mark)")
                lines += (source.map(mark.excerpt) ?? []).map { "          \(Redactor.redact($0))" }
            }
            entry("step", "\(place.isFinally ? "finally, " : "")\(place.number), \(place.words)")
        }
        if let page { entry("page", page.title.isEmpty ? page.url : "“\(page.title)” \(page.url)") }
        if let bankWords { entry("bank", "“\(bankWords)”") }
        for (index, candidate) in candidates.enumerated() { entry(index == 0 ? "nearest" : "", candidate) }
        return lines.joined(separator: "\n")
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
