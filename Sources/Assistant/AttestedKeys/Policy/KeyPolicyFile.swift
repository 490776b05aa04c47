import Encodings
import Foundation
import Machine

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
        let lock = try lock()
        guard access(file.path, F_OK) != 0 else { return false }
        try lock.write(policy)
        return true
    }

    /// Writes another policy. To change what the present one says, hold ``lock()`` while you read and write.
    ///
    /// - Throws: `FileError`.
    package func write(_ policy: KeyPolicy) throws { try lock().write(policy) }

    /// Waits until no other process or task changes the policy, and keeps them from it until the lock is released. Blocks.
    ///
    /// - Throws: `FileError`.
    package func lock() throws -> KeyPolicyLock {
        guard let lock = try FileLock(file.appendingPathExtension("lock"), waits: true) else {
            throw FileError("locked", file.path, EWOULDBLOCK)
        }
        return KeyPolicyLock(file: file, lock: lock)
    }
}

/// The right to change the policy, for one holder at a time. The programs of this project keep to it; an editor does not.
package struct KeyPolicyLock: Sendable {
    fileprivate let file: URL
    fileprivate let lock: FileLock

    /// - Throws: `FileError`.
    package func write(_ policy: KeyPolicy) throws {
        try AtomicFile.replaceUnderLock(policy.json.compactBytes() + [UInt8(ascii: "\n")], to: file)
    }
}
