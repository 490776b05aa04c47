import Foundation

/// A file that only its owner may read, such as a bank's document. The umask does not matter.
enum OwnersFile {
    /// Takes the rights of others from a file.
    static func close(_ file: URL) throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }
}
