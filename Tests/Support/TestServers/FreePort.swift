import Foundation

package enum FreePort {
    /// Below the ports that Linux gives to sockets by itself (32768 and above), so that no other test is given a port
    /// between its choice and its use.
    private static let range = 20_000..<32_000

    /// Returns a port of 127.0.0.1 that was free a moment ago.
    package static func find() throws -> Int {
        for _ in 0..<100 {
            guard let (descriptor, port) = try? LoopbackSocket.bound(to: .random(in: range)) else { continue }
            close(descriptor)
            return port
        }
        throw SocketError("bind")
    }
}
