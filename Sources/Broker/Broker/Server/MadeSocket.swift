import Foundation
import Synchronization

/// The socket that a broker has made, known from another file at its path.
final class MadeSocket: Sendable {
    enum Standing {
        case there, gone, replaced
    }

    let socket: BrokerSocket
    private let identity = Mutex<BrokerSocket.Identity?>(nil)
    private let first = AsyncThrowingStream<Void, any Error>.makeStream(bufferingPolicy: .bufferingNewest(1))

    init(_ socket: BrokerSocket) {
        self.socket = socket
    }

    /// Notes that the socket is there now, and closes it to other users.
    func note() {
        identity.withLock { $0 = socket.identity }
        do {
            try socket.close()
            first.continuation.yield()
        } catch {
            first.continuation.finish(throwing: error)
        }
    }

    /// Waits until the socket is there for the first time.
    ///
    /// - Returns: false when it cannot be made.
    func isMade() async throws -> Bool {
        for try await _ in first.stream { return true }
        return false
    }

    func end(throwing error: (any Error)? = nil) { first.continuation.finish(throwing: error) }

    /// The standing of the path. A socket that is yet to be made counts as there.
    var standing: Standing {
        guard let own = identity.withLock(\.self) else { return .there }
        guard let now = socket.identity else { return .gone }
        return now == own ? .there : .replaced
    }

    func forget() { identity.withLock { $0 = nil } }

    /// Removes the socket from the disk, and nothing else that lies in its place.
    func remove() {
        guard let own = identity.withLock(\.self), socket.identity == own else { return }
        socket.remove()
    }
}
