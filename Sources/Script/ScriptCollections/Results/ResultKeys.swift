import Encodings
import Foundation
import Machine
import Secrets

/// The keys that sign an owner's results: one for each script of each collection, so that results of two banks do not show that
/// they are one household's.
package struct ResultKeys: Sendable {
    private let folder: URL
    private static let largest = 1 << 10

    /// - Parameter folder: the collection's, in the phone's folder.
    package init(_ folder: URL) { self.folder = folder.appending(path: "result-keys", directoryHint: .isDirectory) }

    /// Returns the key for a script, and makes it the first time.
    ///
    /// - Parameter digest: the script's, in hex.
    /// - Throws: ``CollectionError`` of kind `storage`.
    package func key(for digest: String) throws(CollectionError) -> MetadataSigner {
        guard Base16.isEncoding(digest, ofBytes: 32) else {
            throw CollectionError(.unsafePath, "\(digest.inLine(limit: 80)) is not a digest")
        }
        let file = folder.appending(path: "\(digest).key")
        do {
            if FileManager.default.fileExists(atPath: file.path) {
                return try MetadataSigner(reading: Secret(bytes: try OpenedFile(file).bytes(atMost: Self.largest)))
            }
            try PrivateFolder.make(folder)
            let new = MetadataSigner(new: .ed25519)
            try new.file.withUnsafeBytes { try AtomicFile.write(Array($0), to: file) }
            return new
        } catch let error as CollectionError {
            throw error
        } catch {
            throw CollectionError(.storage, "\(error)")
        }
    }

    /// Removes the keys, so that later results have others.
    package func forget() { try? FileManager.default.removeItem(at: folder) }
}
