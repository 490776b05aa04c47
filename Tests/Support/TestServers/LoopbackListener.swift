import Foundation
import Synchronization

/// A listening socket and its connections.
package final class LoopbackListener: Sendable {
    private struct State {
        var isOpen = true
        var connections: Set<Int32> = []
    }

    private let socket: Int32
    private let state = Mutex(State())

    /// - Parameter socket: a bound socket. The listener owns it from now on.
    package init(_ socket: Int32) throws {
        self.socket = socket
        guard listen(socket, 128) == 0 else {
            defer { close(socket) }
            throw SocketError("listen")
        }
    }

    /// Accepts connections until the listener is stopped. Call it once.
    ///
    /// - Parameter serve: serves one connection, on a thread of its own. The listener closes the connection afterwards.
    package func accept(_ serve: @escaping @Sendable (Int32) -> Void) {
        Thread.detachNewThread { [self] in
            while let connection = next() {
                Thread.detachNewThread { [self] in
                    serve(connection)
                    state.withLock { state in
                        state.connections.remove(connection)
                        close(connection)
                    }
                }
            }
            // Not in `stop()`: a closed descriptor's number can go to another server, whose calls this thread would take.
            state.withLock { state in
                close(socket)
                state.isOpen = false
            }
        }
    }

    private func next() -> Int32? {
        while true {
            let connection = Foundation.accept(socket, nil, nil)
            guard connection < 0 else {
                state.withLock { _ = $0.connections.insert(connection) }
                return connection
            }
            guard [EINTR, ECONNABORTED, EMFILE, ENFILE].contains(errno) else { return nil }
            usleep(10_000)
        }
    }

    /// Refuses new connections from now on.
    package func stop() { state.withLock { if $0.isOpen { shutdown(socket, Int32(SHUT_RDWR)) } } }

    /// Ends the connections that are open now.
    package func endConnections() {
        state.withLock { state in
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }
}
