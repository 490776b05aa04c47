import Foundation

/// The address of a Unix socket (unix(7)).
package struct UnixSocketAddress {
    /// The most bytes of a path: `sun_path` ends with a zero byte.
    static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    private var address = sockaddr_un()

    /// - Throws: ``ProcessSocketError/pathTooLong(_:)``.
    package init(_ file: URL) throws(ProcessSocketError) {
        let path = Array(file.path.utf8)
        guard path.count <= Self.longestPath else { throw .pathTooLong(file.path) }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    }

    /// Calls a function of the system that takes an address.
    package mutating func withAddress<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// Makes a stream socket that does not block and that child processes do not inherit.
    static func makeSocket() throws(ProcessSocketError) -> Int32 {
        #if os(Linux)
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw .cannotServe(String(cString: strerror(errno))) }
        makePrivate(descriptor)
        return descriptor
    }

    static func makePrivate(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }
}
