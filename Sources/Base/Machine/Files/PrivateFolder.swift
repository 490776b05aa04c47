import Foundation

/// Folders that only their owner can read.
package enum PrivateFolder {
    /// Creates the folder and its missing parents with mode 0700. An existing folder stays unchanged.
    ///
    /// - Throws: ``FileError``, which names the part of the path that is at fault.
    package static func make(_ folder: URL) throws(FileError) {
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            let reason = ((error as? CocoaError)?.underlying as? POSIXError)?.code.rawValue
            throw FileError("made", folder: folder, reason ?? EIO)
        }
    }

    /// Creates the folder as ``make(_:)`` does, and takes other users' rights from one that exists.
    ///
    /// - Throws: ``FileError``, also when this user cannot write in it.
    package static func claim(_ folder: URL) throws(FileError) {
        try make(folder)
        guard chmod(folder.path, 0o700) == 0 else { throw FileError("used", folder: folder, errno) }
        try checkWritable(folder)
    }

    /// Checks that this user can read, write and make files in a folder.
    ///
    /// - Throws: ``FileError`` with what to do.
    package static func checkWritable(_ folder: URL) throws(FileError) {
        guard access(folder.path, R_OK | W_OK | X_OK) == 0 else { throw FileError("used", folder: folder, errno) }
        var status = stat()
        guard stat(folder.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw FileError("used", folder: folder, ENOTDIR)
        }
    }
}
