import Archive
import Foundation
import Machine
import Secrets

/// The files of a backup as a restoration reads them, encrypted or not.
struct BackupFiles: Sendable {
    private enum Form {
        case plain
        case sealed(SealedFolder)
    }

    let folder: URL
    let list: BackupList
    private let form: Form

    /// Opens the list of a backup.
    ///
    /// - Parameter passphrase: nil for a backup that is not encrypted.
    /// - Throws: ``BackupError`` when the folder is not a whole backup, or the passphrase does not open it.
    init(_ folder: URL, passphrase: Secret?) throws(BackupError) {
        self.folder = folder
        guard try BackupList.isSealed(folder) else {
            form = .plain
            list = try BackupList.read(in: folder)
            return
        }
        guard let passphrase else {
            throw BackupError(
                .wrongPassphrase, "\(folder.path) is encrypted; give the passphrase that the backup was made with")
        }
        let sealed = try SealedFolder(folder, passphrase: passphrase)
        form = .sealed(sealed)
        list = try sealed.list()
    }

    func has(_ part: BackupPart) -> Bool { list.entries.contains { $0.part.path == part.path } }

    private func place(of entry: BackupList.Entry) -> URL { folder.appending(path: entry.part.path) }

    /// Compares every file with the list.
    ///
    /// - Throws: ``BackupError`` when a file is missing or was changed; `CancellationError`.
    func check(_ interruption: Interruption) throws {
        let digests = FileDigest()
        for (number, entry) in list.entries.enumerated() {
            try interruption.check()
            guard case .plain = form else {
                if case .sealed(let sealed) = form { try sealed.check(number) }
                continue
            }
            let file = place(of: entry)
            let value: FileDigest.Value?
            do throws(FileError) {
                value = try digests.of(file.path)
            } catch {
                throw BackupError(.damaged, "\(error); use another copy of the backup")
            }
            guard let value else {
                throw BackupError(.damaged, "\(file.path) is missing; use another copy of the backup")
            }
            guard value.sha256 == entry.sha256 else { throw BackupError.changed(file) }
        }
    }

    /// Copies a file of the list into a new file of mode 0600.
    ///
    /// - Throws: `FileError`, also when the name is taken; ``BackupError`` when the file is missing or was changed. Then the new
    ///   file is not there.
    func copy(_ number: Int, to file: URL, _ digests: FileDigest) throws {
        let entry = list.entries[number]
        let value: FileDigest.Value?
        switch form {
        case .plain: value = try digests.copy(place(of: entry).path, to: file)
        case .sealed(let sealed):
            try sealed.copy(number, to: file)
            value = try digests.of(file.path)
        }
        guard value?.sha256 == entry.sha256 else {
            unlink(file.path)
            throw BackupError.changed(place(of: entry))
        }
    }

    /// Returns the content of a small part.
    ///
    /// - Returns: nil when the backup does not have the part.
    /// - Throws: ``BackupError``, `FileError`.
    func bytes(of part: BackupPart, atMost limit: Int) throws -> [UInt8]? {
        guard let number = list.entries.firstIndex(where: { $0.part.path == part.path }) else { return nil }
        switch form {
        case .plain: return try OpenedFile(place(of: list.entries[number])).bytes(atMost: limit)
        case .sealed(let sealed): return try sealed.bytes(ofPart: number, atMost: limit)
        }
    }
}
