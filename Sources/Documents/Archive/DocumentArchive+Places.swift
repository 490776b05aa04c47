import Crypto
import Encodings
import Foundation
import Machine

/// The files of documents. The index lies in a folder that others may write to, such as a synced one, so what it says of a
/// document's place is compared with the file: the place has to be below the archive, and the content the one that was filed.
extension DocumentArchive {
    /// Opens the file of a document.
    ///
    /// - Returns: nil when it is gone, and when its path leads out of the archive or over a link.
    /// - Throws: `FileError` when the file cannot be read.
    func opened(_ document: ArchivedDocument) throws(FileError) -> OpenedFile? {
        do throws(FileError) {
            return try PathBelow(document.path, below: root)?.opened()
        } catch {
            guard [ENOENT, ENOTDIR, ELOOP].contains(error.code) else { throw error }
            return nil
        }
    }

    /// Opens the file of a document if it has the content that was filed.
    private func unchanged(_ document: ArchivedDocument) throws -> OpenedFile? {
        // Only a page is kept in another form than the bank sent.
        guard document.kind == .html || document.keptSHA256 == document.sha256, let file = try opened(document) else {
            return nil
        }
        let known = hashed.withLock { $0[document.keptSHA256] }
        if known == file.state { return file }
        guard file.size == document.bytes else { return nil }
        var hash = SHA256()
        try file.read { hash.update(bufferPointer: $0) }
        guard Base16.encode(hash.finalize()) == document.keptSHA256 else { return nil }
        hashed.withLock { $0[document.keptSHA256] = file.state }
        return file
    }

    private func place(of document: ArchivedDocument) -> URL { root.appending(path: document.path) }

    /// Returns the files of documents by their digests, lower-case hex. A document that is not in the index is left out, and one
    /// whose file is gone or was changed. The content of a file is read again only after a change.
    package func files(withDigests digests: Set<String>) async throws -> [String: URL] {
        try await BlockingWork.run {
            var files: [String: URL] = [:]
            for digest in digests {
                guard let document = try self.index.document(withDigest: digest),
                    (try? self.unchanged(document)) != nil
                else { continue }
                files[digest] = self.place(of: document)
            }
            return files
        }
    }

    /// Returns the file of a document; nil when it is gone or was changed since it was filed.
    package func unchangedFile(of document: ArchivedDocument) async throws -> URL? {
        try await BlockingWork.run { try self.unchanged(document).map { _ in self.place(of: document) } }
    }

    /// Returns the content of a document as it was filed.
    ///
    /// - Returns: nil when its file is gone or was changed since.
    /// - Throws: `FileError` when it cannot be read, or has more than `limit` bytes.
    package func unchangedContent(of document: ArchivedDocument, atMost limit: Int) async throws -> [UInt8]? {
        try await BlockingWork.run {
            guard let bytes = try self.unchanged(document)?.bytes(atMost: limit),
                Base16.encode(SHA256.hash(data: bytes)) == document.keptSHA256
            else { return nil }
            return bytes
        }
    }
}
