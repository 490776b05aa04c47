import Foundation

/// A path below a folder, from an index or a list that others may have changed. It is followed name by name, so that neither
/// `..` nor a link leads out of the folder, also when another program exchanges a folder for a link meanwhile.
package struct PathBelow: Sendable {
    private let root: URL
    private let folders: [String]
    private let name: String

    /// - Returns: nil for a path that leads elsewhere: an absolute one, and one with an empty name, a hidden name, a NUL, or a name that
    ///   is longer than a file's can be (NAME_MAX).
    package init?(_ path: String, below root: URL) {
        // By bytes: a combining mark after a slash hides it from a comparison of characters.
        let names = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard
            names.allSatisfy({ name in
                name.first.map { $0 != UInt8(ascii: ".") } ?? false && !name.contains(0) && name.count <= 255
            })
        else { return nil }
        var parts = names.map { String(decoding: $0, as: UTF8.self) }
        self.root = root
        name = parts.removeLast()
        folders = parts
    }

    private var path: String { ([root.path] + folders + [name]).joined(separator: "/") }

    /// Calls `body` with a descriptor of the folder in which the file is.
    private func withFolder<Value>(_ body: (Int32) throws(FileError) -> Value) throws(FileError) -> Value {
        // The root itself may be a link: its owner has named it.
        var folder = Foundation.open(root.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw FileError("opened", root.path) }
        defer { close(folder) }
        for name in folders {
            let next = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard next >= 0 else { throw FileError("opened", path) }
            close(folder)
            folder = next
        }
        return try body(folder)
    }

    /// Opens the file.
    ///
    /// - Throws: ``FileError``: `ENOENT` or `ENOTDIR` when it is not there, `ELOOP` or `ENOTDIR` for a link.
    package func opened() throws(FileError) -> OpenedFile {
        try withFolder { folder throws(FileError) in
            let file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard file >= 0 else { throw FileError("opened", path) }
            // Snapshots of a folder give its files several names.
            return try OpenedFile(descriptor: file, path, links: .followed)
        }
    }

    /// Removes the file.
    package func remove() throws(FileError) {
        try withFolder { folder throws(FileError) in
            guard unlinkat(folder, name, 0) == 0 else { throw FileError("removed", path) }
        }
    }
}
