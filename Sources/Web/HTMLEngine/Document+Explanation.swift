import Markup

extension Document {
    /// The most characters of a paragraph that a report repeats.
    private static let longestParagraph = 240

    /// The elements that end the text of a heading: another heading, and the parts of a page that a person uses.
    private static let endsOfText: Set<String> = [
        "h1", "h2", "h3", "h4", "h5", "h6", "form", "input", "select", "textarea", "button", "table", "ul", "ol", "dl",
        "nav", "footer", "aside",
    ]

    /// Returns a heading's text with the first paragraph below it, if one comes before anything else.
    package func explanation(of heading: Element) -> String {
        let title = heading.text
        guard let paragraph = paragraph(below: heading), !paragraph.isEmpty, paragraph != title else { return title }
        let isWhole = paragraph.count <= Self.longestParagraph
        let below = isWhole ? paragraph : String(paragraph.prefix(Self.longestParagraph - 1)) + "…"
        return title + (title.last?.isPunctuation == true ? " " : ": ") + below
    }

    private func paragraph(below heading: Element) -> String? {
        guard let root else { return nil }
        for element in root.descendants.drop(while: { $0 != heading }).dropFirst() where !element.isHidden {
            if element.ancestors.contains(heading) { continue }
            if element.name == "p", !element.text.isEmpty { return element.text }
            if Self.endsOfText.contains(element.name) { return nil }
        }
        return nil
    }
}
