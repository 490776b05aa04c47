import Foundation
import Synchronization

/// A listening socket.
package final class LoopbackListener: Sendable {
    private let socket: Int32
    private let isOpen = Mutex(true)

    /// - Parameter socket: bound already. ``accept(_:)`` begins to use it, and closes it at the end.
    package init(_ socket: Int32) throws {
        self.socket = socket
        guard listen(socket, 128) == 0 else {
            defer { close(socket) }
            throw SocketError("listen")
        }
    }

    /// Accepts connections until the listener is stopped.
    ///
    /// - Parameter serve: called with each connection, on a thread of its own; closes the connection.
    package func accept(_ serve: @escaping @Sendable (Int32) -> Void) {
        Thread.detachNewThread { [self] in
            while case let connection = Foundation.accept(socket, nil, nil), connection >= 0 {
                Thread.detachNewThread { serve(connection) }
            }
            // Here, because once it is closed another server may have its number, and this thread would take its calls.
            isOpen.withLock { isOpen in
                close(socket)
                isOpen = false
            }
        }
    }

    /// Refuses new connections from now on.
    package func stop() { isOpen.withLock { if $0 { shutdown(socket, Int32(SHUT_RDWR)) } } }
}
