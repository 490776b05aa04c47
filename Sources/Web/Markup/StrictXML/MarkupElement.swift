/// An element of a document, with what a reader of records needs: text, attributes and children.
package final class MarkupElement {
    /// The local name.
    package let name: String
    /// The namespace's URI; empty without one.
    package let namespace: String
    package let attributes: [String: String]
    /// The line of its start tag, from 1.
    package let line: Int
    // A check of each access, which the compiler cannot prove for a class, takes longer than the access.
    @exclusivity(unchecked) package var text = ""
    @exclusivity(unchecked) package var children: [MarkupElement] = []

    package init(name: String, namespace: String = "", attributes: [String: String] = [:], line: Int) {
        (self.name, self.namespace, self.attributes, self.line) = (name, namespace, attributes, line)
    }

    /// Returns the first child with the name.
    package subscript(name: String) -> MarkupElement? { children.first { $0.name == name } }

    /// Returns the first element at a path of names, e.g. `["Id", "IBAN"]`.
    package func first(_ path: String...) -> MarkupElement? {
        path.reduce(self as MarkupElement?) { $0?[$1] }
    }

    /// Returns the children with the name.
    package func all(_ name: String) -> [MarkupElement] { children.filter { $0.name == name } }

    /// The text with each run of white space as one space, and none at its ends.
    package var foldedText: String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
