import CLinux
import Foundation

/// An open file of this process, which no program that it starts inherits. It is closed with this object.
final class OwnedFile: Sendable {
    let descriptor: Int32

    /// Takes an open file over. It moves above the three standard ones, whose places may be free: there, a program's own three
    /// would be put over each other.
    private init(_ opened: Int32) {
        guard opened <= 2 else {
            descriptor = opened
            return
        }
        descriptor = fcntl(opened, F_DUPFD_CLOEXEC, 3)
        close(opened)
    }

    convenience init(opening path: String, _ flags: Int32) throws(FileError) {
        let descriptor = open(path, flags | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError("opened", path) }
        self.init(descriptor)
    }

    deinit { close(descriptor) }

    /// Makes a pipe.
    static func pipe() throws(FileError) -> (reading: OwnedFile, writing: OwnedFile) {
        var ends: [Int32] = [-1, -1]
        #if os(Linux)
            let isOpen = pipe2(&ends, O_CLOEXEC) == 0
        #else
            let isOpen = Foundation.pipe(&ends) == 0
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        #endif
        guard isOpen else { throw FileError("opened", "a pipe") }
        return (OwnedFile(ends[0]), OwnedFile(ends[1]))
    }

    /// Waits until a read would not: there are bytes, or the end.
    ///
    /// - Returns: false when the time is over.
    func hasPiece(within limit: Duration) -> Bool {
        var look = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let milliseconds = limit / .milliseconds(1)
        return poll(&look, 1, Int32(milliseconds)) > 0
    }

    /// Waits for bytes and reads them; nil at the end.
    func piece() -> ArraySlice<UInt8>? {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        var count = read(descriptor, &chunk, chunk.count)
        while count < 0, errno == EINTR { count = read(descriptor, &chunk, chunk.count) }
        return count > 0 ? chunk[..<count] : nil
    }
}
