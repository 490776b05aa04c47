import Foundation
import Machine

/// The metadata that was trusted last, in a folder that only its owner reads.
package struct MetadataFolder: Sendable {
    private let folder: URL

    /// The most bytes of a file that is read back.
    private static let largest = 256 << 20

    /// - Throws: ``CollectionError`` of kind `storage`.
    package init(_ folder: URL) throws(CollectionError) {
        self.folder = folder
        do {
            try PrivateFolder.make(folder)
        } catch {
            throw CollectionError(.storage, "\(error)")
        }
    }

    /// Returns a role's file; nil before the first one.
    func read(_ role: String) -> [UInt8]? {
        try? OpenedFile(file(role)).bytes(atMost: Self.largest)
    }

    func write(_ role: String, _ bytes: [UInt8]) throws(CollectionError) {
        do {
            try AtomicFile.replaceUnderLock(bytes, to: file(role))
        } catch {
            throw CollectionError(.storage, "\(error)")
        }
    }

    func remove(_ role: String) { try? FileManager.default.removeItem(at: file(role)) }

    private func file(_ role: String) -> URL { folder.appending(path: "\(role).json") }
}
