import AttestedKeys
import Crypto
import Foundation
import Machine

/// The key with which the enclave signs its evidence. Only the enclave's user can read it.
struct EvidenceKey: Sendable {
    let key: P256.Signing.PrivateKey

    /// Reads the key, and makes it at the first start. Its public part goes to the place where the key service reads it.
    ///
    /// - Throws: `FileError`; ``EnclaveError`` when others can read the key, or it is not one.
    init(in folder: URL, publicPart: URL) throws {
        try PrivateFolder.make(folder)
        let file = folder.appending(path: "evidence.key")
        let lock = try FileLock(folder.appending(path: "evidence.key.lock"), waits: true)
        defer { withExtendedLifetime(lock) {} }
        if access(file.path, F_OK) != 0 {
            var bytes = Array(P256.Signing.PrivateKey().rawRepresentation)
            defer { bytes.wipe() }
            try AtomicFile.replaceUnderLock(bytes, to: file)
        }
        var status = stat()
        guard lstat(file.path, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw EnclaveError("\(file.path) can be read by other users; it needs mode 0600 and this owner")
        }
        var bytes = try OpenedFile(file).bytes(atMost: 1024)
        defer { bytes.wipe() }
        guard let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes) else {
            throw EnclaveError("\(file.path) is not a signing key; remove it, and start the enclave again")
        }
        self.key = key
        let text = Array("\(key.publicKey.pemRepresentation)\n".utf8)
        if (try? PinnedKeyFile.published(in: publicPart)) != text { try PinnedKeyFile.publish(text, to: publicPart) }
    }
}

/// An enclave that cannot start.
package struct EnclaveError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
