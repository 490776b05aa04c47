import Foundation
import Machine

/// The broker's Unix socket: a file that only the broker's user can open, in a folder where no other user can put one of
/// theirs in its place.
///
/// A lock beside it says which broker serves it, as beside the sockets of `ProcessSocketServer`.
package struct BrokerSocket: Sendable {
    let served: ServedSocket
    /// The time to wait for another broker that is about to end.
    var patience: Duration = .seconds(10)

    private var file: URL { served.file }

    /// Returns the file whose lock says which broker serves a socket. It stays when the broker ends.
    package static func lock(of socket: ServedSocket) -> URL { socket.file.appendingPathExtension("lock") }

    /// Makes the folder and takes the lock, and removes a socket that a killed broker left.
    ///
    /// - Throws: ``BrokerStartError``, `FileError`.
    func claim() async throws -> FileLock {
        try prepareFolder()
        let lock = try await BlockingWork.run { [served, patience] in
            try FileLock(Self.lock(of: served), patience: patience)
        }
        guard let lock else { throw BrokerStartError(message: "\(ProcessSocketError.alreadyServed(file.path))") }
        guard served.isThere || access(file.path, F_OK) != 0 else {
            throw BrokerStartError(
                message: "\(file.path) is there and is not a socket; move it away, or set BROKER_SOCKET")
        }
        unlink(file.path)
        return lock
    }

    /// Makes the folder, and checks who can change it.
    func prepareFolder() throws {
        let folder = file.deletingLastPathComponent()
        try PrivateFolder.make(folder)
        try check(folder)
    }

    /// Refuses a folder in which another user could replace the socket. A client would send that one nothing, but the broker
    /// could not be reached.
    private func check(_ folder: URL) throws(BrokerStartError) {
        var status = stat()
        guard stat(folder.path, &status) == 0 else {
            throw BrokerStartError(message: "\(folder.path), the folder of BROKER_SOCKET, cannot be looked at")
        }
        guard status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            throw BrokerStartError(
                message:
                    "other users can change \(folder.path), the folder of BROKER_SOCKET; name a folder that is the "
                    + "broker's alone, or run: chmod go-w \(folder.path)")
        }
    }

    /// Closes the socket to other users, once it is there. Before, its connections are refused one by one.
    func close() throws(BrokerStartError) {
        guard chmod(file.path, 0o600) == 0 else {
            throw BrokerStartError(
                message: "\(file.path) cannot be closed to other users: \(String(cString: strerror(errno)))")
        }
    }

    func remove() { unlink(file.path) }

    /// A file's device and number on it, by which one is known from another one at the same path.
    struct Identity: Sendable, Equatable {
        fileprivate let device: UInt64
        fileprivate let number: UInt64
    }

    /// The identity of what lies at the path; nil for nothing.
    var identity: Identity? {
        var status = stat()
        guard lstat(file.path, &status) == 0 else { return nil }
        return Identity(
            device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
    }
}
