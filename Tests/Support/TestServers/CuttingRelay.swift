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
        /// The cut comes at this call from now, which counts down to 1.
        case cutting(Cut, call: Int, isAlone: Bool)
        case cut
        /// One call was cut, and those that follow pass.
        case passingAfterCut
    }

    private let listener: LoopbackListener
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
        self.listener = try LoopbackListener(listener)
        self.connect = connect
        self.listener.accept { [self] in relay($0) }
    }

    /// Cuts a call, and every one after it.
    ///
    /// - Parameters:
    ///   - call: 1 for the next one.
    ///   - isAlone: true to let those that follow pass.
    package func cut(_ cut: Cut, atCall call: Int, isAlone: Bool = false) {
        state.withLock { $0 = .cutting(cut, call: call, isAlone: isAlone) }
    }

    /// Passes calls on again.
    ///
    /// - Returns: whether a call was cut.
    @discardableResult
    package func mend() -> Bool {
        state.withLock { state in
            defer { state = .passing }
            return switch state {
            case .cut, .passingAfterCut: true
            case .passing, .cutting: false
            }
        }
    }

    package func stop() { listener.stop() }

    /// Decides about a call when its first byte comes. A connection may carry several calls.
    ///
    /// - Returns: whether the call's answer comes back; nil when the call does not reach the server.
    private func beginCall() -> Bool? {
        state.withLock { state in
            switch state {
            case .passing, .passingAfterCut: return true
            case .cut: return nil
            case .cutting(let cut, let call, let isAlone) where call > 1:
                state = .cutting(cut, call: call - 1, isAlone: isAlone)
                return true
            case .cutting(let cut, _, let isAlone):
                state = isAlone ? .passingAfterCut : .cut
                return cut == .after ? false : nil
            }
        }
    }

    private func relay(_ client: Int32) {
        guard let server = try? connect() else { return }
        defer { close(server) }
        var watched = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        var isCalling = false
        var bringsAnswer = true
        while poll(&watched, 2, -1) > 0 {
            for (from, to) in [(0, 1), (1, 0)] where watched[from].revents != 0 {
                let count = recv(watched[from].fd, &bytes, bytes.count, 0)
                guard count > 0 else { return }
                if from == 0, !isCalling {
                    guard let answer = beginCall() else { return }
                    bringsAnswer = answer
                }
                isCalling = from == 0
                if from == 1, !bringsAnswer { return }
                guard send(watched[to].fd, bytes, count, Int32(MSG_NOSIGNAL)) == count else { return }
            }
        }
    }
}
