import Foundation
import Terminal

/// Ports on which nothing listens.
enum FreePorts {
    /// Returns one port for each that is preferred: that one if it is free, else another.
    ///
    /// - Throws: ``CommandFailure`` when the machine has no free port.
    static func choose(preferring ports: [Int]) throws -> [Int] {
        try ports.reduce(into: []) { chosen, port in
            // The system may offer the same port again.
            let offers = [port] + Array(repeating: 0, count: 10)
            guard let free = offers.lazy.compactMap(bound).first(where: { !chosen.contains($0) }) else {
                throw CommandFailure("no port of this machine is free: \(String(cString: strerror(errno)))")
            }
            chosen.append(free)
        }
    }

    /// Binds a port and gives it back. Returns its number, or nil when it is taken.
    private static func bound(to port: Int) -> Int? {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { return nil }
        defer { close(socket) }
        // A port whose last connections have just ended is free too, as for the servers.
        var reuses: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &reuses, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(socket, address, length) == 0, getsockname(socket, address, &length) == 0 else { return nil }
                return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    Int(in_port_t(bigEndian: $0.pointee.sin_port))
                }
            }
        }
    }
}
