import Crypto
import Encodings
import Foundation
import Machine
import Secrets

/// Hashes and copies files one after another through one buffer: an archive has many small ones.
package final class FileDigest {
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)

    package init() {}

    deinit { buffer.deallocate() }

    /// The SHA-256 of a file as lower-case hex, and its size in bytes.
    package struct Value: Hashable {
        package let sha256: String
        package let bytes: Int

        init(sha256: String, bytes: Int) {
            self.sha256 = sha256
            self.bytes = bytes
        }

        /// Hashes what is in no file.
        package init(of secret: Secret) {
            self = secret.withUnsafeBytes { bytes in
                var hash = SHA256()
                hash.update(bufferPointer: bytes)
                return Value(sha256: Base16.encode(hash.finalize()), bytes: bytes.count)
            }
        }
    }

    /// Hashes a regular file.
    ///
    /// - Returns: nil when no file has this name.
    /// - Throws: `FileError` when it cannot be read, or is a link or a folder.
    package func of(_ path: String) throws(FileError) -> Value? {
        try of(path) { (_) throws(FileError) in }
    }

    /// Hashes a regular file, and calls `body` with its content piece by piece.
    ///
    /// - Returns: nil when no file has this name.
    /// - Throws: `FileError` when it cannot be read, or is a link or a folder; what `body` throws.
    package func of(
        _ path: String, reading body: (UnsafeRawBufferPointer) throws(FileError) -> Void
    ) throws(FileError) -> Value? {
        guard let descriptor = try opened(path) else { return nil }
        defer { close(descriptor) }
        return try read(descriptor, path, body)
    }

    /// Copies a regular file into a new file of mode 0600, whole or not at all.
    ///
    /// - Returns: the digest of the copied bytes.
    /// - Throws: `FileError` when it cannot be read, or is a link or a folder; when the new name is taken; when a disk
    ///   fails.
    package func copy(_ path: String, to file: URL) throws(FileError) -> Value {
        guard let source = try opened(path) else { throw FileError("opened", path, ENOENT) }
        defer { close(source) }
        var value: Value?
        // A name made of the file's own may be that of another file to copy, or too long.
        let temporary = ".\(UUID().uuidString.prefix(8)).tmp"
        try AtomicFile.create(file, temporaryName: temporary) { target, name throws(FileError) in
            value = try read(source, path) { chunk throws(FileError) in
                try AtomicFile.write(chunk, to: target, name)
            }
        }
        guard let value else { throw FileError("copied", path, EIO) }
        return value
    }

    /// - Returns: nil when no file has this name.
    private func opened(_ path: String) throws(FileError) -> Int32? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw FileError("opened", path)
        }
        return descriptor
    }

    private func read(
        _ descriptor: Int32, _ path: String, _ body: (UnsafeRawBufferPointer) throws(FileError) -> Void
    ) throws(FileError) -> Value {
        var hash = SHA256()
        var bytes = 0
        while true {
            let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileError("read", path) }
            if count == 0 { break }
            let chunk = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            hash.update(bufferPointer: chunk)
            try body(chunk)
            bytes += count
        }
        return Value(sha256: Base16.encode(hash.finalize()), bytes: bytes)
    }
}
