import Foundation

package enum FreePort {
    /// A port of 127.0.0.1 that nobody had a moment ago.
    package static func find() throws -> Int {
        let (descriptor, port) = try LoopbackSocket.bound()
        close(descriptor)
        return port
    }
}
