import Foundation
import Synchronization
import TestServers

/// A way from one process to another that can be cut: it takes connections at an address of its own, and carries their bytes to
/// the other's.
final class CuttableLink: Sendable {
    enum Address: Sendable {
        case socket(URL)
        case port(Int)
    }

    enum Cut: CaseIterable, Sendable {
        /// Connections end at once, as when the other machine answers that no program listens.
        case closed
        /// Connections stay open, and no byte arrives until the link is whole again, as when packets are lost.
        case silent
    }

    private struct State {
        var cut: Cut?
        var open: Set<Int32> = []
        var hasEnded = false
    }

    let target: Address
    /// The address to connect to instead of the target.
    let own: Address
    private let listener: LoopbackListener
    private let state = Mutex(State())

    /// Links a Unix socket.
    convenience init(from own: URL, to target: URL) throws {
        try self.init(.socket(own), UnixSocket.bound(to: own), .socket(target))
    }

    /// Links a port of this machine.
    convenience init(to port: Int) throws {
        let (descriptor, own) = try LoopbackSocket.bound()
        try self.init(.port(own), descriptor, .port(port))
    }

    private init(_ own: Address, _ listener: Int32, _ target: Address) throws {
        (self.own, self.listener, self.target) = (own, try LoopbackListener(listener), target)
        self.listener.accept { [self] in carry($0) }
    }

    func cut(_ cut: Cut) {
        state.withLock { state in
            state.cut = cut
            if cut == .closed { for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) } }
        }
    }

    func mend() { state.withLock { $0.cut = nil } }

    /// Ends the link and its connections.
    func end() {
        state.withLock { state in
            state.hasEnded = true
            state.cut = nil
            for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
        listener.stop()
    }

    // MARK: Threads

    /// Carries one connection's bytes in both directions until either side has ended.
    private func carry(_ near: Int32) {
        keep(near)
        defer { state.withLock { _ = $0.open.remove(near) } }
        waitWhileSilent()
        guard state.withLock({ $0.cut }) != .closed, let far = try? connected() else { return }
        keep(far)
        defer {
            state.withLock { state in
                state.open.remove(far)
                close(far)
            }
        }
        let back = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [self] in
            pump(far, near)
            back.signal()
        }
        pump(near, far)
        back.wait()
    }

    private func keep(_ descriptor: Int32) {
        let isCut = state.withLock { state in
            state.open.insert(descriptor)
            return state.cut == .closed || state.hasEnded
        }
        if isCut { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    private func waitWhileSilent() {
        while state.withLock({ $0.cut == .silent && !$0.hasEnded }) { usleep(5000) }
    }

    private func pump(_ source: Int32, _ target: Int32) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0 else { break }
            waitWhileSilent()
            var sent = 0
            while sent < count {
                let written = buffer.withUnsafeBytes { write(target, $0.baseAddress! + sent, count - sent) }
                guard written > 0 else { return }
                sent += written
            }
        }
        waitWhileSilent()
        shutdown(target, Int32(SHUT_WR))
    }

    private func connected() throws -> Int32 {
        switch target {
        case .port(let port): try LoopbackSocket.connected(to: port)
        case .socket(let file): try UnixSocket.connected(to: file)
        }
    }
}
