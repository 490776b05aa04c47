import FileKinds
import Foundation
import Machine

/// The text of a document, page by page.
package enum DocumentPages {
    /// Reads a file's text: of PDFs by poppler's `pdftotext`, of other kinds by the confined reader, as one
    /// page.
    ///
    /// - Throws: ``ArchiveError`` with the reason why the text is missing.
    package static func read(_ file: URL, _ kind: FileKind) async throws -> [String] {
        try await BlockingWork.run {
            let bytes = try OpenedFile(file).bytes(atMost: FileLimits().size)
            let document = DocumentText.read(file, bytes, kind, ForeignFiles(), with: DocumentText.pageReader)
            if let problem = document.problem { throw ArchiveError(.invalid, problem) }
            guard kind == .pdf else { return [document.text] }
            let pages = document.text.split(separator: "\u{C}", omittingEmptySubsequences: false).map(String.init)
            // A form feed ends the last page, too.
            return pages.count > 1 && pages.last?.isEmpty == true ? pages.dropLast() : pages
        }
    }
}
