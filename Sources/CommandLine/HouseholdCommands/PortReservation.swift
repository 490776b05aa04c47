import Foundation
import Synchronization
import Terminal

/// Ports of a household that starts, kept from other households until its parts listen.
///
/// A TCP port cannot be kept for another program: while it is bound here, that program could not bind it. So each is kept
/// by the UDP port of the same number, which none of our programs uses. The system gives it to one process alone, and takes it back
/// when that ends, however it ends.
final class PortReservation: Sendable {
    private let kept = Mutex<[Int: Int32]>([:])

    deinit {
        kept.withLock { for socket in $0.values { close(socket) } }
    }

    /// Returns one port for each that is preferred, and keeps it: that one if it is free, else another.
    ///
    /// - Parameter others: what is tried next, each with one port for each that is preferred.
    /// - Throws: ``CommandFailure`` when the machine has no free port.
    func choose(preferring ports: [Int], else others: [[Int]] = []) throws -> [Int] {
        try ports.indices.map { index in
            // The system may offer a port that is kept.
            for offer in [ports[index]] + others.map({ $0[index] }) + Array(repeating: 0, count: 20) {
                if let free = Self.free(offer), keep(free) { return free }
            }
            throw CommandFailure("no port of this machine is free: \(String(cString: strerror(errno)))")
        }
    }

    /// Keeps the ports of a household that is known. One that another household keeps is left to it.
    func keep(_ ports: [Int]) {
        for port in ports { _ = keep(port) }
    }

    /// - Returns: false for a port that is kept already.
    private func keep(_ port: Int) -> Bool {
        kept.withLock { kept in
            guard kept[port] == nil, let socket = Self.bound(to: port, SOCK_DGRAM)?.socket else { return false }
            kept[port] = socket
            return true
        }
    }

    /// Returns a port at which nothing listens: the one that is given, or for 0 any; nil when it is taken.
    private static func free(_ port: Int) -> Int? {
        guard let (socket, port) = bound(to: port, SOCK_STREAM) else { return nil }
        close(socket)
        return port
    }

    private static func bound(to port: Int, _ kind: __socket_type) -> (socket: Int32, port: Int)? {
        let socket = socket(AF_INET, Int32(kind.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return nil }
        if kind == SOCK_STREAM {
            // A port whose last connections have just ended is free too, as for the servers.
            var reuses: Int32 = 1
            setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &reuses, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, length) == 0 && getsockname(socket, address, &length) == 0
            }
        }
        guard bound else {
            close(socket)
            return nil
        }
        return (socket, Int(in_port_t(bigEndian: address.sin_port)))
    }
}

extension HouseholdFile {
    /// The ports at which the parts of this machine listen.
    var ports: [Int] {
        let mock = phone?.mockBank.flatMap { $0.split(separator: ":").last.flatMap { Int($0) } }
        return [broker?.port, phone?.pagePort, mock].compactMap(\.self)
    }
}
