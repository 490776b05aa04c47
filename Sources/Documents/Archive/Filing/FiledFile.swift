import Foundation
import Machine

/// Places files below the archive's folder: whole or not at all, and never over another.
struct FiledFile: Sendable {
    static let temporaryPrefix = ".countersign-"

    let root: URL

    /// Writes a file with mode 0600 and brings it to the disk under a temporary name in the same folder, then gives it its
    /// name.
    ///
    /// - Parameter path: the path below the root; its parts come from ``SafeName``.
    /// - Returns: false when the name is taken.
    /// - Throws: `FileError` when the disk fails, or when a part of the path is a link.
    func place(_ bytes: [UInt8], at path: String) throws(FileError) -> Bool {
        try makeFolders(above: path)
        let target = root.appending(path: path)
        let temporary = "\(Self.temporaryPrefix)\(UUID().uuidString).tmp"
        do throws(FileError) {
            // Where a file system has no hard links, the archive's lock keeps other filers away meanwhile.
            try AtomicFile.write(bytes, toNew: target, temporaryName: temporary)
            return true
        } catch {
            guard error.code == EEXIST, error.path == target.path else { throw error }
            return false
        }
    }

    /// Makes the folders of a path with mode 0700, one by one: a link to elsewhere is not followed.
    private func makeFolders(above path: String) throws(FileError) {
        var folder = root
        for name in path.split(separator: "/").dropLast() {
            let parent = folder
            folder = folder.appending(path: String(name), directoryHint: .isDirectory)
            if mkdir(folder.path, 0o700) == 0 {
                try AtomicFile.synchronise(folder: parent)
                continue
            }
            guard errno == EEXIST else { throw FileError("made", folder.path) }
            var status = stat()
            // Without the slash at its end, which would follow a link.
            let plain = folder.path.hasSuffix("/") ? String(folder.path.dropLast()) : folder.path
            guard lstat(plain, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
                throw FileError("used as a folder", plain, ENOTDIR)
            }
        }
    }
}
