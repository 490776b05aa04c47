import Foundation

/// A regular file that is opened once and read through one descriptor, so that the file that was checked is the file
/// that is read, even when its name changes meanwhile.
///
/// Symbolic links, folders, devices, FIFOs and files with several hard links are refused: in a folder that others can
/// write to, each is a way to make a reader read something else.
public final class OpenedFile: @unchecked Sendable {
    public let size: Int
    /// The modification time in nanoseconds since 1970.
    public let modified: Int
    private let descriptor: Int32
    private let path: String

    public init(_ file: URL) throws(FileError) {
        path = file.path
        let opened = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else { throw FileError("opened", path) }
        var status = stat()
        guard fstat(opened, &status) == 0 else {
            let error = FileError("examined", path)
            close(opened)
            throw error
        }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else {
            close(opened)
            throw FileError(unacceptable: path, "it is not a regular file with one name")
        }
        size = Int(status.st_size)
        modified = Int(status.st_mtim.tv_sec) * 1_000_000_000 + Int(status.st_mtim.tv_nsec)
        // Set last, as in FileLock.
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// Calls `body` with the content piece by piece, from start to end, in constant memory.
    public func read<Failure>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw FileError("read", path) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 << 10, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw FileError("read", path)
            }
            if count == 0 { return }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Reads the whole content.
    ///
    /// - Throws: ``FileError`` when it has more than `limit` bytes.
    public func bytes(atMost limit: Int) throws -> [UInt8] {
        // The size is known before anything is read. It may still grow.
        guard size <= limit else { throw FileError("read: it is too large", path, EFBIG) }
        var result: [UInt8] = []
        try read { chunk throws(FileError) in
            guard result.count + chunk.count <= limit else { throw FileError("read: it is too large", path, EFBIG) }
            result.append(contentsOf: chunk)
        }
        return result
    }

    /// Copies the content atomically into a new file with mode 0600. Nothing is read or written of a file that is too large.
    ///
    /// - Parameter observe: called with every piece, e.g. to hash the stored bytes.
    public func copy(to file: URL, atMost limit: Int, observing observe: (UnsafeRawBufferPointer) -> Void) throws {
        guard size <= limit else { throw FileError("copied: it is too large", path, EFBIG) }
        try AtomicFile.replace(file) { descriptor, path throws(FileError) in
            var total = 0
            do {
                try read { chunk throws(FileError) in
                    total += chunk.count
                    guard total <= limit else { throw FileError("copied: it is too large", path, EFBIG) }
                    observe(chunk)
                    let code = AtomicFile.writeAll(chunk, to: descriptor)
                    guard code == 0 else { throw FileError("written", path, code) }
                }
            } catch let error as FileError {
                throw error
            } catch {
                throw FileError("copied", path, EIO)
            }
        }
    }
}
