import Foundation

package enum FreePort {
    /// Returns a port of 127.0.0.1 that was free a moment ago.
    package static func find() throws -> Int {
        let (descriptor, port) = try LoopbackSocket.bound()
        close(descriptor)
        return port
    }
}
