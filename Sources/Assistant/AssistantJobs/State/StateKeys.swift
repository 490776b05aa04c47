import Crypto
import Encodings
import Foundation
import Machine
import Secrets
import Synchronization

/// The service's own keys, all derived from one random key in the state folder. The database does not contain it, so
/// that a copy of the database reveals neither identities nor sealed columns.
package struct StateKeys: Sendable {
    private static let length = 32

    private let root: Secret
    private let derived = DerivedKeys()

    /// Reads the key, and makes it at the first start. Programs that start together get the same key.
    ///
    /// - Throws: `FileError`; ``AssistantStartError`` when others can read the file, or it is not such a key.
    package init(in folder: URL) throws {
        try PrivateFolder.make(folder)
        let file = folder.appending(path: "root.key")
        let lock = try FileLock(folder.appending(path: "root.key.lock"), waits: true)
        defer { withExtendedLifetime(lock) {} }
        if access(file.path, F_OK) != 0 {
            var bytes = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
            defer { bytes.wipe() }
            try AtomicFile.replaceUnderLock(bytes, to: file)
        }
        var status = stat()
        guard lstat(file.path, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw AssistantStartError("\(file.path) can be read by other users; it needs mode 0600 and this owner")
        }
        var bytes = try OpenedFile(file).bytes(atMost: 1024)
        defer { bytes.wipe() }
        guard bytes.count == Self.length else {
            throw AssistantStartError("\(file.path) is not a key of 32 bytes; restore it from the backup")
        }
        root = Secret(bytes: bytes)
    }

    package var accessTokens: SymmetricKey { key("access tokens") }
    package var passkeyChallenges: SymmetricKey { key("passkey challenges") }

    /// Returns the digest by which the database knows an identity, a token or an invitation.
    package func digest(_ text: String, for purpose: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key("digest: \(purpose)")))
    }

    /// Seals a column's value, bound to its row.
    package func seal(_ value: Secret, as binding: String) throws -> [UInt8] {
        let box = try value.withUnsafeBytes {
            try AES.GCM.seal($0, using: key("columns"), authenticating: Array(binding.utf8))
        }
        guard let combined = box.combined else { throw AssistantStartError("a value cannot be sealed") }
        return Array(combined)
    }

    /// Opens a sealed column.
    ///
    /// - Throws: when the value was changed, or belongs to another row.
    package func open(_ sealed: [UInt8], as binding: String) throws -> Secret {
        var plain = try AES.GCM.open(
            AES.GCM.SealedBox(combined: sealed), using: key("columns"), authenticating: Array(binding.utf8))
        defer { plain.resetBytes(in: 0..<plain.count) }
        return Secret(bytes: plain)
    }

    private func key(_ purpose: String) -> SymmetricKey {
        derived.key(for: purpose) {
            root.withUnsafeBytes {
                HKDF<SHA256>.deriveKey(
                    inputKeyMaterial: SymmetricKey(data: $0), info: Data("countersign assistant: \(purpose)".utf8),
                    outputByteCount: 32)
            }
        }
    }
}

/// The keys that were derived so far. A derivation takes longer than the opening of a column, and the purposes are few.
private final class DerivedKeys: Sendable {
    private let keys = Mutex<[String: SymmetricKey]>([:])

    func key(for purpose: String, _ derive: () -> SymmetricKey) -> SymmetricKey {
        if let key = keys.withLock({ $0[purpose] }) { return key }
        let key = derive()
        keys.withLock { $0[purpose] = key }
        return key
    }
}

/// A service that cannot start.
package struct AssistantStartError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
