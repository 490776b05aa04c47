import Crypto
import Encodings
import Foundation
import Machine
import Secrets
import Synchronization

/// The service's own keys, all derived from random keys in the state folder. The database does not contain them, so
/// that a copy of the database reveals neither identities nor sealed columns.
///
/// The file `root.key` has 32 bytes for each version, the oldest first. Columns are sealed under the newest. Digests, access tokens
/// and passkey challenges belong to the first version for ever: the database knows identities by such digests alone.
package struct StateKeys: Sendable {
    private static let length = 32
    /// 1,000 versions are enough for a rotation every week for 19 years.
    package static let mostVersions = 1_000
    private static let fileName = "root.key"

    private let folder: URL
    private let first: Secret
    private let derived = DerivedKeys()
    private let roots: Roots

    /// Reads the keys, and makes the first at the first start. Programs that start together get the same key.
    ///
    /// - Throws: `FileError`; ``AssistantStartError`` when others can read the file, or it is not such a file.
    package init(in folder: URL) throws {
        try PrivateFolder.make(folder)
        self.folder = folder
        let lock = try Self.lock(folder)
        defer { withExtendedLifetime(lock) {} }
        let file = folder.appending(path: Self.fileName)
        if access(file.path, F_OK) != 0 {
            var bytes = Self.newKey()
            defer { bytes.wipe() }
            try AtomicFile.replaceUnderLock(bytes, to: file)
        }
        let versions = try Self.read(file)
        first = versions[0]
        roots = Roots(versions)
    }

    /// Adds a version, under which columns are sealed from now on. Older columns still open, and get the new version when they are
    /// written again. Programs that run already seal under it after their next start, and open such columns before.
    ///
    /// - Returns: the number of the new version.
    /// - Throws: `FileError`; ``AssistantStartError`` without a first version, or after ``mostVersions``.
    package static func rotate(in folder: URL) throws -> Int {
        let file = folder.appending(path: fileName)
        guard access(file.path, F_OK) == 0 else {
            throw AssistantStartError("\(file.path) is missing; the assistant makes it at its first start")
        }
        let lock = try lock(folder)
        defer { withExtendedLifetime(lock) {} }
        let versions = try read(file)
        guard versions.count < mostVersions else {
            throw AssistantStartError("\(file.path) has \(mostVersions) versions, the most that it can have")
        }
        var bytes: [UInt8] = []
        defer { bytes.wipe() }
        // With its whole room at once: a growing array would leave copies behind.
        bytes.reserveCapacity((versions.count + 1) * length)
        for version in versions { version.withUnsafeBytes { bytes.append(contentsOf: $0) } }
        var new = newKey()
        defer { new.wipe() }
        bytes.append(contentsOf: new)
        try AtomicFile.replaceUnderLock(bytes, to: file)
        return versions.count + 1
    }

    /// Returns the lock once it is free.
    private static func lock(_ folder: URL) throws -> FileLock? {
        try FileLock(folder.appending(path: fileName + ".lock"), waits: true)
    }

    private static func newKey() -> [UInt8] { SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) } }

    private static func read(_ file: URL) throws -> [Secret] {
        var status = stat()
        guard lstat(file.path, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw AssistantStartError("\(file.path) can be read by other users; it needs mode 0600 and this owner")
        }
        var bytes = try OpenedFile(file).bytes(atMost: mostVersions * length)
        defer { bytes.wipe() }
        guard !bytes.isEmpty, bytes.count.isMultiple(of: length) else {
            throw AssistantStartError("\(file.path) is not a list of keys of 32 bytes; restore it from the backup")
        }
        return stride(from: 0, to: bytes.count, by: length).map { start in
            var key = Array(bytes[start..<start + length])
            defer { key.wipe() }
            return Secret(bytes: key)
        }
    }

    package var accessTokens: SymmetricKey { key("access tokens") }
    package var passkeyChallenges: SymmetricKey { key("passkey challenges") }

    /// Returns the digest by which the database knows an identity, a token or an invitation.
    package func digest(_ text: String, for purpose: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key("digest: \(purpose)")))
    }

    /// Seals a column's value, bound to its row, under the newest version.
    ///
    /// - Returns: the mark `ck`, the version as two bytes, then nonce, ciphertext and tag. Two bindings
    ///   never share a key: the bound of SP 800-38D on random nonces (2^32 for a key, section 8.3) is one row's alone.
    package func seal(_ value: Secret, as binding: String) throws -> [UInt8] {
        let (version, root) = roots.newest
        let head = Self.head(version)
        let box = try value.withUnsafeBytes {
            try AES.GCM.seal($0, using: Self.columnKey(binding, root), authenticating: head + Array(binding.utf8))
        }
        guard let combined = box.combined else { throw AssistantStartError("a value cannot be sealed") }
        return head + Array(combined)
    }

    /// Opens a sealed column of any version. Those of before there were versions have neither mark nor number, and open too.
    ///
    /// - Throws: when the value was changed, or belongs to another row.
    package func open(_ sealed: [UInt8], as binding: String) throws -> Secret {
        if let version = Self.version(of: sealed), let root = try root(version),
            let plain = try? Self.open(
                sealed.dropFirst(Self.headLength), Self.columnKey(binding, root),
                Array(sealed.prefix(Self.headLength)) + Array(binding.utf8))
        {
            return plain
        }
        return try Self.open(sealed[...], key("columns"), Array(binding.utf8))
    }

    /// Returns the version under which a column is sealed; nil for one of before there were versions.
    package static func version(of sealed: [UInt8]) -> Int? {
        guard sealed.count > headLength, sealed.starts(with: mark) else { return nil }
        return Int(sealed[2]) << 8 | Int(sealed[3])
    }

    private static let mark = Array("ck".utf8)
    private static let headLength = 4

    private static func head(_ version: Int) -> [UInt8] {
        mark + [UInt8(truncatingIfNeeded: version >> 8), UInt8(truncatingIfNeeded: version)]
    }

    private static func open(_ sealed: ArraySlice<UInt8>, _ key: SymmetricKey, _ bound: [UInt8]) throws -> Secret {
        var plain = try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: key, authenticating: bound)
        defer { plain.resetBytes(in: 0..<plain.count) }
        return Secret(bytes: plain)
    }

    /// Returns a version's key. One that was added since this program started is read from the file.
    private func root(_ version: Int) throws -> Secret? {
        if let root = roots[version] { return root }
        guard version <= Self.mostVersions else { return nil }
        roots.learn(try Self.read(folder.appending(path: Self.fileName)))
        return roots[version]
    }

    private static func columnKey(_ binding: String, _ root: Secret) -> SymmetricKey {
        derive("columns: \(binding)", root)
    }

    private func key(_ purpose: String) -> SymmetricKey { derived.key(for: purpose) { Self.derive(purpose, first) } }

    private static func derive(_ purpose: String, _ root: Secret) -> SymmetricKey {
        root.withUnsafeBytes {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: $0), info: Data("countersign assistant: \(purpose)".utf8),
                outputByteCount: 32)
        }
    }
}

/// The versions of the root key: those that this program has read, and the newest at its start, under which it seals.
private final class Roots: Sendable {
    private let versions: Mutex<[Secret]>
    let newest: (version: Int, root: Secret)

    init(_ versions: [Secret]) {
        self.versions = Mutex(versions)
        newest = (versions.count, versions[versions.count - 1])
    }

    subscript(_ version: Int) -> Secret? {
        versions.withLock { version >= 1 && version <= $0.count ? $0[version - 1] : nil }
    }

    func learn(_ versions: [Secret]) {
        self.versions.withLock { if versions.count > $0.count { $0 = versions } }
    }
}

/// The keys that were derived so far, for purposes of which there are few.
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
