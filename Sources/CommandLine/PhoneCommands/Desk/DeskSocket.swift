import Foundation
import Machine
import Phone
import PhoneStore

/// The socket in a phone's folder, at which the program that serves the approval page takes commands of its user.
enum DeskSocket {
    private static let name = "desk.sock"

    /// Listens at the socket, which only this user can reach.
    ///
    /// - Throws: ``PhoneError``. The caller holds the page's lock, so a socket that is there belongs to no program.
    static func listening(in home: PhoneHome) throws(PhoneError) -> Int32 {
        let file = home.folder.appending(path: name)
        unlink(file.path)
        let descriptor = make(in: home) { descriptor, address, size in
            // On Linux the file gets the descriptor's mode; elsewhere no program can connect before the socket listens.
            fchmod(descriptor, 0o600)
            return bind(descriptor, address, size) == 0 && chmod(file.path, 0o600) == 0 && listen(descriptor, 16) == 0
        }
        guard let descriptor else {
            let reason = String(cString: strerror(errno))
            throw PhoneError(
                .homeUnusable, "commands cannot reach the page: \(home.folder.path) takes no socket (\(reason))")
        }
        return descriptor
    }

    /// Connects to the program that serves the page; nil when no such program listens.
    static func connected(in home: PhoneHome) -> Int32? {
        make(in: home) { connect($0, $1, $2) == 0 }
    }

    static func remove(in home: PhoneHome) { unlink(home.folder.appending(path: name).path) }

    /// Makes a socket that goes on if `body` returns true with it and the address of this home's.
    private static func make(
        in home: PhoneHome, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) -> Int32? {
        var place = home.folder
        #if os(Linux)
            // An address has room for 107 bytes, and a home's path may be longer: name the folder by its descriptor.
            let folder = open(home.folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard folder >= 0 else { return nil }
            defer { close(folder) }
            place = URL(filePath: "/proc/self/fd/\(folder)", directoryHint: .isDirectory)
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #endif
        guard descriptor >= 0, var address = try? UnixSocketAddress(place.appending(path: name)),
            address.withAddress({ body(descriptor, $0, $1) })
        else {
            let code = errno
            if descriptor >= 0 { close(descriptor) }
            errno = code
            return nil
        }
        return descriptor
    }
}
