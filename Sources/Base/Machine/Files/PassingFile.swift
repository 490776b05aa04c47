import Foundation

/// A file on its way to the place where it is kept, which nothing looks for after a loss of power.
///
/// It is not brought to the disk: who keeps it syncs its own copy, and waiting for the disk here would be waiting twice.
package enum PassingFile {
    /// Writes a new file of mode 0600.
    ///
    /// - Throws: ``FileError``, with the code `EEXIST` when there is a file. A file that could not be written whole is gone.
    package static func write(_ bytes: [UInt8], to file: URL) throws(FileError) {
        let path = file.path
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileError("made", path) }
        let code = bytes.withUnsafeBytes { AtomicFile.writeAll($0, to: descriptor) }
        let isClosed = close(descriptor) == 0
        guard code == 0, isClosed else {
            let failure = FileError("written", path, code == 0 ? errno : code)
            unlink(path)
            throw failure
        }
    }
}
