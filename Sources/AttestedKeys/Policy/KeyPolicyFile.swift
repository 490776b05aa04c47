import Files
import Foundation
import JSON

/// The file with the key policy. It is read before each decision, so that an edit counts at once.
package struct KeyPolicyFile: Sendable {
    private static let limit = 64 << 10

    private let file: URL

    package init(_ file: URL) {
        self.file = file
    }

    /// - Throws: ``KeyPolicyError`` when the file is absent, readable by others, or wrong.
    package func read() throws(KeyPolicyError) -> KeyPolicy {
        var status = stat()
        guard lstat(file.path, &status) == 0 else {
            throw KeyPolicyError("\(file.path) cannot be read: \(String(cString: strerror(errno)))")
        }
        guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw KeyPolicyError(
                "\(file.path) can be changed or read by other users; it needs mode 0600 and this owner")
        }
        let json: JSONValue
        do {
            json = try JSONReader.read(try OpenedFile(file).bytes(atMost: Self.limit))
        } catch {
            throw KeyPolicyError("\(file.path): \(error)")
        }
        return try KeyPolicy(json)
    }

    /// Writes a first policy. A policy that is there stays.
    ///
    /// - Returns: false when there was one.
    /// - Throws: `FileError`.
    package func makeIfAbsent(_ policy: KeyPolicy) throws -> Bool {
        try underLock {
            guard access(file.path, F_OK) != 0 else { return false }
            try replace(policy)
            return true
        }
    }

    /// - Throws: `FileError`.
    package func write(_ policy: KeyPolicy) throws {
        try underLock { try replace(policy) }
    }

    private func replace(_ policy: KeyPolicy) throws {
        try AtomicFile.replaceUnderLock(policy.json.compactBytes() + [UInt8(ascii: "\n")], to: file)
    }

    private func underLock<Value>(_ body: () throws -> Value) throws -> Value {
        guard let lock = try FileLock(file.appendingPathExtension("lock"), waits: true) else {
            throw FileError("locked", file.path, EWOULDBLOCK)
        }
        return try withExtendedLifetime(lock, body)
    }
}
