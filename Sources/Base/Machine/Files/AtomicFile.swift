import Foundation

/// A failed file operation: its name, its path, and the system's error.
package struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
    package let operation: String
    package let path: String
    package let code: Int32

    package init(_ operation: String, _ path: String, _ code: Int32 = errno) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    /// A file that exists, but must not be used.
    init(unacceptable path: String, _ reason: String) {
        self.init("used", path, EINVAL)
        self.reason = reason
    }

    /// A folder of another user, who could change what is in it.
    package init(foreign folder: URL) { self.init("used", folder: folder, EPERM) }

    /// A folder that cannot be made or used, with what is wrong in its path.
    init(_ operation: String, folder: URL, _ code: Int32) {
        self.init(operation, folder.path, code)
        reason = FolderFault.words(of: code, at: folder.path)
    }

    /// The reason, if it is ours and not the system's.
    private var reason: String?

    package var description: String {
        "\(path) cannot be \(operation): \(reason ?? Self.words(of: code))"
    }

    /// Returns the system's words for an error, and the next step of the person whose disk it is, where there is only one.
    package static func words(of code: Int32) -> String { String(cString: strerror(code)) + remedy(for: code) }

    private static func remedy(for code: Int32) -> String {
        switch code {
        case ENOSPC, EDQUOT: "; free some space on its disk, and try again"
        case EROFS: "; its disk can only be read, so mount it for writing, or name another folder"
        case EACCES, EPERM: "; check its owner and its mode"
        default: ""
        }
    }
}

/// Files that appear whole or not at all.
package enum AtomicFile {
    /// Writes and syncs a temporary sibling, renames it, and syncs the folder.
    ///
    /// - Parameters:
    ///   - mode: the file's permissions.
    ///   - temporaryName: the sibling's name, by default the file's own plus `.tmp`. It must not exist.
    /// - Throws: ``FileError``. The temporary file is then gone, and the previous file is unchanged.
    package static func write(
        _ data: some Collection<UInt8>, to file: URL, mode: mode_t = 0o600, temporaryName: String? = nil
    ) throws(FileError) {
        let bytes = ContiguousArray(data)
        try replace(file, mode: mode, temporaryName: temporaryName) { descriptor, path throws(FileError) in
            try check(bytes.withUnsafeBytes { writeAll($0, to: descriptor) }, path)
        }
    }

    /// Works like ``write(_:to:mode:temporaryName:)``, but never replaces a file; see ``create(_:mode:temporaryName:_:)``.
    package static func write(
        _ data: some Collection<UInt8>, toNew file: URL, temporaryName: String? = nil
    ) throws(FileError) {
        let bytes = ContiguousArray(data)
        try create(file, temporaryName: temporaryName) { descriptor, path throws(FileError) in
            try check(bytes.withUnsafeBytes { writeAll($0, to: descriptor) }, path)
        }
    }

    /// Works like ``write(_:to:mode:temporaryName:)``, but `body` writes the content to the temporary file's descriptor.
    package static func replace(
        _ file: URL, mode: mode_t = 0o600, temporaryName: String? = nil,
        _ body: (_ descriptor: Int32, _ path: String) throws(FileError) -> Void
    ) throws(FileError) {
        try write(file, mode, temporaryName, body) { temporary throws(FileError) in
            guard rename(temporary, file.path) == 0 else { throw FileError("renamed to its name", temporary) }
        }
    }

    /// Works like ``replace(_:mode:temporaryName:_:)``, but never replaces a file.
    ///
    /// - Throws: ``FileError``, with the file's path and the code `EEXIST` when the name is taken.
    package static func create(
        _ file: URL, mode: mode_t = 0o600, temporaryName: String? = nil,
        _ body: (_ descriptor: Int32, _ path: String) throws(FileError) -> Void
    ) throws(FileError) {
        try write(file, mode, temporaryName, body) { temporary throws(FileError) in try name(temporary, file.path) }
    }

    /// Gives a file another name in the same folder, if that name is free, and syncs the folder.
    ///
    /// - Throws: ``FileError``, with the path of the new name and the code `EEXIST` when it is taken.
    package static func name(_ file: URL, _ newName: URL) throws(FileError) {
        try name(file.path, newName.path)
        try synchronise(folder: newName.deletingLastPathComponent())
    }

    private static func name(_ temporary: String, _ path: String) throws(FileError) {
        // link(2) fails when the name is taken; rename(2) would replace the file.
        guard link(temporary, path) != 0 else {
            unlink(temporary)
            return
        }
        // FAT and some network shares have no hard links.
        guard [EPERM, ENOTSUP, ENOSYS, EMLINK].contains(errno) else { throw FileError("given its name", path) }
        var status = stat()
        guard lstat(path, &status) != 0 else { throw FileError("given its name", path, EEXIST) }
        guard rename(temporary, path) == 0 else { throw FileError("given its name", path) }
    }

    private static func write(
        _ file: URL, _ mode: mode_t, _ temporaryName: String?, _ body: (Int32, String) throws(FileError) -> Void,
        _ finish: (_ temporary: String) throws(FileError) -> Void
    ) throws(FileError) {
        let folder = file.deletingLastPathComponent()
        let temporary = folder.appending(path: temporaryName ?? file.lastPathComponent + ".tmp").path
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { throw FileError("made", temporary) }
        do throws(FileError) {
            try fill(descriptor, temporary, body)
            try finish(temporary)
        } catch {
            unlink(temporary)
            throw error
        }
        try synchronise(folder: folder)
    }

    /// Writes a file of mode 0600 that only the holder of a lock writes.
    ///
    /// A leftover temporary file belongs to a dead writer, as a living one would hold the lock; it is removed first.
    package static func replaceUnderLock(_ bytes: [UInt8], to file: URL) throws {
        unlink(file.path + ".tmp")
        try write(bytes, to: file)
    }

    private static func fill(
        _ descriptor: Int32, _ path: String, _ body: (Int32, String) throws(FileError) -> Void
    ) throws(FileError) {
        do throws(FileError) {
            try body(descriptor, path)
            guard fsync(descriptor) == 0 else { throw FileError("brought to the disk", path) }
        } catch {
            close(descriptor)
            throw error
        }
        guard close(descriptor) == 0 else { throw FileError("closed", path) }
    }

    /// Syncs a folder's entries to disk.
    package static func synchronise(folder: URL) throws(FileError) {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError("opened", folder.path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw FileError("brought to the disk", folder.path) }
    }

    /// Writes all bytes to a descriptor.
    ///
    /// - Parameter path: the file's name in the error.
    package static func write(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ path: String
    ) throws(FileError) {
        try check(writeAll(bytes, to: descriptor), path)
    }

    private static func check(_ code: Int32, _ path: String) throws(FileError) {
        guard code == 0 else { throw FileError("written", path, code) }
    }

    /// - Returns: 0, or `errno`.
    static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
        var rest = bytes
        while !rest.isEmpty {
            let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
            if count < 0 {
                if errno == EINTR { continue }
                return errno
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return 0
    }
}
