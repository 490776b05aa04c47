import Foundation

/// The system call that failed, and the system's message.
package struct SocketError: Error, CustomStringConvertible {
    package let description: String

    init(_ call: String) { description = "\(call) on loopback: \(String(cString: strerror(errno)))" }
}

/// Descriptors of TCP sockets on 127.0.0.1. The caller closes them.
package enum LoopbackSocket {
    /// - Parameter source: the address of this machine to connect from; nil lets the system choose.
    /// - Throws: ``SocketError`` when no program listens there.
    package static func connected(to port: Int, from source: String? = nil) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if let source {
            var own = address(0)
            own.sin_addr.s_addr = inet_addr(source)
            guard withSocketAddress(&own, { bind(descriptor, $0, $1.pointee) == 0 }) else {
                throw closed(descriptor, after: "bind")
            }
        }
        var address = address(port)
        let isConnected = withSocketAddress(&address) { connect(descriptor, $0, $1.pointee) == 0 }
        guard isConnected else { throw closed(descriptor, after: "connect") }
        return descriptor
    }

    /// - Parameters:
    ///   - port: 0 for one that the system chooses.
    ///   - makesRoom: whether others may listen at this address while connections to this socket are still open.
    /// - Returns: a bound socket, and its port.
    package static func bound(to port: Int = 0, makesRoom: Bool = false) throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var shares: Int32 = makesRoom ? 1 : 0
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &shares, socklen_t(MemoryLayout<Int32>.size))
        var address = address(port)
        let isBound = withSocketAddress(&address) {
            bind(descriptor, $0, $1.pointee) == 0 && getsockname(descriptor, $0, $1) == 0
        }
        guard isBound else { throw closed(descriptor, after: "bind") }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Returns a UDP socket at a port of an address of this machine, which is closed in programs that are started; nil when the
    /// port is taken.
    package static func datagrams(at host: String, _ port: Int) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = address(port)
        address.sin_addr.s_addr = inet_addr(host)
        if withSocketAddress(&address, { bind(descriptor, $0, $1.pointee) == 0 }) { return descriptor }
        close(descriptor)
        return nil
    }

    /// Returns the port at the other end of a connection.
    package static func peerPort(of connection: Int32) -> Int {
        var address = sockaddr_in()
        _ = withSocketAddress(&address) { getpeername(connection, $0, $1) == 0 }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private static func address(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = in_port_t(port).bigEndian
        return address
    }

    private static func withSocketAddress(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Bool
    ) -> Bool {
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
        }
    }

    private static func closed(_ descriptor: Int32, after call: String) -> SocketError {
        defer { close(descriptor) }
        return SocketError(call)
    }
}
