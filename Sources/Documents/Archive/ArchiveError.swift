import FileKinds

/// Why the archive did not do what was asked: what was seen, and what to do.
package struct ArchiveError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: Sendable, Hashable {
        /// The archive's folder or its index cannot be used.
        case unusable
        /// The archive's folder is not there now, or is another one than it was. It may come back.
        case away
        /// The file is not what it should be; see ``FileRefusal``.
        case refused
        /// The file has another digest than the one that was verified.
        case changed
        /// The template for file names, or a text to search for, is wrong.
        case invalid
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    init(_ refusal: FileRefusal) { self.init(.refused, refusal.message) }

    package var description: String { message }
}
