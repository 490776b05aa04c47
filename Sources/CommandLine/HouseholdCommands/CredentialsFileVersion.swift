import Foundation

/// A file of credentials as it is now. A later start sees by it whether the file has changed since a bank refused what is in
/// it.
///
/// The mark is made of the file's place on the disk, its size and the time of its last change. A digest of the credentials
/// would tell more surely that they are the same, but would stay when the file is gone, and a short PIN can be guessed from it.
struct CredentialsFileVersion: Sendable, Hashable {
    let path: String
    let mark: String

    /// The number of the file system is left out: with some, it changes when the machine starts again.
    ///
    /// - Returns: nil for standard input and a pipe, which give other bytes the next time.
    init?(path: String) {
        var status = stat()
        guard path != "-", stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.path = path
        let changed = status.st_mtim
        mark = "\(status.st_ino)-\(status.st_size)-\(changed.tv_sec)-\(changed.tv_nsec)"
    }
}
