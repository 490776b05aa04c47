import Foundation

/// A file that only its owner may read, whatever the umask says: a bank's document.
enum OwnersFile {
    /// Takes the rights of others from a file.
    static func close(_ file: URL) throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }
}
