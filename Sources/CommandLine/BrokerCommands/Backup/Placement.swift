import Archive
import Foundation
import Machine

/// Places files where nothing was, and removes them again when a later step fails.
final class Placement {
    private let digests = FileDigest()
    private var files: [URL] = []
    private var folders: [URL] = []

    /// Makes a folder and its missing parents with mode 0700, and brings them to the disk.
    func makeFolder(_ folder: URL) throws(FileError) {
        let folder = folder.standardizedFileURL
        var status = stat()
        if stat(folder.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
        let parent = folder.deletingLastPathComponent()
        try makeFolder(parent)
        guard mkdir(folder.path, 0o700) == 0 else { throw FileError("made", folder.path) }
        folders.append(folder)
        try AtomicFile.synchronise(folder: parent)
    }

    /// Copies a file of a backup.
    ///
    /// - Parameter number: the file's place in the backup's list.
    /// - Throws: `FileError`, also when the place is taken; ``BackupError`` when the file was changed.
    func copy(_ number: Int, of backup: BackupFiles, to place: URL) throws {
        try makeFolder(place.deletingLastPathComponent())
        try backup.copy(number, to: place, digests)
        files.append(place)
    }

    /// Writes a file.
    ///
    /// - Throws: `FileError`, also when the place is taken.
    func write(_ bytes: [UInt8], to place: URL) throws(FileError) {
        try makeFolder(place.deletingLastPathComponent())
        try AtomicFile.write(bytes, toNew: place)
        files.append(place)
    }

    /// Gives a file that lies in the same folder its name.
    ///
    /// - Throws: `FileError`, also when the name is taken.
    func name(_ file: URL, _ place: URL) throws(FileError) {
        try AtomicFile.name(file, place)
        files.append(place)
    }

    /// Removes everything that was placed.
    func undo() {
        for file in files.reversed() { unlink(file.path) }
        for folder in folders.reversed() { rmdir(folder.path) }
        (files, folders) = ([], [])
    }
}

extension BackupError {
    static func changed(_ file: URL) -> BackupError {
        BackupError(
            .damaged,
            "\(file.path) is not the file that was backed up: its SHA-256 differs; use another copy of the backup")
    }
}
