import Archive
import Foundation
import KeyVault
import Machine
import Secrets

/// The files of a backup in a folder that only a passphrase opens.
///
///     KEY          the key of the files, which the passphrase opens
///     LIST         the list of the files, sealed
///     parts/1      the first file of the list, sealed
///     SHA256SUMS   the digests of all these, for sha256sum(1), written last
///
/// The folder shows how many files there are, their sizes and their times; names, months and banks are sealed.
struct SealedFolder: Sendable {
    static let keyPurpose = "countersign backup key"
    private static let keyName = "KEY"
    private static let listName = "LIST"
    private static let partsName = "parts"
    /// More than a key needs.
    private static let keyLimit = 4096

    let folder: URL
    private let key: FileSetKey

    /// Makes the key of a new backup, and writes it.
    ///
    /// - Throws: `VaultError` when the passphrase is too short; `FileError`.
    init(new folder: URL, passphrase: Secret, scrypt: ScryptParameters) throws {
        self.folder = folder
        key = FileSetKey()
        let sealed = try key.sealed(as: Self.keyPurpose, passphrase: passphrase, scrypt: scrypt)
        let parts = folder.appending(path: Self.partsName)
        guard mkdir(parts.path, 0o700) == 0 else { throw FileError("made", parts.path) }
        try AtomicFile.write(sealed, toNew: folder.appending(path: Self.keyName))
    }

    /// Opens a backup.
    ///
    /// - Throws: ``BackupError`` when the passphrase is wrong, or the key is missing or was changed.
    init(_ folder: URL, passphrase: Secret) throws(BackupError) {
        self.folder = folder
        do {
            let sealed = try OpenedFile(folder.appending(path: Self.keyName), links: .followed)
                .bytes(atMost: Self.keyLimit)
            key = try FileSetKey(sealed, as: Self.keyPurpose, passphrase: passphrase)
        } catch let error as VaultError where error.code == .wrongPassphrase {
            throw BackupError(
                .wrongPassphrase, "the passphrase is not that of this backup, or its file \(Self.keyName) was changed")
        } catch {
            throw BackupError(
                .damaged, "\(folder.appending(path: Self.keyName).path): \(error); use another copy of the backup")
        }
    }

    private static func name(ofPart number: Int) -> String { "\(partsName)/\(number + 1)" }

    // MARK: Writing

    /// Seals a file into the folder.
    ///
    /// - Parameter number: the file's place in the list, from 0.
    /// - Returns: the digest of the file, not of the sealed one.
    func add(_ source: URL, at number: Int, _ digests: FileDigest) throws(FileError) -> FileDigest.Value {
        var value: FileDigest.Value?
        try seal(Self.name(ofPart: number)) { take throws(FileError) in
            value = try digests.of(source.path, reading: take)
        }
        guard let value else { throw FileError("opened", source.path, ENOENT) }
        return value
    }

    /// Seals a secret into the folder, which is in no file before.
    func add(_ secret: Secret, at number: Int) throws(FileError) -> FileDigest.Value {
        try seal(secret, as: Self.name(ofPart: number))
        return FileDigest.Value(of: secret)
    }

    private func seal(_ content: Secret, as name: String) throws(FileError) {
        try seal(name) { take throws(FileError) in
            try content.withUnsafeBytes { bytes in
                Result { () throws(FileError) in try take(bytes) }
            }.get()
        }
    }

    /// Seals the list, and writes the digests of the sealed files, which make the folder a backup.
    func finish(_ list: BackupList, _ digests: FileDigest) throws(FileError) {
        try seal(Secret(list.text), as: Self.listName)
        var lines: [(sha256: String, path: String)] = []
        for name in [Self.keyName, Self.listName] + list.entries.indices.map(Self.name(ofPart:)) {
            let file = folder.appending(path: name).path
            guard let value = try digests.of(file) else { throw FileError("read", file, ENOENT) }
            lines.append((value.sha256, name))
        }
        try BackupList.write(sealed: lines, in: folder)
    }

    /// Writes a sealed file, whole or not at all.
    ///
    /// - Parameter body: calls its argument with the content, piece by piece.
    private func seal(
        _ name: String,
        _ body: ((UnsafeRawBufferPointer) throws(FileError) -> Void) throws(FileError) -> Void
    ) throws(FileError) {
        var sealer = PieceSealer(key, name: name)
        try AtomicFile.create(folder.appending(path: name)) { descriptor, path throws(FileError) in
            func write(_ sealed: () throws -> [UInt8]) throws(FileError) {
                guard let bytes = try? sealed() else { throw FileError("sealed", path, EINVAL) }
                try bytes.withUnsafeBytes { bytes in
                    Result { () throws(FileError) in try AtomicFile.write(bytes, to: descriptor, path) }
                }.get()
            }
            try body { (chunk) throws(FileError) in try write { try sealer.append(chunk) } }
            try write { try sealer.end() }
        }
    }

    // MARK: Reading

    /// Opens the list.
    ///
    /// - Throws: ``BackupError`` when it is missing, was changed, or comes from a newer version.
    func list() throws(BackupError) -> BackupList {
        try BackupList(String(decoding: bytes(of: Self.listName, atMost: BackupList.limit), as: UTF8.self))
    }

    /// Opens a file of the list, and forgets its content.
    ///
    /// - Throws: ``BackupError`` when it is missing or was changed.
    func check(_ number: Int) throws(BackupError) {
        try open(Self.name(ofPart: number)) { _ in }
    }

    /// Opens a file of the list.
    ///
    /// - Throws: ``BackupError`` when it is missing, was changed, or is larger than `limit` bytes.
    func bytes(ofPart number: Int, atMost limit: Int) throws(BackupError) -> [UInt8] {
        try bytes(of: Self.name(ofPart: number), atMost: limit)
    }

    /// Opens a file of the list into a new file of mode 0600, whole or not at all.
    ///
    /// - Throws: `FileError`, also when the name is taken; ``BackupError`` when it is missing or was changed.
    func copy(_ number: Int, to file: URL) throws {
        var failure: (any Error)?
        do {
            let temporary = ".\(UUID().uuidString.prefix(8)).tmp"
            try AtomicFile.create(file, temporaryName: temporary) { descriptor, path throws(FileError) in
                do {
                    try open(Self.name(ofPart: number)) { piece in
                        try piece.withUnsafeBytes { try AtomicFile.write($0, to: descriptor, path) }
                    }
                } catch {
                    failure = error
                    throw FileError("written", path, EIO)
                }
            }
        } catch {
            throw failure ?? error
        }
    }

    private func bytes(of name: String, atMost limit: Int) throws(BackupError) -> [UInt8] {
        var bytes: [UInt8] = []
        try open(name) { piece in
            guard bytes.count + piece.count <= limit else { throw FileError("read: it is too large", name, EFBIG) }
            bytes += piece
        }
        return bytes
    }

    /// Calls `take` with the content of a sealed file, piece by piece.
    private func open(_ name: String, _ take: ([UInt8]) throws -> Void) throws(BackupError) {
        let file = folder.appending(path: name)
        var opener = PieceOpener(key, name: name)
        do {
            try OpenedFile(file, links: .followed).read { chunk in try take(opener.append(chunk)) }
            try take(opener.end())
        } catch let error as FileError where error.code == ENOENT || error.code == ENOTDIR {
            throw BackupError(.damaged, "\(file.path) is missing; use another copy of the backup")
        } catch is VaultError {
            throw BackupError(
                .damaged, "\(file.path) is not the file that was backed up; use another copy of the backup")
        } catch let error as FileError where error.path != file.path && error.path != name {
            throw BackupError(.unusable, "\(error)")
        } catch {
            throw BackupError(.damaged, "\(error); use another copy of the backup")
        }
    }
}
