import Foundation
import Synchronization

/// Passes connections on to a server, until the test cuts them: the calling process, or the one that answers, dies then.
package final class CuttingRelay: Sendable {
    package enum Cut: Sendable, CaseIterable {
        /// No byte of the call reaches the server.
        case before
        /// The server answers the call, and no byte of its answer comes back.
        case after
    }

    private enum State {
        case passing
        case cutting(Cut)
        case cut
    }

    private let listener: Int32
    private let connect: @Sendable () throws -> Int32
    private let state = Mutex(State.passing)

    /// Relays from a free TCP port, ``port``, to another one.
    package static func tcp(to target: Int) throws -> (relay: CuttingRelay, port: Int) {
        let (listener, port) = try LoopbackSocket.bound()
        return (try CuttingRelay(listener) { try LoopbackSocket.connected(to: target) }, port)
    }

    /// Relays from one Unix socket, which it makes, to another one.
    package static func unix(at file: URL, to target: URL) throws -> CuttingRelay {
        try CuttingRelay(UnixSocket.bound(to: file)) { try UnixSocket.connected(to: target) }
    }

    private init(_ listener: Int32, _ connect: @escaping @Sendable () throws -> Int32) throws {
        self.listener = listener
        self.connect = connect
        guard listen(listener, 16) == 0 else { throw SocketError("listen") }
        Thread.detachNewThread { [self] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                Thread.detachNewThread { [self] in relay(client) }
            }
            close(listener)
        }
    }

    /// Cuts the next call, and every one after it.
    package func cutNext(_ cut: Cut) { state.withLock { $0 = .cutting(cut) } }

    /// Passes calls on again.
    ///
    /// - Returns: whether a call was cut.
    @discardableResult
    package func mend() -> Bool {
        state.withLock { state in
            defer { state = .passing }
            if case .cut = state { return true }
            return false
        }
    }

    package func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func relay(_ client: Int32) {
        defer { close(client) }
        let dropsAnswer: Bool? = state.withLock { state in
            switch state {
            case .passing: return false
            case .cut: return nil
            case .cutting(let cut):
                state = .cut
                return cut == .after ? true : nil
            }
        }
        guard let dropsAnswer, let server = try? connect() else { return }
        defer { close(server) }
        var watched = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        while poll(&watched, 2, -1) > 0 {
            for (from, to) in [(0, 1), (1, 0)] where watched[from].revents != 0 {
                let count = recv(watched[from].fd, &bytes, bytes.count, 0)
                if count <= 0 || (dropsAnswer && from == 1) { return }
                guard send(watched[to].fd, bytes, count, Int32(MSG_NOSIGNAL)) == count else { return }
            }
        }
    }
}
