import Foundation
import LoopbackSockets
import Synchronization

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
    private let listener: Int32
    private let state = Mutex(State())

    /// Links a Unix socket.
    convenience init(from own: URL, to target: URL) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let isBound = Self.withAddress(own) { bind(descriptor, $0, $1) == 0 }
        guard descriptor >= 0, isBound else { throw Impatience(description: "\(own.path) cannot be bound") }
        try self.init(.socket(own), descriptor, .socket(target))
    }

    /// Links a port of this machine.
    convenience init(to port: Int) throws {
        let (descriptor, own) = try LoopbackSocket.bound()
        try self.init(.port(own), descriptor, .port(port))
    }

    private init(_ own: Address, _ listener: Int32, _ target: Address) throws {
        (self.own, self.listener, self.target) = (own, listener, target)
        guard listen(listener, 128) == 0 else { throw Impatience(description: "a link cannot listen") }
        Thread.detachNewThread { [self] in accept() }
    }

    func cut(_ cut: Cut) {
        let open = state.withLock { state in
            state.cut = cut
            return state.open
        }
        if cut == .closed { for descriptor in open { shutdown(descriptor, Int32(SHUT_RDWR)) } }
    }

    func mend() { state.withLock { $0.cut = nil } }

    /// Ends the link and its connections.
    func end() {
        let open = state.withLock { state in
            state.hasEnded = true
            state.cut = nil
            return state.open
        }
        for descriptor in open { shutdown(descriptor, Int32(SHUT_RDWR)) }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    // MARK: Threads

    /// Closes the listener at the end: before, its number could be another's while this thread waits at it.
    private func accept() {
        defer { close(listener) }
        while !state.withLock({ $0.hasEnded }) {
            let near = Glibc.accept(listener, nil, nil)
            guard near >= 0 else { return }
            guard state.withLock({ $0.cut }) != .closed else {
                close(near)
                continue
            }
            Thread.detachNewThread { [self] in carry(near) }
        }
    }

    /// Carries one connection's bytes in both directions until either side has ended.
    private func carry(_ near: Int32) {
        keep(near)
        defer { forget(near) }
        waitWhileSilent()
        guard let far = connected() else { return }
        keep(far)
        defer { forget(far) }
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

    private func forget(_ descriptor: Int32) {
        state.withLock { state in
            state.open.remove(descriptor)
            close(descriptor)
        }
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

    private func connected() -> Int32? {
        switch target {
        case .port(let port): return try? LoopbackSocket.connected(to: port)
        case .socket(let file):
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            if Self.withAddress(file, { connect(descriptor, $0, $1) == 0 }) { return descriptor }
            close(descriptor)
            return nil
        }
    }

    private static func withAddress(_ file: URL, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(file.path.utf8)
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
