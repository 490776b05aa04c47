import Foundation

/// An advisory lock between processes (`flock`), held until the value is released or the process ends.
package final class FileLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock on `file`, creating the file if necessary. The file is never removed: if it were, a third process
    /// could lock a new file with the same name.
    ///
    /// Returns nil when another holder keeps it, and `waits` is false.
    ///
    /// - Parameter patience: the time to try again while another holder has it.
    /// - Throws: ``FileError`` when the file cannot be opened or locked.
    package init?(_ file: URL, waits: Bool = false, patience: Duration = .zero) throws(FileError) {
        let end = ContinuousClock.now + patience
        let opened = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard opened >= 0 else { throw FileError("opened", file.path) }
        while flock(opened, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR { continue }
            if code == EWOULDBLOCK, ContinuousClock.now < end {
                usleep(10_000)
                continue
            }
            close(opened)
            if code == EWOULDBLOCK { return nil }
            throw FileError("locked", file.path, code)
        }
        // Set last: an initialiser that fails with all properties set runs deinit, which would close it again.
        descriptor = opened
    }

    deinit {
        close(descriptor)
    }
}
