import Foundation
import Phone
import PhoneStore

/// The socket in a phone's folder, at which the program that serves the approval page takes commands of its user.
enum DeskSocket {
    private static let name = "desk.sock"

    /// Listens at the socket, which only this user can reach.
    ///
    /// - Throws: ``PhoneError``. The caller holds the page's lock, so a socket that is there belongs to no program.
    static func listening(in home: PhoneHome) throws(PhoneError) -> Int32 {
        unlink(home.folder.appending(path: name).path)
        let descriptor = try make(in: home) { descriptor, address, size in
            guard bind(descriptor, address, size) == 0 else { return false }
            // The socket takes no connection before it listens.
            return chmod(home.folder.appending(path: name).path, 0o600) == 0 && listen(descriptor, 16) == 0
        }
        guard let descriptor else {
            throw PhoneError(
                .homeUnusable,
                "commands cannot reach the page: \(home.folder.path) takes no socket (\(String(cString: strerror(errno))))"
            )
        }
        return descriptor
    }

    /// Connects to the program that serves the page; nil when no such program listens.
    static func connected(in home: PhoneHome) throws(PhoneError) -> Int32? {
        try make(in: home) { connect($0, $1, $2) == 0 }
    }

    static func remove(in home: PhoneHome) { unlink(home.folder.appending(path: name).path) }

    /// Makes a socket and the address of this home's, and closes the socket if `body` returns false.
    private static func make(
        in home: PhoneHome, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) throws(PhoneError) -> Int32? {
        // The address has room for 107 bytes, and a home's path may be longer: name the folder by its descriptor.
        let folder = open(home.folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return nil }
        defer { close(folder) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array("/proc/self/fd/\(folder)/\(name)".utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let isDone = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard isDone else {
            let code = errno
            close(descriptor)
            errno = code
            return nil
        }
        return descriptor
    }
}
