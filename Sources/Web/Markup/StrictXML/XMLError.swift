/// Why a document was refused.
package struct XMLError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: Sendable, Hashable {
        case malformed
        /// A document type, which is where entities and external references come from.
        case forbidden
        case tooDeep
        case tooLarge
    }

    package let code: Code
    /// From 1.
    package let line: Int
    package let message: String

    package var description: String { "line \(line): \(message)" }
}

/// Limits on the documents that a reader accepts.
package struct XMLLimits: Sendable, Hashable {
    /// The deepest nesting of elements.
    package var depth: Int
    /// The longest text of one element, and of one attribute, in bytes.
    package var text: Int
    /// The most children that one element keeps.
    package var children: Int

    package init(depth: Int = 64, text: Int = 64 << 10, children: Int = 100_000) {
        (self.depth, self.text, self.children) = (depth, text, children)
    }
}
