import Foundation
import Machine
import Storage

extension DocumentArchive {
    /// Copies the index into a new file, then calls `visit` with the path below ``root`` of each file, hidden ones left out.
    /// Nothing is filed meanwhile. Blocks.
    ///
    /// - Throws: `FileError`, `DatabaseError`, and what `visit` throws.
    package func backUp(indexTo file: URL, visiting visit: (String) throws -> Void) throws {
        let lock = try lock()
        defer { withExtendedLifetime(lock) {} }
        let index = root.appending(path: Self.indexPath)
        _ = try DatabaseCopy.write(index, to: file) { _ in }
        try FolderWalk(root: root).visit(file: visit)
    }

    /// The path of the index below the archive's folder.
    package static let indexPath = "\(indexFolder)/index.sqlite"
}
