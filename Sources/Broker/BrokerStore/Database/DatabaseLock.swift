import Foundation
import Machine
import Synchronization

/// A lock that keeps a second broker off the database until it is released.
package final class DatabaseLock: Sendable {
    private let descriptor: Mutex<Int32?>
    private static let tries = 50

    init(_ database: URL) throws(StoreError) {
        let path = database.path + ".lock"
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw StoreError(message: "\(FileError("opened", path))")
        }
        // isHeld takes the lock for a moment, and so does a process that is being started: it holds copies of its parent's
        // locks. One failure is not yet another broker.
        var attempts = 0
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            attempts += 1
            if attempts == Self.tries {
                close(file)
                throw StoreError(
                    message: "another broker is running on \(database.path); stop it, or set BROKER_DATABASE_PATH")
            }
            usleep(20_000)
        }
        descriptor = Mutex(file)
    }

    /// Returns whether a broker has the database now.
    package static func isHeld(_ database: URL) -> Bool {
        let file = open(database.path + ".lock", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return flock(file, LOCK_SH | LOCK_NB) != 0
    }

    func release() {
        descriptor.withLock { file in
            if let open = file { close(open) }
            file = nil
        }
    }

    deinit { release() }
}
