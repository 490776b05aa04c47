import Foundation
import Messages

/// Reads the text of documents, and searches in those that were filed.
package protocol DocumentLibrary: Sendable {
    /// Returns the text of each page of a file; a data file is one page.
    ///
    /// - Throws: ``DocumentLibraryError`` when it has no text.
    func pages(of file: URL, _ kind: DocumentKind) async throws -> [String]
    /// Returns the filed documents that hold all the words, the best first.
    ///
    /// - Throws: ``DocumentLibraryError`` when nothing is filed on this machine, and for words that cannot be searched.
    func find(_ words: String) async throws -> [FoundText]
    /// Returns where documents were filed, by their digests in lower-case hex. A document that was not filed is left out, and one
    /// whose file is gone.
    func places(of digests: Set<String>) async -> [String: URL]
}

/// A filed document in which words were found.
package struct FoundText: Sendable, Hashable {
    /// Of the document as it was delivered, lower-case hex.
    package let sha256: String
    /// The bank's text.
    package let excerpt: String

    package init(sha256: String, excerpt: String) {
        self.sha256 = sha256
        self.excerpt = excerpt
    }
}

/// Why a document cannot be read or found, in a sentence for the agent.
package struct DocumentLibraryError: Error, Sendable, Hashable {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }
}
