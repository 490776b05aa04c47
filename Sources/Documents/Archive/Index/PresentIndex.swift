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
        /// Nil until the index of an archive that was away is there.
        var index: ArchiveIndex?
        /// Nil to open it again at the next use.
        var file: FileNumber?

        /// True unless the index was seen without a document.
        var hadDocuments: Bool { index.map { (try? $0.isEmpty) != true } ?? true }
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
    /// - Parameter hadDocuments: an earlier process has filed documents there. Then nothing is made, and the index is opened at
    ///   its first use: its disk may not be mounted yet.
    /// - Throws: ``ArchiveError`` with the code `unusable` when the folder or its index cannot be used.
    init(root: URL, hadDocuments: Bool) throws(ArchiveError) {
        self.root = root
        guard !hadDocuments else {
            opened = Mutex(Opened())
            return
        }
        guard Self.isFolder(root) else {
            throw ArchiveError(
                .unusable,
                FileManager.default.fileExists(atPath: root.path)
                    ? "\(root.path) is a file, and an archive is a folder; name the one in which the documents are filed"
                    : "\(root.path) is not there; mount its disk, make it, or name another archive")
        }
        let index = try Self.open(root)
        opened = Mutex(Opened(index: index, file: FileNumber(root.appending(path: DocumentArchive.indexPath))))
    }

    func close() { opened.withLock { $0.index?.close() } }

    /// Lets the next use open the index again.
    func open() { opened.withLock { $0.file = nil } }

    /// The index that lies in the folder now. Blocks.
    var index: ArchiveIndex {
        get throws(ArchiveError) {
            try opened.withLock { (opened) throws(ArchiveError) in
                let number = FileNumber(file)
                if let number, number == opened.file, let index = opened.index { return index }
                guard Self.isFolder(root) else {
                    throw ArchiveError(.away, "the archive's folder \(root.path) is not there; is its disk mounted?")
                }
                let hadDocuments = opened.hadDocuments
                if number == nil, hadDocuments { throw away }
                // Closed first: SQLite tells its files apart by their numbers, which are unlike on one disk alone.
                opened.index?.close()
                opened.file = nil
                let present = try Self.open(root)
                if hadDocuments, (try? present.isEmpty) == true, (try? present.isRebuilt) != true {
                    present.close()
                    throw away
                }
                opened = Opened(index: present, file: FileNumber(file))
                return present
            }
        }
    }

    private var away: ArchiveError {
        ArchiveError(
            .away,
            "the archive's index is not in \(root.path), though documents were filed there; is its disk mounted? "
                + "To go on with what is there now, run: countersign archive rebuild")
    }

    private static func open(_ root: URL) throws(ArchiveError) -> ArchiveIndex {
        let file = root.appending(path: DocumentArchive.indexPath)
        do {
            try PrivateFolder.make(file.deletingLastPathComponent())
        } catch {
            throw ArchiveError(.unusable, "\(error)")
        }
        return try ArchiveIndex(file)
    }

    private static func isFolder(_ folder: URL) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder) && isFolder.boolValue
    }
}
