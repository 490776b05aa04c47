import Foundation

/// A connection on which the test chooses every byte.
package final class RawConnection: Sendable {
    private let descriptor: Int32

    /// - Parameter source: the address of this machine to connect from, such as `127.0.0.7`.
    package init(port: Int, from source: String? = nil) throws {
        descriptor = try LoopbackSocket.connected(to: port, from: source)
    }

    deinit { close(descriptor) }

    /// Sends without waiting.
    ///
    /// - Returns: false when the other end has closed, or cannot take the bytes now.
    @discardableResult
    package func write(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) == bytes.count
    }

    /// Returns everything that arrives until the other end closes or the time is over.
    ///
    /// It waits on a new thread. Tasks share few threads, and the server may be in this process and need them.
    package func read(within seconds: Int) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in continuation.resume(returning: readBlocking(within: seconds)) }
        }
    }

    private func readBlocking(within seconds: Int) -> String {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
        return text
    }

    /// Returns whether the other end has closed, without waiting.
    package var isClosed: Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK))
        return count == 0 || (count < 0 && errno != EAGAIN)
    }
}
