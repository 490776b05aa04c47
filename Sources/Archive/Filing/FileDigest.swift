import Crypto
import Encodings
import Files
import Foundation

/// Hashes files one after another through one buffer: an archive has many small ones.
final class FileDigest {
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)

    deinit { buffer.deallocate() }

    /// The SHA-256 of a file as lower-case hex, and its size in bytes.
    struct Value: Hashable {
        let sha256: String
        let bytes: Int
    }

    /// Hashes a regular file.
    ///
    /// - Returns: nil when no file has this name.
    /// - Throws: `FileError` when it cannot be read, or is a link or a folder.
    func of(_ path: String) throws(FileError) -> Value? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw FileError("opened", path)
        }
        defer { close(descriptor) }
        var hash = SHA256()
        var bytes = 0
        while true {
            let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileError("read", path) }
            if count == 0 { break }
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            bytes += count
        }
        return Value(sha256: Base16.encode(hash.finalize()), bytes: bytes)
    }
}
