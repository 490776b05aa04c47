import Encodings
import Foundation
import Machine

/// The list of a backup's files with their SHA-256 digests. It is written last, so that a folder without it is not a backup.
///
/// The format is that of sha256sum(1), whose `--check` reads it too, with a comment as the first line:
///
///     # countersign broker backup, version 1, 2 files
///     9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  broker.sqlite
///     60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752  sealing.secret
///
/// In an encrypted backup this list is sealed, and names the files by their number; the folder's `SHA256SUMS` has version 2 and the
/// digests of the sealed files. See ``SealedFolder``.
package struct BackupList: Sendable {
    static let fileName = "SHA256SUMS"
    private static let version = 1
    private static let sealedVersion = 2
    /// 64 MB: half a million documents.
    static let limit = 64 << 20

    package struct Entry: Sendable {
        package let part: BackupPart
        /// Lower-case hex.
        package let sha256: String
    }

    package private(set) var entries: [Entry] = []

    package init() {}

    mutating func add(_ part: BackupPart, _ sha256: String) {
        entries.append(Entry(part: part, sha256: sha256))
    }

    // MARK: Writing

    package var text: String {
        Self.text(Self.version, entries.map { ($0.sha256, $0.part.path) })
    }

    private static func text(_ version: Int, _ lines: [(sha256: String, path: String)]) -> String {
        "# countersign broker backup, version \(version), \(lines.count) files\n"
            + lines.map { "\($0.sha256)  \($0.path)\n" }.joined()
    }

    /// Writes the digests of an encrypted backup's files.
    static func write(sealed lines: [(sha256: String, path: String)], in folder: URL) throws(FileError) {
        try AtomicFile.write(text(sealedVersion, lines).utf8, toNew: folder.appending(path: fileName))
    }

    func write(in folder: URL) throws(FileError) {
        try AtomicFile.write(text.utf8, toNew: folder.appending(path: Self.fileName))
    }

    // MARK: Reading

    /// Returns whether a backup is encrypted.
    ///
    /// - Throws: ``BackupError`` when the folder has no list, or a newer version has written it.
    package static func isSealed(_ folder: URL) throws(BackupError) -> Bool {
        let text = String(decoding: try bytes(in: folder), as: UTF8.self)
        return try head(text.prefix { $0 != "\n" })?.version == sealedVersion
    }

    /// Reads the list of a backup that is not encrypted.
    ///
    /// - Throws: ``BackupError`` when the folder has no list, a newer version has written it, or a line of it is not one that
    ///   a backup has.
    static func read(in folder: URL) throws(BackupError) -> BackupList {
        try BackupList(String(decoding: bytes(in: folder), as: UTF8.self))
    }

    private static func bytes(in folder: URL) throws(BackupError) -> [UInt8] {
        let file = folder.appending(path: fileName)
        do {
            return try OpenedFile(file).bytes(atMost: limit)
        } catch let error as FileError where error.code == ENOENT || error.code == ENOTDIR {
            guard FileManager.default.fileExists(atPath: folder.path) else {
                throw BackupError(
                    .damaged, "\(folder.path) does not exist; name the folder that countersign broker backup has made")
            }
            throw BackupError(
                .damaged,
                "\(folder.path) is not a backup: it has no list \(fileName), which a backup gets at its end; name another "
                    + "folder, or, if it is one that was interrupted, make a new one")
        } catch {
            throw BackupError(.damaged, "\(error)")
        }
    }

    /// Reads the first line.
    ///
    /// - Returns: nil for another line.
    /// - Throws: ``BackupError`` when a newer version has written it.
    private static func head(_ line: Substring) throws(BackupError) -> (version: Int, files: Int)? {
        guard
            let match = line.wholeMatch(
                of: /# countersign broker backup, version ([1-9][0-9]{0,5}), ([1-9][0-9]{0,8}) files/),
            let version = Int(match.1), let files = Int(match.2)
        else { return nil }
        guard version <= sealedVersion else {
            throw BackupError(
                .newer, "the backup was made by a newer version of countersign; restore it with that version")
        }
        return (version, files)
    }

    package init(_ text: String) throws(BackupError) {
        func damaged(_ line: Int, _ problem: String) -> BackupError {
            BackupError(.damaged, "\(Self.fileName), line \(line): \(problem); use another copy of the backup")
        }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.popLast() == "", let head = try lines.first.flatMap(Self.head), head.version == Self.version
        else { throw damaged(1, "this is not the list of a whole backup") }
        guard head.files == lines.count - 1 else {
            throw damaged(lines.count, "the list names \(lines.count - 1) files, and should name \(head.files)")
        }
        var seen: Set<[UInt8]> = []
        for (number, line) in zip(2..., lines.dropFirst()) {
            let bytes = Array(line.utf8)
            guard bytes.count > 66, bytes[64...65].elementsEqual("  ".utf8),
                Base16.isEncoding(line.prefix(64), ofBytes: 32)
            else { throw damaged(number, "a SHA-256 and a name should be here") }
            let path = String(decoding: bytes[66...], as: UTF8.self)
            guard let part = BackupPart(path: path) else {
                throw damaged(number, "a backup has no file of this name")
            }
            guard seen.insert(Array(path.utf8)).inserted else {
                throw damaged(number, "the file is named a second time")
            }
            add(part, String(line.prefix(64)))
        }
        guard seen.contains(Array(BackupPart.database.path.utf8)) else {
            throw damaged(lines.count, "the database should be named")
        }
        guard seen.contains(Array(BackupPart.sealingSecret.path.utf8)) || seen.count == 1 else {
            throw damaged(lines.count, "the sealing secret should be named")
        }
    }
}
