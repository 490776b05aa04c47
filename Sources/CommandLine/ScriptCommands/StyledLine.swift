import Terminal

/// A line of a description that is put together before it is printed.
struct StyledLine: Sendable {
    let text: String
    let style: Console.Style

    init(_ text: String, _ style: Console.Style = .plain) {
        self.text = text
        self.style = style
    }
}

extension Console {
    func show(_ lines: [StyledLine]) {
        for one in lines { line(one.text, one.style) }
    }
}
