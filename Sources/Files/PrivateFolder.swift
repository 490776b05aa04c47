import Foundation

/// Folders that are one person's own.
public enum PrivateFolder {
    /// Makes the folder, and those above it that are missing, with mode 0700; one that is there stays as it is.
    public static func make(_ folder: URL) throws(FileError) {
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw FileError("made", folder.path, ENOENT)
        }
    }
}
