import Archive
import Foundation
import Machine
import Secrets

/// The folder of a backup that is being made: sealed under a passphrase, or as it is.
final class BackupFolder {
    private enum Form {
        case plain(Placement)
        case sealed(SealedFolder)
    }

    private let folder: URL
    private let form: Form
    private let digests = FileDigest()
    private var list = BackupList()
    /// The bytes of all files so far, before they were sealed.
    private(set) var bytes = 0

    /// - Parameters:
    ///   - folder: new and empty.
    ///   - protection: the passphrase; nil to seal nothing.
    /// - Throws: `FileError`; `VaultError` when the passphrase is too short.
    init(_ folder: URL, _ protection: BackupProtection?) throws {
        self.folder = folder
        if let protection {
            form = .sealed(
                try SealedFolder(new: folder, passphrase: protection.passphrase, scrypt: protection.scrypt))
        } else {
            form = .plain(Placement())
        }
    }

    /// Copies a file into the backup.
    func add(_ source: URL, as part: BackupPart) throws(FileError) {
        switch form {
        case .plain(let folders):
            let place = folder.appending(path: part.path)
            try folders.makeFolder(place.deletingLastPathComponent())
            enter(part, try digests.copy(source.path, to: place))
        case .sealed(let sealed): enter(part, try sealed.add(source, at: list.entries.count, digests))
        }
    }

    /// Writes a secret into the backup. Of an encrypted one it is never in a file as it is: the sealing secret is kept off a disk
    /// for a thief of that disk.
    func add(_ secret: Secret, as part: BackupPart) throws(FileError) {
        switch form {
        case .plain(let folders):
            let place = folder.appending(path: part.path)
            try folders.makeFolder(place.deletingLastPathComponent())
            try AtomicFile.create(place) { descriptor, path throws(FileError) in
                try secret.withUnsafeBytes { bytes in
                    Result { () throws(FileError) in try AtomicFile.write(bytes, to: descriptor, path) }
                }.get()
            }
            enter(part, FileDigest.Value(of: secret))
        case .sealed(let sealed): enter(part, try sealed.add(secret, at: list.entries.count))
        }
    }

    private func enter(_ part: BackupPart, _ value: FileDigest.Value) {
        list.add(part, value.sha256)
        bytes += value.bytes
    }

    /// Writes the list, which makes the folder a backup.
    func finish() throws(FileError) {
        switch form {
        case .plain: try list.write(in: folder)
        case .sealed(let sealed): try sealed.finish(list, digests)
        }
        try AtomicFile.synchronise(folder: folder)
    }
}
