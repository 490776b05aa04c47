import Foundation

/// Keeps a second broker off the database for as long as it lives.
final class DatabaseLock: Sendable {
    private let descriptor: Int32

    init(_ database: URL) throws(StoreError) {
        let path = database.path + ".lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StoreError(message: "\(path) cannot be made: \(String(cString: strerror(errno)))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw StoreError(
                message: "another broker is running on \(database.path); stop it, or set BROKER_DATABASE_PATH")
        }
    }

    deinit { close(descriptor) }
}
