import Foundation

/// Removes folders in which others may have made what they liked: links, closed folders, and folders as deep as they want.
///
/// Links are removed, and never followed, also when another program exchanges a folder for a link meanwhile.
package enum FolderRemoval {
    /// The folders that are entered for one removal. A program that goes on making some would keep it busy for ever.
    private static let mostFolders = 100_000

    private typealias Name = [CChar]

    /// Removes a file, a link, or a folder with everything in it. A place that does not exist is left as it is.
    ///
    /// It goes on after an error, so that as little as possible stays.
    package static func remove(_ place: URL) throws(FileError) {
        let path = place.path
        if unlink(path) == 0 || errno == ENOENT { return }
        // macOS says EPERM of a folder.
        guard errno == EISDIR || errno == EPERM else { throw FileError("removed", path) }
        guard let folder = openFolder(AT_FDCWD, path) else { throw FileError("removed", path) }
        let problem = clear(folder)
        close(folder)
        guard rmdir(path) == 0 || errno == ENOENT else {
            throw FileError("removed", path, errno == ENOTEMPTY ? problem ?? errno : errno)
        }
    }

    /// Removes what is in a folder. The folders in its folders are moved to it first, so that no depth needs more descriptors.
    ///
    /// - Returns: the error number of the first thing that stays.
    private static func clear(_ root: Int32) -> Int32? {
        var entered = 0
        while true {
            var problem: Int32?
            var hasMore = false
            for name in names(in: root) {
                if unlinkat(root, name, 0) == 0 || errno == ENOENT { continue }
                let code = errno
                guard code == EISDIR || code == EPERM, entered < mostFolders, let folder = openFolder(root, name) else {
                    problem = problem ?? code
                    continue
                }
                entered += 1
                let inner = flatten(folder, into: root)
                close(folder)
                let isRemoved = unlinkat(root, name, AT_REMOVEDIR) == 0
                if !isRemoved { problem = problem ?? inner.problem ?? errno }
                // The next round removes what was moved here, even if its folder could not be removed.
                hasMore = hasMore || isRemoved || inner.hasMoved
            }
            guard hasMore else { return problem }
        }
    }

    /// Removes the files of a folder, and moves its folders to another one.
    private static func flatten(_ folder: Int32, into root: Int32) -> (problem: Int32?, hasMoved: Bool) {
        var problem: Int32?
        var hasMoved = false
        for name in names(in: folder) where unlinkat(folder, name, 0) != 0 && errno != ENOENT {
            let code = errno
            // A folder that its owner cannot write to cannot be moved elsewhere.
            _ = fchmodat(folder, name, 0o700, AT_SYMLINK_NOFOLLOW)
            let moved = ".removed-\(UInt64.random(in: 0 ... .max))"
            if (code == EISDIR || code == EPERM) && renameat(folder, name, root, moved) == 0 {
                hasMoved = true
            } else {
                problem = problem ?? code
            }
        }
        return (problem, hasMoved)
    }

    /// Opens a folder, and no link, and makes it its owner's to list and to change.
    private static func openFolder(_ parent: Int32, _ name: UnsafePointer<CChar>) -> Int32? {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        var folder = openat(parent, name, flags)
        if folder < 0, errno == EACCES, fchmodat(parent, name, 0o700, AT_SYMLINK_NOFOLLOW) == 0 {
            folder = openat(parent, name, flags)
        }
        guard folder >= 0 else { return nil }
        _ = fchmod(folder, 0o700)
        return folder
    }

    private static func names(in folder: Int32) -> [Name] {
        // Another descriptor with a position of its own, which the stream closes.
        let other = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard other >= 0, let stream = fdopendir(other) else { return [] }
        defer { closedir(stream) }
        var names: [Name] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: field.pointee)) {
                    Array(UnsafeBufferPointer(start: $0, count: strlen($0) + 1))
                }
            }
            if name != [46, 0], name != [46, 46, 0] { names.append(name) }
        }
        return names
    }
}
