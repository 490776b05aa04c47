import Foundation
import Machine

/// The folder that paperless-ngx watches. A document appears in it whole or not at all.
package struct ConsumeFolder: Sendable {
    private let folder: URL

    package init(_ folder: URL) {
        self.folder = folder
    }

    /// Puts a document into the folder. The same document has the same name each time, so that a repetition after a crash
    /// makes no second file while paperless-ngx has not taken the first.
    ///
    /// - Throws: ``PaperlessError``.
    package func put(_ document: PaperlessUpload) throws(PaperlessError) {
        let name = document.fileName
        // paperless-ngx takes no file with this ending. Only a broker that was killed leaves one.
        let temporary = ".\(name).part"
        unlink(folder.appending(path: temporary).path)
        do {
            // paperless-ngx runs as a user of its own, in the folder's group.
            try AtomicFile.write(
                document.bytes, to: folder.appending(path: name), mode: 0o640, temporaryName: temporary)
        } catch {
            throw PaperlessError(.passing, "PAPERLESS_CONSUME_PATH: \(error)")
        }
    }
}
