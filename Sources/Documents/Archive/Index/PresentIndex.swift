import Foundation
import Machine
import Synchronization

/// The index of an archive whose folder may go away and come back, as on a disk that is not always mounted.
///
/// A database that stays open would go on in a file that is not the folder's any more. So the file is compared with the one
/// that is open, and that of the folder is opened when it is another one. An archive that had documents is never begun anew
/// here: an empty folder may be the one under which a disk is to be mounted, and another command may have made an index there.
final class PresentIndex: Sendable {
    private struct Opened {
        var index: ArchiveIndex
        /// Nil to open it again at the next use.
        var file: FileNumber?
    }

    /// The identity of a file: the same path may have another file after a while.
    private struct FileNumber: Equatable {
        let device: UInt64
        let number: UInt64

        /// - Returns: nil without a file.
        init?(_ file: URL) {
            var status = stat()
            guard lstat(file.path, &status) == 0 else { return nil }
            (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
        }
    }

    private let root: URL
    private let opened: Mutex<Opened>

    private var file: URL { root.appending(path: DocumentArchive.indexPath) }

    /// Opens the index of an archive. It is made if it is missing.
    ///
    /// - Throws: ``ArchiveError`` with the code `unusable` when the folder or its index cannot be used.
    init(root: URL) throws(ArchiveError) {
        self.root = root
        guard Self.isFolder(root) else {
            throw ArchiveError(
                .unusable,
                FileManager.default.fileExists(atPath: root.path)
                    ? "\(root.path) is not a folder; make it, or name another archive"
                    : "\(root.path) is not there; mount its disk, make it, or name another archive")
        }
        opened = Mutex(try Self.open(root))
    }

    func close() { opened.withLock { $0.index.close() } }

    /// Lets the next use open the index again.
    func open() { opened.withLock { $0.file = nil } }

    /// The index that lies in the folder now. Blocks.
    var index: ArchiveIndex {
        get throws(ArchiveError) {
            try opened.withLock { (opened) throws(ArchiveError) in
                let number = FileNumber(file)
                if let number, number == opened.file { return opened.index }
                guard Self.isFolder(root) else {
                    throw ArchiveError(.away, "the archive's folder \(root.path) is not there; is its disk mounted?")
                }
                let hadDocuments = (try? opened.index.isEmpty) != true
                if number == nil, hadDocuments { throw away }
                // Closed first: SQLite tells its files apart by their numbers, which are unlike on one disk alone.
                opened.index.close()
                opened.file = nil
                let present = try Self.open(root)
                if hadDocuments, (try? present.index.isEmpty) == true, (try? present.index.isRebuilt) != true {
                    present.index.close()
                    throw away
                }
                opened = present
                return opened.index
            }
        }
    }

    private var away: ArchiveError {
        ArchiveError(
            .away,
            "the archive's index is not in \(root.path), though documents were filed there; is its disk mounted? "
                + "To go on with what is there now, run: countersign archive rebuild")
    }

    private static func open(_ root: URL) throws(ArchiveError) -> Opened {
        let file = root.appending(path: DocumentArchive.indexPath)
        do {
            try PrivateFolder.make(file.deletingLastPathComponent())
        } catch {
            throw ArchiveError(.unusable, "\(error)")
        }
        let index = try ArchiveIndex(file)
        return Opened(index: index, file: FileNumber(file))
    }

    private static func isFolder(_ folder: URL) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder) && isFolder.boolValue
    }
}
