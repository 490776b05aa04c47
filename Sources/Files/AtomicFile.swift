import Foundation

/// A failed file operation: its name, its path, and the system's error.
public struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
    public let operation: String
    public let path: String
    public let code: Int32

    public init(_ operation: String, _ path: String, _ code: Int32 = errno) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    /// A file that exists, but must not be used.
    init(unacceptable path: String, _ reason: String) {
        self.init("used", path, EINVAL)
        self.reason = reason
    }

    /// The reason, if it is ours and not the system's.
    private var reason: String?

    public var description: String {
        "\(path) cannot be \(operation): \(reason ?? String(cString: strerror(code)))"
    }
}

/// Files that appear whole or not at all.
public enum AtomicFile {
    /// Writes and syncs a temporary sibling, renames it, and syncs the folder.
    ///
    /// - Parameters:
    ///   - mode: the file's permissions.
    ///   - temporaryName: the sibling's name, by default the file's own plus `.tmp`. It must not exist.
    /// - Throws: ``FileError``. The temporary file is then gone, and the previous file is unchanged.
    public static func write(
        _ data: some Collection<UInt8>, to file: URL, mode: mode_t = 0o600, temporaryName: String? = nil
    ) throws(FileError) {
        let bytes = ContiguousArray(data)
        try replace(file, mode: mode, temporaryName: temporaryName) { descriptor, path throws(FileError) in
            let code = bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
            guard code == 0 else { throw FileError("written", path, code) }
        }
    }

    /// Works like ``write(_:to:mode:temporaryName:)``, but `body` writes the content to the temporary file's descriptor.
    public static func replace(
        _ file: URL, mode: mode_t = 0o600, temporaryName: String? = nil,
        _ body: (_ descriptor: Int32, _ path: String) throws(FileError) -> Void
    ) throws(FileError) {
        let folder = file.deletingLastPathComponent()
        let temporary = folder.appending(path: temporaryName ?? file.lastPathComponent + ".tmp").path
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { throw FileError("made", temporary) }
        do throws(FileError) {
            try fill(descriptor, temporary, body)
            guard rename(temporary, file.path) == 0 else { throw FileError("renamed to its name", temporary) }
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
    public static func synchronise(folder: URL) throws(FileError) {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError("opened", folder.path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw FileError("brought to the disk", folder.path) }
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
