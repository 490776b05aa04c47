import Foundation

/// Descriptors of Unix sockets. The caller closes them.
package enum UnixSocket {
    package static func bound(to file: URL) throws -> Int32 {
        unlink(file.path)
        return try with(file, "bind") { bind($0, $1, $2) }
    }

    /// - Parameter waits: false to be refused where the server's queue is full.
    package static func connected(to file: URL, waits: Bool = true) throws -> Int32 {
        try with(file, "connect") { descriptor, address, length in
            if !waits { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
            return connect(descriptor, address, length)
        }
    }

    private static func with(
        _ file: URL, _ name: String, _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws -> Int32 {
        var address = sockaddr_un()
        guard file.path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            errno = ENAMETOOLONG
            throw SocketError(name)
        }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: file.path.utf8) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            defer { close(descriptor) }
            throw SocketError(name)
        }
        return descriptor
    }
}
