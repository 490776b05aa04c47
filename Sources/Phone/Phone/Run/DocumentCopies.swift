import Crypto
import Encodings
import Foundation
import KeyVault
import Machine
import Messages
import PhoneStore
import Secrets

/// The phone's own encrypted copies of the documents that it delivered, for a person who wants to open them here.
///
/// Each is encrypted under a key that only the open vault gives, and bound to its name. A copy is shown only if it is the
/// very document that was delivered: its digest stands in the phone's database.
package struct DocumentCopies: Sendable {
    static let entry = "home/document-key"
    /// The key that replaces ``entry`` once every copy is encrypted under it.
    static let nextEntry = "home/next-document-key"
    private static let ending = ".sealed"
    /// The largest document that is kept, in bytes.
    static let largest = 64 << 20

    private let folder: URL
    private let store: PhoneDatabase
    /// The present key first. An interrupted change of keys leaves a second one. Each copy names the version of its key.
    private let keys: [VersionedKey]

    /// Takes the key from the vault, or makes one.
    package init(of home: PhoneHome, store: PhoneDatabase, in secrets: VaultSecretStore) async throws {
        folder = home.documents
        self.store = store
        let next = try await secrets.secret(named: Self.nextEntry)
        if let stored = try await secrets.secret(named: Self.entry) {
            let key = try VersionedKey(stored, unversioned: 1)
            keys = [key] + (try next.map { [try VersionedKey($0, unversioned: key.version + 1)] } ?? [])
        } else {
            let key = VersionedKey(version: 1)
            try await secrets.store(key.stored, named: Self.entry)
            keys = [key]
        }
    }

    // MARK: Keeping and opening

    /// Encrypts a document that is about to be delivered.
    func keep(_ file: URL, as name: String, of request: RequestID) throws {
        let bytes = try OpenedFile(file).bytes(atMost: Self.largest)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try write(bytes, Self.fileName(name, request), under: keys[0])
    }

    /// Returns a document's bytes; nil when no copy is kept.
    ///
    /// - Throws: ``PhoneError`` for a copy that this vault's key does not open, or that is not the delivered document.
    package func bytes(of document: ReceivedDocument) throws(PhoneError) -> [UInt8]? {
        let name = Self.fileName(document.name, document.requestID)
        let file = folder.appending(path: name)
        guard document.isKept, FileManager.default.fileExists(atPath: file.path) else { return nil }
        guard let opened = try? open(file, name) else {
            throw PhoneError(.storeDamaged, "\(file.path) cannot be decrypted: it was changed, or is another vault's")
        }
        defer { opened.wipe() }
        let bytes = opened.withUnsafeBytes { Array($0) }
        guard Base16.encode(SHA256.hash(data: bytes)) == document.sha256 else {
            throw PhoneError(.fileChanged, "\(file.path) is not the document that was delivered; ask for it again")
        }
        return bytes
    }

    /// Deletes all copies.
    package static func deleteAll(of home: PhoneHome, store: PhoneDatabase) async throws {
        try await store.forgetCopies()
        for file in files(in: home.documents) { unlink(file.path) }
    }

    // MARK: Keys

    /// Encrypts every copy under a new key, because an old copy of the vault has the old one.
    ///
    /// A phone that stops in the middle has both keys in its vault, and goes on at the next change.
    static func changeKey(of home: PhoneHome, store: PhoneDatabase, in secrets: VaultSecretStore) async throws {
        guard let stored = try await secrets.secret(named: entry) else { return }
        if try await !secrets.holds(nextEntry) {
            let present = try VersionedKey(stored, unversioned: 1)
            try await secrets.store(VersionedKey(version: present.version + 1).stored, named: nextEntry)
        }
        let copies = try await DocumentCopies(of: home, store: store, in: secrets)
        guard let next = copies.keys.last else { return }
        for file in files(in: home.documents) where file.lastPathComponent.hasSuffix(ending) {
            let name = file.lastPathComponent
            // A copy that neither key opens stays as it is, and is refused when the owner opens it.
            guard let opened = try? copies.open(file, name) else { continue }
            defer { opened.wipe() }
            try copies.write(opened.withUnsafeBytes { Array($0) }, name, under: next)
        }
        try await secrets.store([entry: next.stored], removing: [nextEntry])
    }

    private func open(_ file: URL, _ name: String) throws -> Secret {
        let sealed = try OpenedFile(file).bytes(atMost: Self.largest + 1024)
        var failure: (any Error)?
        for key in keys {
            do {
                return try key.open(sealed, binding: name)
            } catch {
                failure = error
            }
        }
        throw failure ?? CryptoKitError.authenticationFailure
    }

    private func write(_ bytes: [UInt8], _ name: String, under key: VersionedKey) throws {
        let sealed = try key.seal(bytes, binding: name)
        try AtomicFile.replaceUnderLock(sealed, to: folder.appending(path: name))
    }

    private static func fileName(_ name: String, _ request: RequestID) -> String { "\(request)-\(name)\(ending)" }

    private static func files(in folder: URL) -> [URL] {
        (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    }
}
