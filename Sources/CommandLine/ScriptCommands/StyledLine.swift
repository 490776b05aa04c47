import Terminal

/// A line of a description that is put together before it is printed.
package struct StyledLine: Sendable {
    package let text: String
    package let style: Console.Style

    init(_ text: String, _ style: Console.Style = .plain) {
        self.text = text
        self.style = style
    }
}

extension Console {
    /// Prints lines. Those that are longer than the screen go on further to the right, so that no part of a stranger's text
    /// looks like another line.
    func show(_ lines: [StyledLine], on screen: Screen? = .ofOutput) {
        for one in lines {
            for row in screen?.rows(of: one.text) ?? [one.text] { line(row, one.style) }
        }
    }
}
