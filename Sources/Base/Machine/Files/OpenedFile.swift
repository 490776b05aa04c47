import Foundation

/// A regular file that is opened once and read through one descriptor, so that the file that was checked is the file
/// that is read, even when its name changes meanwhile.
///
/// Folders, devices and FIFOs are refused: opening or reading one could last for ever. So are symbolic links and files with
/// several hard links, unless ``Links/followed``: in a folder that others can write to, each is a way to make a reader read
/// something else.
package final class OpenedFile: @unchecked Sendable {
    /// The treatment of symbolic links and of files with several hard links.
    package enum Links: Sendable, Hashable {
        case refused
        /// For files that their owner may keep in another place, such as a script or a policy in a repository.
        case followed
    }

    /// The content of a file at one moment. The time of the last change (ctime) cannot be set by a program without rights
    /// over the clock.
    package struct State: Sendable, Hashable {
        private let device: UInt64
        private let number: UInt64
        private let size: Int
        /// Nanoseconds since 1970.
        private let changed: Int

        fileprivate init(_ status: stat) {
            (device, number, size) = (UInt64(status.st_dev), UInt64(status.st_ino), Int(status.st_size))
            changed = Int(status.st_ctim.tv_sec) * 1_000_000_000 + Int(status.st_ctim.tv_nsec)
        }
    }

    package let size: Int
    /// True when the file is this user's, and no other user may read or write it.
    package let isPrivate: Bool
    /// The modification time in nanoseconds since 1970.
    package let modified: Int
    /// The content's state: equal as long as no one has written to the file.
    package let state: State
    private let descriptor: Int32
    private let path: String

    package convenience init(_ file: URL, links: Links = .refused) throws(FileError) {
        // O_NONBLOCK: opening a FIFO would wait for a writer.
        let opened = open(file.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | (links == .refused ? O_NOFOLLOW : 0))
        guard opened >= 0 else { throw FileError("opened", file.path) }
        try self.init(descriptor: opened, file.path, links: links)
    }

    /// Takes a descriptor, and closes it.
    init(descriptor opened: Int32, _ path: String, links: Links) throws(FileError) {
        self.path = path
        var status = stat()
        guard fstat(opened, &status) == 0 else {
            let error = FileError("examined", path)
            close(opened)
            throw error
        }
        guard status.st_mode & S_IFMT == S_IFREG, links == .followed || status.st_nlink == 1 else {
            close(opened)
            throw FileError(
                unacceptable: path,
                links == .followed ? "it is not a regular file" : "it is not a regular file with one name")
        }
        size = Int(status.st_size)
        isPrivate = status.st_uid == geteuid() && status.st_mode & 0o077 == 0
        modified = Int(status.st_mtim.tv_sec) * 1_000_000_000 + Int(status.st_mtim.tv_nsec)
        state = State(status)
        // Set last, as in FileLock.
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// Returns whether a path leads to this file, with the content that it had when it was opened. Another file that was renamed
    /// into its place is not this one.
    package func isUnchanged(at file: URL) -> Bool {
        var status = stat()
        return lstat(file.path, &status) == 0 && State(status) == state
    }

    /// Calls `body` with the content piece by piece, from start to end, in constant memory.
    package func read<Failure>(
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
    package func bytes(atMost limit: Int) throws -> [UInt8] {
        // The size is known before anything is read. It may still grow.
        guard size <= limit else { throw FileError("read: it is too large", path, EFBIG) }
        var result: [UInt8] = []
        // Growing step by step would copy a large file several times.
        result.reserveCapacity(size)
        try read { chunk throws(FileError) in
            guard result.count + chunk.count <= limit else { throw FileError("read: it is too large", path, EFBIG) }
            result.append(contentsOf: chunk)
        }
        return result
    }

    /// Reads at most `count` bytes from the start.
    package func start(_ count: Int) throws(FileError) -> [UInt8] { try part(from: 0, count) }

    /// Reads at most `count` bytes up to the end.
    package func end(_ count: Int) throws(FileError) -> [UInt8] { try part(from: max(0, size - count), count) }

    private func part(from place: Int, _ count: Int) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: max(0, min(count, size - place)))
        var filled = 0
        while filled < bytes.count {
            let got = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress.map { $0 + filled }, $0.count - filled, off_t(place + filled))
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw FileError("read", path) }
            // Another program has shortened the file.
            if got == 0 { break }
            filled += got
        }
        return Array(bytes.prefix(filled))
    }

    /// Returns a handle at the file's start, for a program's standard input. It stays open without this object.
    package func input() throws(FileError) -> FileHandle {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0, lseek(copy, 0, SEEK_SET) == 0 else {
            let error = FileError("read", path)
            if copy >= 0 { close(copy) }
            throw error
        }
        return FileHandle(fileDescriptor: copy, closeOnDealloc: true)
    }

    /// Reads a text, and follows links.
    ///
    /// - Returns: nil if the file is missing, is not regular, is larger than `limit` bytes, or is not UTF-8.
    package static func text(of file: URL, atMost limit: Int) -> String? {
        (try? OpenedFile(file, links: .followed).bytes(atMost: limit)).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Copies the content atomically into a new file with mode 0600. Nothing is read or written of a file that is too large.
    ///
    /// - Parameter observe: called with every piece, e.g. to hash the stored bytes.
    package func copy(to file: URL, atMost limit: Int, observing observe: (UnsafeRawBufferPointer) -> Void) throws {
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
